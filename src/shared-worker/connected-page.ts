import { Subscription } from 'rxjs';
import { contentOf, errorText, Feed } from '../feeds/feed.js';
import type { ServedInformer } from '../feeds/served-informer.js';
import { unexpectedSourceError } from '../sources/model/errors.js';
import {
  maxMissedOfPage,
  protocolVersion,
  type MessagePortLike,
  type PastQuestion,
  type SharedRequest,
  type ToPage,
  type ToWorker,
} from './messages.js';

/** One page, from `hello` until it leaves. */
export class ConnectedPage {
  readonly #feeds = new Map<number, { readonly feed: Feed; readonly reference: Subscription }>();
  #state: 'new' | 'joined' | 'left' = 'new';
  #missed = 0;

  constructor(
    private readonly port: MessagePortLike,
    private readonly version: string,
    private readonly server: {
      readonly lockName: string | undefined;
      admits(identity: string): boolean;
      joined(identity: string): void;
      left(): void;
      share(request: SharedRequest): ServedInformer;
      past(question: PastQuestion): string;
    },
  ) {}

  start(): void {
    this.port.addEventListener('message', (event) => {
      this.#missed = 0;
      this.#receive((event as { readonly data: ToWorker }).data);
    });
    this.port.addEventListener('close', () => this.leave());
    this.port.start();
  }

  beat(): void {
    this.#missed++;
    if (this.#missed > maxMissedOfPage) {
      this.leave();
      return;
    }
    for (const { feed } of this.#feeds.values()) feed.sendContact();
    this.#post({ type: 'ping' });
  }

  refuse(): void {
    this.#post({ type: 'refused', protocol: protocolVersion, version: this.version });
    this.leave();
  }

  leave(): void {
    if (this.#state !== 'joined') return;
    this.#state = 'left';
    for (const id of [...this.#feeds.keys()]) this.#close(id);
    this.server.left();
  }

  #receive(message: ToWorker): void {
    if (this.#state === 'left') {
      // The page was frozen and its session is closed. The page must connect again.
      if (message.type !== 'bye') this.#post({ type: 'let-go' });
      return;
    }
    switch (message.type) {
      case 'hello':
        this.#join(message);
        return;
      case 'subscribe':
        this.#open(message.id, message.request);
        return;
      case 'unsubscribe':
        this.#close(message.id);
        return;
      case 'taken':
        this.#feeds.get(message.id)?.feed.taken(message.amount);
        return;
      case 'recheck':
        this.#feeds.get(message.id)?.feed.recheck();
        return;
      case 'past':
        // A page that was refused must not read what another user has read.
        if (this.#state === 'joined') this.#post({ type: 'past', id: message.id, text: this.server.past(message) });
        return;
      case 'alive':
        return;
      case 'bye':
        this.leave();
        this.port.close();
    }
  }

  #join({ protocol, version, identity }: Extract<ToWorker, { readonly type: 'hello' }>): void {
    if (this.#state === 'joined') return;
    if (protocol !== protocolVersion || version !== this.version || !this.server.admits(identity)) {
      this.refuse();
      return;
    }
    this.#state = 'joined';
    this.server.joined(identity);
    const { lockName } = this.server;
    this.#post({ type: 'welcome', ...(lockName !== undefined && { lock: lockName }) });
  }

  #open(id: number, request: SharedRequest): void {
    if (this.#state !== 'joined') return;
    const post = (message: ToPage): void => this.#post(message);
    let shared: ServedInformer;
    try {
      shared = this.server.share(request);
    } catch (cause) {
      // The worker's option `listWatch` threw for this request.
      post({ type: 'error', id, text: errorText(unexpectedSourceError(cause, 'the worker refused the request')) });
      return;
    }
    const { informer: read, references, texts } = shared;
    const feed = new Feed(contentOf(read), { id, isWhole: request.isWhole, post }, texts);
    const reference = new Subscription();
    this.#feeds.set(id, { feed, reference });
    // The feed is opened first, because an informer may report something while it starts.
    feed.open();
    references.retain(reference);
  }

  #close(id: number): void {
    const open = this.#feeds.get(id);
    if (open === undefined) return;
    this.#feeds.delete(id);
    open.feed.close();
    open.reference.unsubscribe();
  }

  #post(message: ToPage): void {
    this.port.postMessage(message);
  }
}
