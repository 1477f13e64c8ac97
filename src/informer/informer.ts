import type { Observable, Subscription } from 'rxjs';
import type { Resource } from '../kubernetes/resource.js';
import type { KubeClient } from '../sources/client/kube-client.js';
import type { Received, WithoutTransform } from '../sources/list-watch-options.js';
import { listWatch } from '../sources/list-watch.js';
import type { SourceStatus } from '../sources/model/watch-event.js';
import { factsOf, type Source } from '../sources/model/source.js';
import type { Indexers } from '../store/index-functions.js';
import type { Reads } from '../store/snapshot.js';
import { Cache, unappliedEvent } from './cache.js';
import type { Collection } from './collection.js';
import { Connection } from './connection.js';
import type { InformerError } from './errors.js';
import { settled, type InformerOptions, type ResourceInformerOptions } from './informer-options.js';
import { LogCollection } from './log-collection.js';
import {
  type Freshness,
  ObservedWrites,
  type ObservedOptions,
  type ObservesWrites,
  type WhenObservedOptions,
} from './freshness.js';
import { ErrorStream, SlowSubscribers } from './reports.js';

/**
 * Shares one cache over one source among all subscribers, with live queries.
 *
 * It runs while it has a subscriber, a handler or a connection, and for one second (`linger`) after
 * the last. Then it unsubscribes from the source and empties the cache. `status$`, `errors$`,
 * `synced$` and `observed$` only observe: they do not keep it running.
 */
export interface Informer<T, I extends string = string>
  extends Collection<T, I>, Reads<T, I>, ObservesWrites<T>, Freshness {
  /** Keeps the informer running until the subscription is closed. */
  connect(): Subscription;
  /**
   * Stops the informer at once: all streams complete, all connections close, and the cache is
   * emptied. The next subscriber starts it again. Idempotent.
   */
  stop(): void;
  /**
   * Emits, after each announced commit, how many milliseconds all subscribers took together. Time
   * is measured only while this stream has a subscriber.
   */
  readonly announcementTimes$: Observable<number>;

  /**
   * Adds indexes, at any time. The content of the cache is indexed at once, and nothing is
   * announced (S11).
   *
   * @returns the same informer, with a type that knows the new indexes
   * @throws IndexerConflictError if an index of this name exists; then none is added
   */
  addIndexers<J extends string>(indexers: Indexers<T, J>): Informer<T, I | J>;
}

/**
 * Creates an informer over a source, or over `listWatch(client, resource, options)`.
 *
 * Nothing happens before the first subscriber.
 *
 * **Guarantees**: G1–G11; one subscription to the source, however many subscribers there are.
 * **Errors**: `errors$` emits them, and data streams never error. If a key function fails, the source is listed again; if
 * an index function fails, it is called again; both with growing waits, until it succeeds (G4).
 *
 * @throws `RangeError` for a `linger` that no timer can wait for, and what `listWatch` throws
 * @example
 * const podInformer = informer(client, pods, { namespace: 'web', indexers: { node: indexByNode, app: indexByLabel('app') } });
 * podInformer.byIndex$('node', 'worker-1').subscribe((onNode) => console.log(onNode.length));
 */
export function informer<T, I extends string = never>(
  source: Source<T>,
  options?: InformerOptions<T, I>,
): Informer<T, I>;
export function informer<T, I extends string = never, MetadataOnly extends boolean = false>(
  client: KubeClient,
  resource: Resource<T>,
  options?: ResourceInformerOptions<T, I, MetadataOnly> & WithoutTransform,
): Informer<Received<T, MetadataOnly>, I>;
export function informer<
  T,
  I extends string = never,
  MetadataOnly extends boolean = false,
  R = Received<T, MetadataOnly>,
>(
  client: KubeClient,
  resource: Resource<T>,
  options: ResourceInformerOptions<T, I, MetadataOnly, R> | undefined,
): Informer<R, I>;
export function informer(
  from: Source<unknown> | KubeClient,
  given: InformerOptions<unknown, string> | Resource<unknown> = {},
  options: ResourceInformerOptions<unknown, string, boolean, unknown> = {},
): Informer<unknown> {
  if (!('exchange' in from)) return new SourceInformer(from, given as InformerOptions<unknown, string>);
  return new SourceInformer(listWatch(from, given as Resource<unknown>, options), options);
}

class SourceInformer<T, I extends string> extends LogCollection<T, I> implements Informer<T, I> {
  readonly errors$: Observable<InformerError>;
  readonly status$: Observable<SourceStatus>;
  readonly #cache: Cache<T>;
  readonly #connection: Connection<T>;
  readonly #writes: ObservedWrites<T>;

  constructor(source: Source<T>, given: InformerOptions<T, I>) {
    const options = settled(source, given);
    const { keyOf, scheduler } = options;
    const errors: ErrorStream = new ErrorStream(options, scheduler, () => connection.isInUse);
    const error = errors.report;
    const cache = new Cache<T>(
      options,
      {
        error,
        delivered: (delivery) => {
          const { run } = connection;
          writes.delivered(delivery.batch);
          if (connection.run === run) connection.delivered(delivery);
        },
        failed: (cause) => {
          error(unappliedEvent(undefined, cause));
          connection.relist();
        },
      },
      scheduler,
    );
    const writes = new ObservedWrites(cache.log, keyOf, factsOf(source).selection);
    const closing = (): void => {
      cache.reset();
      writes.reset();
    };
    const connection = new Connection<T>(source, cache, options, { error, closing });
    const retain = (holder: Subscription): Subscription => connection.retain(holder);
    const slow = new SlowSubscribers(options, scheduler);
    super({ log: cache.log, retain, report: error, slow, scheduler, resource: options.resource, name: options.name });
    this.#cache = cache;
    this.#connection = connection;
    this.#writes = writes;
    this.errors$ = errors.errors$;
    this.status$ = connection.status$;
  }

  override get isRunning(): boolean {
    return this.#connection.isOpen;
  }

  override get status(): SourceStatus {
    return this.#connection.status;
  }

  get lastMessageAt(): number | undefined {
    return this.#connection.messageTimes.stalest();
  }

  lastMessageAtOf(partition: string): number | undefined {
    return this.#connection.messageTimes.of(partition);
  }

  connect(): Subscription {
    return this.#connection.retain();
  }

  stop(): void {
    // Subscribers that join because of the stop belong to the next run, and these to the one that ends.
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
