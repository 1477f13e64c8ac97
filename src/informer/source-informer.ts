import type { Observable, Subscription } from 'rxjs';
import { Cache, unappliedEvent } from '../collections/cache.js';
import type { Collection } from '../collections/collection.js';
import type { InformerError } from '../collections/errors.js';
import { LogCollection } from '../collections/log-collection.js';
import { ErrorStream, SlowSubscribers, UnstableContent } from '../collections/reports.js';
import { type Source, sourceWithKnownObjects } from '../sources/model/source.js';
import type { SourceStatus } from '../sources/model/watch-event.js';
import type { Indexers } from '../store/index-functions.js';
import { Connection } from './connection.js';
import { type Freshness } from './freshness.js';
import { informerDefaults, type InformerOptions, checkedInformerOptions } from './informer-options.js';
import {
  type CatchesUp,
  type ObservedOptions,
  ObservedWrites,
  type ObservesWrites,
  type WhenObservedOptions,
} from './observed-writes.js';

/**
 * Shares one cache over one source among all subscribers, with live queries.
 *
 * It runs while it has a subscriber, a handler or a connection, and for one second (`linger`) after
 * the last of them has left. Then it unsubscribes from the source and empties the cache. `status$`,
 * `errors$`, `synced$` and `observed$` only observe: they do not keep it running.
 */
export interface Informer<T, I extends string = string> extends Collection<T, I>, ObservesWrites<T>, Freshness {
  /** Keeps the informer running until the subscription is closed. */
  connect(): Subscription;
  /**
   * Stops the informer at once: all streams complete, all connections close, and the cache is
   * emptied. The next subscriber starts it again. Idempotent.
   */
  stop(): void;
  /**
   * Reconnects now. Use it after the machine slept or changed its network, or for a button "Try
   * now".
   *
   * | state | what happens |
   * | --- | --- |
   * | the watch is open | it is opened again from its last version, without a list and without an error |
   * | the source backs off | it tries now, and later waits start short again; a wait that the server requested (`Retry-After`) is kept |
   * | a request has received nothing for a second | the request is sent again |
   * | a list is being received | nothing |
   * | the informer is stopped | nothing |
   *
   * `hasSynced` and the content do not change. Calls beyond the bound on requests (G5) do nothing,
   * so you may call it as often as you like. A merged source reconnects all its members. A source
   * of your own, or one that was piped without `through`, has no connection to replace; for such a
   * source, only the wait after an error ends early.
   *
   * **Does not guarantee**: a new TCP connection with HTTP/2, where requests share a connection.
   * `kubeClient` itself checks with PINGs whether that connection is alive.
   *
   * @example
   * globalThis.addEventListener('online', () => podInformer.recheck());
   */
  recheck(): void;
  /**
   * Emits, after each announced commit, the milliseconds that all subscribers took together. Time
   * is measured only while this stream has a subscriber.
   */
  readonly announcementTimes$: Observable<number>;
  /**
   * Emits, when a commit is announced, how many milliseconds after the commit its first subscriber
   * is called. A commit is late if many rows of a derived collection are computed from it, or from
   * an earlier commit of another input of this collection (J8). Time is measured only while this
   * stream has a subscriber.
   */
  readonly announcementDelays$: Observable<number>;

  /**
   * Adds indexes, at any time. The content of the cache is indexed at once, and nothing is
   * announced (S11).
   *
   * @returns the same informer, with a type that knows the new indexes
   * @throws `RXI_INDEXER_CONFLICT` if an index of this name exists; then no index is added
   */
  addIndexers<J extends string>(indexers: Indexers<T, J>): Informer<T, I | J>;
}

/** Creates an informer over a source, as `informer` does. */
export function informerOver<T, I extends string>(source: Source<T>, options: InformerOptions<T, I>): Informer<T, I> {
  return new SourceInformer(source, options);
}

class SourceInformer<T, I extends string> extends LogCollection<T, I> implements Informer<T, I>, CatchesUp {
  readonly errors$: Observable<InformerError>;
  readonly status$: Observable<SourceStatus>;
  readonly #cache: Cache<T>;
  readonly #connection: Connection<T>;
  readonly #writes: ObservedWrites<T>;

  constructor(source: Source<T>, informerOptions: InformerOptions<T, I>) {
    const options = checkedInformerOptions(source, informerOptions);
    const { keyOf, scheduler } = options;
    const errors: ErrorStream = new ErrorStream(options, scheduler, () => connection.isInUse);
    const error = errors.report;
    const cache = new Cache<T>(
      options,
      {
        error,
        delivered: (delivery) => {
          connection.delivered(delivery);
          if (delivery.commit?.reason === 'relist') unstable.relisted(delivery.commit);
        },
        failed: (cause) => {
          error(unappliedEvent(undefined, cause));
          connection.relist();
        },
      },
      scheduler,
    );
    const unstable = new UnstableContent(options.name);
    const writes = new ObservedWrites(cache.log, keyOf, source.selection, source.clientOf);
    // With other keys, the source cannot find the objects in the cache.
    const subscribed = keyOf === informerDefaults.keyOf ? sourceWithKnownObjects(source, cache) : source;
    const connection = new Connection<T>(subscribed, cache, writes, options, error);
    const retain = (holder: Subscription): Subscription => connection.retain(holder);
    const slow = new SlowSubscribers(options, scheduler);
    const { resource, name } = options;
    const isPartitioned = keyOf.isPartitioned === true;
    const hasNamespaces = keyOf === informerDefaults.keyOf && resource?.namespaced === true;
    const hasStarted = (): boolean => connection.hasStarted;
    const context = { log: cache.log, retain, report: error, slow, scheduler };
    super({ ...context, resource, name, isPartitioned, hasNamespaces, hasStarted });
    this.#cache = cache;
    this.#connection = connection;
    this.#writes = writes;
    this.errors$ = errors.errors$;
    this.status$ = connection.status.status$;
  }

  override get isRunning(): boolean {
    return this.#connection.isOpen;
  }

  override get status(): SourceStatus {
    return this.#connection.status.current;
  }

  get lastMessageAt(): number | undefined {
    return this.#connection.messageTimes.stalest();
  }

  lastMessageAtOf(partition: string): number | undefined {
    return this.#connection.messageTimes.of(partition);
  }

  get lastHeardAt(): number | undefined {
    return this.#connection.lastHeardAt;
  }

  connect(): Subscription {
    return this.#connection.retain();
  }

  recheck(): void {
    this.#connection.recheck();
  }

  reached$(version: string, client: object): Observable<void> {
    return this.#writes.reached$(version, client);
  }

  catchUp(version: string, client: object): void {
    if (this.#writes.isReadBy(client)) this.#connection.recheck(version);
  }

  stop(): void {
    // These subscribers belong to the run that ends; those that join belong to the next one.
    const complete = this.#cache.log.detach();
    this.#connection.close();
    complete();
  }

  override whenSynced({ signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    if (this.hasSynced) return Promise.resolve();
    return this.#connection.whenEmitted(this.synced$, 'stopped-before-synced', signal);
  }

  observed$(object: T, options?: ObservedOptions): Observable<void> {
    return this.#writes.observed$(object, options);
  }

  async whenObserved(object: T, options: WhenObservedOptions = {}): Promise<void> {
    const observed$ = this.observed$(object, options);
    await this.#connection.whenEmitted(observed$, 'stopped-before-observed', options.signal);
  }

  addIndexers<J extends string>(indexers: Indexers<T, J>): Informer<T, I | J> {
    this.#connection.retryIndexing(this.#cache.addIndexers(indexers));
    return this as unknown as Informer<T, I | J>;
  }
}
