import { type Observable, Subscription } from 'rxjs';
import type { InformerError } from '../collections/errors.js';
import { internalChanges } from '../collections/log-collection.js';
import type { Informer } from '../informer/source-informer.js';
import { jsonText } from '../kubernetes/json-text.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { type SourceError, unexpectedSourceError } from '../sources/model/errors.js';
import type { SourceStatus } from '../sources/model/watch-event.js';
import { recordedError } from '../sources/recording/recording-format.js';
import { type Change, type ChangeSet } from '../store/change.js';
import { ChangeAccumulator } from '../store/merge-change-sets.js';
import { type FeedEntry, type FeedMessage, feedWindow, partSize } from './feed-messages.js';

/** Reports about the source of a feed. */
type FeedReports = Pick<
  Informer<KubernetesObject>,
  'errors$' | 'status' | 'status$' | 'isRunning' | 'hasSynced' | 'lastMessageAt' | 'lastHeardAt' | 'recheck'
>;

/** What a feed sends: objects and their changes, errors and status. */
export interface FeedContent {
  readonly reports: FeedReports;
  /** Emits the current state, or the changes since the state of the page, then each change. */
  readonly changes$: Observable<ChangeSet<KubernetesObject>>;
  /** Returns the version after the change set that was emitted last. */
  readonly resourceVersion: () => string;
}

/** Returns the whole content of an informer. */
export function contentOf(informer: Informer<KubernetesObject>): FeedContent {
  return {
    reports: informer,
    changes$: internalChanges(informer),
    resourceVersion: () => informer.snapshot.resourceVersion,
  };
}

/**
 * Sends the objects of one informer to one page, then the changes in the order of the commits.
 *
 * | state of the page | the feed sends |
 * | --- | --- |
 * | the page has acknowledged everything | each commit, as one message |
 * | the page has not acknowledged a message yet | nothing; commits are queued, and sent together as one change set |
 * | more than `maxQueued` changes are queued | nothing; the queued changes are conflated to their net effect, and sent together |
 *
 * The page sets the pace: a busy page receives fewer and larger commits, as with its own
 * connection.
 *
 * A status is sent after earlier data, with the end of the change set that contains them. So it
 * does not wait for later changes. If several statuses wait, only the last one is sent. Errors are
 * sent at once.
 */
export class Feed {
  readonly #pending = new PendingChanges();
  readonly #subscription = new Subscription();
  #sending: Sending | undefined;
  /** The latest status of the informer, and that status if it is still to be sent. */
  #latest: SourceStatus | undefined;
  #status: SourceStatus | undefined;
  #owed = 0;
  #messageAt: number | undefined;
  #contactAt: number | undefined;

  constructor(
    private readonly content: FeedContent,
    private readonly page: {
      readonly id: number;
      readonly isWhole: boolean;
      readonly post: (message: FeedMessage) => void;
      /** Called each time the page has acknowledged all objects and changes so far. */
      readonly caughtUp?: () => void;
    },
    private readonly texts: ChangeTexts,
  ) {}

  /** The amount of text that was sent and is not acknowledged yet. */
  get owed(): number {
    return this.#owed;
  }

