import { Subscription, timeout, timer, type SchedulerLike } from 'rxjs';
import { Feed } from '../feeds/feed.js';
import type { ServedInformer } from '../feeds/served-informer.js';
import { isRxInformersError } from '../kubernetes/errors.js';
import type { Resource } from '../kubernetes/resource.js';
import {
  hubFrame,
  hubProtocol,
  maxMissedOfViewer,
  readViewerFrame,
  type EndReason,
  type HubPosition,
  type HubRequest,
  type HubSocket,
  type ToHub,
  type ToViewer,
} from './hub-messages.js';
import type { KindLog } from './kind-log.js';
import { ObjectsOfPage } from './objects-of-page.js';
import type { Rights } from './rights.js';
import { scopeOf, type Scope } from './scope.js';
import type { Turns } from './turns.js';
import type { Viewer } from './viewer.js';
import { WindowFeed } from './window-feed.js';

/** Limits for one viewer. */
interface ViewerLimits {
  readonly maxSubscriptions: number;
  /** Milliseconds without an acknowledgement after which a viewer counts as slow. */
  readonly slowAfter: number;
  /** The largest amount of data that waits in the socket. */
  readonly maxBuffered: number;
}

/** A kind that the hub serves, while its informer runs. */
export interface HubKind extends ServedInformer {
  readonly log: KindLog;
}

/** What a connected viewer uses of the hub. */
export interface HubOfViewer {
  readonly rights: Rights;
  readonly limits: ViewerLimits;
  readonly turns: Turns;
  readonly scheduler: SchedulerLike;
  kindOf(request: HubRequest['resource']): Resource<unknown> | undefined;
  share(resource: Resource<unknown>): HubKind;
  left(): void;
}

interface OpenSubscription {
  readonly subscription: Subscription;
  /** The number of rights that it needs. */
  readonly rights: number;
  feed?: Feed | WindowFeed;
  /** What the page has, while it answers `compare`, and what follows. */
  comparison?: { readonly known: ObjectsOfPage; readonly end: () => void };
  /** The heartbeats since the viewer last acknowledged something that it owes. */
  silentSince?: number;
}

/**
 * The frames that a viewer may send at once, in addition with each heartbeat, and in addition with
 * each message that it has to acknowledge. Some frames cost the hub more than others.
 */
const maxFrames = 2_000;
const framesPerBeat = 500;
const costOfRequest = 10;

/** Milliseconds for which a viewer waits for a hub that is at an older version. */
const catchUpTimeout = 30_000;

/** Milliseconds within which a viewer sends the versions of its objects. */
const comparisonTimeout = 30_000;

/** One connection, until one side closes it. Its frames may be hostile. */
export class ConnectedViewer {
  readonly #open = new Map<number, OpenSubscription>();
  #state: 'new' | 'joined' | 'left' = 'new';
  #missed = 0;
  #framesLeft = maxFrames;

  constructor(
    private readonly socket: HubSocket,
    private readonly viewer: Viewer,
    private readonly hub: HubOfViewer,
  ) {}

  get subscriptions(): number {
    return this.#open.size;
  }

  start(): void {
    this.socket.addEventListener('message', (event) => this.#receive((event as { readonly data?: unknown }).data));
    this.socket.addEventListener('close', () => this.leave());
    this.socket.addEventListener('error', () => this.leave());
  }

  beat(now: number): void {
    this.#missed++;
    this.#framesLeft = Math.min(maxFrames, this.#framesLeft + framesPerBeat);
    if (this.#missed > maxMissedOfViewer) {
      this.#drop('slow', 'it was silent for too long');
      return;
    }
    for (const each of this.#open.values()) {
      if (each.feed === undefined) continue;
      each.silentSince = each.feed.owed > 0 ? (each.silentSince ?? now) : now;
      if (now - each.silentSince > this.hub.limits.slowAfter) {
        this.#drop('slow', 'it has not acknowledged messages in time');
        return;
      }
      each.feed.sendContact();
    }
    this.#post({ type: 'ping' });
  }

  /** Ends the connection without a message. */
  leave(): void {
    if (this.#state === 'left') return;
    this.#state = 'left';
    for (const id of [...this.#open.keys()]) this.#close(id);
    this.hub.left();
    this.socket.close();
  }

  #drop(reason: 'slow' | 'protocol', detail: string): void {
    if (this.#state === 'left') return;
    this.socket.send(hubFrame({ type: 'closed', reason, detail }));
    this.leave();
  }

  #receive(data: unknown): void {
    if (this.#state === 'left') return;
    this.#missed = 0;
    this.#framesLeft--;
    const message = this.#framesLeft < 0 ? undefined : readViewerFrame(data);
    if (message === undefined || !this.#accept(message)) this.#drop('protocol', 'it has sent an invalid message');
  }

  /** Returns false for a message that no page of this library sends. */
  #accept(message: ToHub): boolean {
    if (message.type === 'hello') {
      if (this.#state !== 'new' || message.protocol !== hubProtocol) return false;
      this.#state = 'joined';
      this.#post({ type: 'welcome', protocol: hubProtocol });
      return true;
    }
    if (this.#state === 'new') return false;
    if (message.type === 'subscribe' || message.type === 'window') this.#framesLeft -= costOfRequest - 1;
    switch (message.type) {
      case 'alive':
        return true;
      case 'subscribe':
        if (this.#open.has(message.id)) return false;
        this.#subscribe(message.id, message.request);
        return true;
      case 'unsubscribe':
        this.#close(message.id);
        return true;
      case 'taken':
        return this.#taken(message);
      case 'has':
        return this.#compared(message);
      case 'window': {
        // A subscription that the hub has ended may still be moved.
        const { feed } = this.#open.get(message.id) ?? {};
        if (feed instanceof WindowFeed) feed.show(message.window);
        return !(feed instanceof Feed);
      }
    }
  }

  #taken({ id, amount }: Extract<ToHub, { readonly type: 'taken' }>): boolean {
    const open = this.#open.get(id);
    if (open?.feed === undefined) return true;
    if (amount > open.feed.owed) return false;
    delete open.silentSince;
    open.feed.taken(amount);
    return true;
  }

  #compared({ id, objects, isLast }: Extract<ToHub, { readonly type: 'has' }>): boolean {
    const open = this.#open.get(id);
    if (open === undefined) return true;
    const { comparison } = open;
    comparison?.known.add(objects);
    if (!isLast) return comparison !== undefined;
    delete open.comparison;
    comparison?.end();
    return comparison !== undefined;
  }

  #subscribe(id: number, request: HubRequest): void {
    const { namespaces } = request;
    const resource = this.hub.kindOf(request.resource);
    if (resource === undefined) {
      this.#end(id, 'not-served', 'it does not serve this kind');
      return;
    }
    const rights = [...this.#open.values()].reduce((sum, each) => sum + each.rights, namespaces.length);
    if (rights > this.hub.limits.maxSubscriptions) {
      this.#end(id, 'invalid', 'the connection has too many subscriptions');
      return;
    }
    let scope: Scope;
    try {
      scope = scopeOf(request);
    } catch (error) {
      if (!isRxInformersError(error, 'RXI_HUB')) throw error;
      this.#end(id, 'invalid', error.detail);
      return;
    }
    const open: OpenSubscription = { subscription: new Subscription(), rights: namespaces.length };
    this.#open.set(id, open);
    let missing = namespaces.length;
    for (const namespace of namespaces) {
      if (open.subscription.closed) return;
      const right = this.hub.rights.follow(
        this.viewer,
        { resource, namespace },
        {
          allowed: () => {
            missing--;
            if (missing === 0 && !open.subscription.closed) this.#read(id, open, resource, request, scope);
          },
          ended: (reason) => this.#end(id, reason, endDetails[reason]),
        },
      );
      open.subscription.add(right);
    }
  }

  /** Opens the feed, now that all rights are confirmed. */
  #read(id: number, open: OpenSubscription, resource: Resource<unknown>, request: HubRequest, scope: Scope): void {
    const served = this.hub.share(resource);
    served.references.retain(open.subscription);
    const { resume, window } = request;
    const openFeed = (since?: HubPosition | ObjectsOfPage): void =>
      this.#openFeed(id, open, served, request, scope, since);
    if (resume === undefined || served.log.knows(resume)) {
      openFeed(resume);
      return;
    }
    const compare = (): void => {
      const known = new ObjectsOfPage(2 * served.log.size + 1_000);
      const timedOut = timer(comparisonTimeout, this.hub.scheduler).subscribe(() =>
        this.#end(id, 'slow', 'it has not sent the versions of its objects in time'),
      );
      open.subscription.add(timedOut);
      open.comparison = {
        known,
        end: () => {
          timedOut.unsubscribe();
          openFeed(known.hasAll ? known : undefined);
        },
      };
      this.#post({ type: 'compare', id });
    };
    // What the viewer has must not be replaced by something older.
    open.subscription.add(
      served.log
        .reached$(resume.resourceVersion)
        .pipe(timeout({ first: catchUpTimeout, scheduler: this.hub.scheduler }))
        .subscribe({
          next: () => (window === undefined ? compare() : openFeed()),
          error: () => this.#end(id, 'behind', 'it has not reached the version of the page yet'),
        }),
    );
  }

  #openFeed(
    id: number,
    open: OpenSubscription,
    served: HubKind,
    { isWhole, window }: HubRequest,
    scope: Scope,
    position?: HubPosition | ObjectsOfPage,
  ): void {
    const post = (message: ToViewer): void => this.#post(message);
    const since = window === undefined ? position : undefined;
    const begin = (caughtUp: () => void = () => undefined): void => {
      const content = served.log.contentOf(scope, since);
      const feed =
        window === undefined
          ? new Feed(content, { id, isWhole, post, caughtUp }, served.texts)
          : new WindowFeed(content, window, { id, post }, this.hub.scheduler);
      open.feed = feed;
      open.subscription.add(() => feed.close());
      post({ type: 'opened', id, epoch: served.log.epoch, isResumed: since !== undefined });
      if (!open.subscription.closed) feed.open();
    };
    // A window and the changes since a version are small.
    if (window !== undefined || (since !== undefined && !(since instanceof ObjectsOfPage))) begin();
    else open.subscription.add(this.hub.turns.take(begin));
  }

  #close(id: number): void {
    const open = this.#open.get(id);
    this.#open.delete(id);
    open?.subscription.unsubscribe();
  }

  #end(id: number, reason: EndReason, detail: string): void {
    this.#close(id);
    this.#post({ type: 'ended', id, reason, detail });
  }

  #post(message: ToViewer): void {
    if (this.#state === 'left') return;
    if ((this.socket.bufferedAmount ?? 0) > this.hub.limits.maxBuffered) {
      this.#drop('slow', 'its socket does not take more data');
      return;
    }
    if (message.type === 'part') this.#framesLeft++;
    this.socket.send(hubFrame(message));
  }
}

const endDetails = {
  forbidden: 'the user may not list and watch these objects',
  unavailable: 'the rights of the user cannot be reviewed, because the API server does not answer',
} as const;