  open(): void {
    const { changes$, reports } = this.content;
    // The status of a running informer belongs to its content, which `changes$` emits at once.
    if (reports.isRunning) this.#setStatus(reports.status);
    this.#subscription.add(reports.errors$.subscribe((error) => this.#sendError(error)));
    this.#subscription.add(
      changes$.subscribe((set) => {
        this.#pending.add(set);
        this.#flush();
      }),
    );
    this.#subscription.add(
      reports.status$.subscribe((status) => {
        this.#setStatus(status);
        this.#flush();
      }),
    );
  }

  close(): void {
    this.#subscription.unsubscribe();
  }

  /** Records that the page has processed `amount` code units of text. */
  taken(amount: number): void {
    this.#owed -= amount;
    this.#flush();
  }

  /** Tells the page that the API server has sent something, even if nothing has changed. */
  sendContact(): void {
    const { lastMessageAt, lastHeardAt, hasSynced } = this.content.reports;
    const isCurrent = hasSynced && this.#sending === undefined && !this.#pending.isWaiting;
    const isNews = isCurrent && lastMessageAt !== this.#messageAt;
    if (!isNews && lastHeardAt === this.#contactAt) return;
    this.#contactAt = lastHeardAt;
    if (isNews) this.#messageAt = lastMessageAt;
    this.page.post({
      type: 'heard',
      id: this.page.id,
      at: lastHeardAt,
      ...(isNews && { resourceVersion: this.content.resourceVersion() }),
    });
  }

  recheck(): void {
    this.content.reports.recheck();
  }

  #flush(): void {
    while (!this.#subscription.closed) {
      if (this.#sending === undefined && this.#pending.isWaiting && this.#owed === 0) this.#sending = this.#take();
      if (this.#sending === undefined) break;
      if (this.#owed >= feedWindow) return;
      this.#sendPart(this.#sending);
    }
    if (this.#pending.isWaiting) return;
    const text = this.#takeStatus();
    if (text !== undefined) this.page.post({ type: 'status', id: this.page.id, text });
    if (this.#owed === 0 && this.content.reports.hasSynced) this.page.caughtUp?.();
  }

  #setStatus(status: SourceStatus): void {
    if (status !== this.#latest) this.#status = status;
    this.#latest = status;
  }

  #takeStatus(): string | undefined {
    const status = this.#status;
    this.#status = undefined;
    return status && statusText(status);
  }

  #take(): Sending {
    const set = this.#pending.take();
    const parts = this.texts.partsOf(set, this.page.isWhole);
    const resourceVersion = this.content.resourceVersion();
    return { parts, set, resourceVersion, status: this.#takeStatus(), next: parts.next() };
  }

  #sendPart(sending: Sending): void {
    const { set, resourceVersion, status } = sending;
    const text = sending.next.done === true ? '[]' : sending.next.value;
    sending.next = sending.parts.next();
    const isLast = sending.next.done === true;
    if (isLast) this.#sending = undefined;
    this.#owed += text.length;
    this.page.post({
      type: 'part',
      id: this.page.id,
      text,
      total: set.changes.length,
      ...(isLast && { end: { reason: set.reason, resourceVersion, ...(status !== undefined && { status }) } }),
    });
  }

  #sendError(error: InformerError): void {
    this.page.post({ type: 'error', id: this.page.id, text: errorText(error) });
  }
}

/** A change set that is being sent in parts. */
interface Sending {
  readonly set: ChangeSet<KubernetesObject>;
  readonly resourceVersion: string;
  /** The status that followed the changes when they were taken. */
  readonly status: string | undefined;
  readonly parts: Iterator<string, undefined>;
  next: IteratorResult<string, undefined>;
}

/**
 * The number of changes of the watch that are queued individually for a page that has not
 * acknowledged earlier changes. If more changes wait, all of them are conflated.
 */
const maxQueued = 500;

/**
 * The change sets that wait for a page. Up to `maxQueued` changes of the watch are kept
 * individually. If there are more, or if a set is not from the watch, only the net effect of all
 * waiting sets is kept.
 */
class PendingChanges {
  #queue: ChangeSet<KubernetesObject>[] = [];
  #queued = 0;
  readonly #net = new ChangeAccumulator<KubernetesObject>();

  get isWaiting(): boolean {
    return this.#queued > 0 || this.#net.hasNews;
  }

  add(set: ChangeSet<KubernetesObject>): void {
    const isStep = set.reason === 'watch' && !this.#net.hasNews && this.#queued + set.changes.length <= maxQueued;
    if (isStep) {
      this.#queue.push(set);
      this.#queued += set.changes.length;
      return;
    }
    for (const queued of this.#takeQueue()) this.#net.add(queued);
    this.#net.add(set);
  }

  take(): ChangeSet<KubernetesObject> {
    if (this.#net.hasNews) return this.#net.take();
    return { reason: 'watch', changes: this.#takeQueue().flatMap(({ changes }) => changes) };
  }

  #takeQueue(): readonly ChangeSet<KubernetesObject>[] {
    const queue = this.#queue;
    this.#queue = [];
    this.#queued = 0;
    return queue;
  }
}

/** Encodes changes. Text of a watch change is cached with it: created once for all pages. */
export class ChangeTexts {
  readonly #texts = new WeakMap<object, string>();

  /** @param keepsObjects if true, the text of an object is cached with it, for its next reader */
  constructor(private readonly keepsObjects = false) {}

  /** Returns the parts of a change set. Each part is encoded when it is requested. */
  *partsOf({ reason, changes }: ChangeSet<KubernetesObject>, isWhole: boolean): Generator<string, undefined> {
    const isShared = reason === 'watch' && !isWhole;
    let entries: string[] = [];
    let size = 0;
    for (const change of changes) {
      if (size >= partSize) {
        yield `[${entries.join()}]`;
        entries = [];
        size = 0;
      }
      const entry = this.#entryText(change, isShared, isWhole);
      entries.push(entry);
      size += entry.length;
    }
    yield `[${entries.join()}]`;
    return undefined;
  }

  #entryText(change: Change<KubernetesObject>, isShared: boolean, isWhole: boolean): string {
    if (this.keepsObjects && change.type === 'added')
      return this.#cached(change.object, () => jsonText(entryOf(change, false)));
    if (isShared) return this.#cached(change, () => jsonText(entryOf(change, false)));
    return jsonText(entryOf(change, isWhole));
  }

  #cached(owner: object, encode: () => string): string {
    const known = this.#texts.get(owner);
    if (known !== undefined) return known;
    const text = encode();
    this.#texts.set(owner, text);
    return text;
  }
}

function entryOf(change: Change<KubernetesObject>, isWhole: boolean): FeedEntry {
  switch (change.type) {
    case 'added':
      return { object: change.object };
    case 'updated':
      return isWhole ? { object: change.object } : differenceOf(change.key, change.previous, change.object);
    case 'deleted':
      return { deleted: change.key, ...(!change.finalStateUnknown && { object: change.object }) };
  }
}

/** Two versions of an object share structure, so unchanged fields are identical objects. */
function differenceOf(key: string, previous: object, next: object): FeedEntry {
  const before = previous as Readonly<Record<string, unknown>>;
  const fields = Object.fromEntries(Object.entries(next).filter(([name, value]) => value !== before[name]));
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(next, name));
  return { key, fields, ...(removed.length > 0 && { removed }) };
}

function statusText(status: SourceStatus): string {
  return JSON.stringify({ ...status, ...('cause' in status && { cause: recordedError(status.cause) }) });
}

/** Encodes an error for the port. */
export function errorText(error: InformerError): string {
  return JSON.stringify(recordedError(asSourceError(error)));
}

function asSourceError(error: InformerError): SourceError {
  switch (error.code) {
    case 'RXI_KEY':
    case 'RXI_KEY_COLLISION':
    case 'RXI_INDEX_FUNCTION':
    case 'RXI_DERIVED_ROW':
    case 'RXI_HANDLER':
    case 'RXI_SELECT':
      return unexpectedSourceError(error, 'the informer of the shared worker failed');
    default:
      return error;
  }
}
