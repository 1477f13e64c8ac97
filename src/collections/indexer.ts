import { BehaviorSubject, type Observable, type SchedulerLike } from 'rxjs';
import type { KeyFunction } from '../kubernetes/keys.js';
import { steady, wallTime } from '../scheduling/clock.js';
import { whenEmitted } from '../scheduling/when-emitted.js';
import { checkNames } from '../sources/model/checked-options.js';
import type { SourceStatus } from '../sources/model/watch-event.js';
import type { Delta, KeyedObject } from '../store/delta.js';
import type { Indexers } from '../store/index-functions.js';
import type { SnapshotOptions } from '../store/snapshot-draft.js';
import { keyOrError } from '../store/stages.js';
import { Cache } from './cache.js';
import type { Collection, CollectionOptions } from './collection.js';
import type { InformerError } from './errors.js';
import { LogCollection } from './log-collection.js';
import {
  collectionOptionNames,
  ErrorStream,
  type ReportOptions,
  type SlowSubscriberOptions,
  SlowSubscribers,
} from './reports.js';

/** The name of an indexer for which none was given. */
export const unnamedIndexer = 'indexer';

/**
 * Stores objects that the caller adds, with indexes and live queries: client-go's Indexer as a
 * Collection. Each call is one commit. The first makes it synced (Q1); `replace([])` is enough.
 */
export interface Indexer<T, I extends string = string> extends Collection<T, I> {
  /**
   * Adds an object, or updates the object with the same key. `update` does the same (S1).
   *
   * @throws `RXI_KEY` if the object has no key
   */
  add(object: T): void;
  update(object: T): void;
  /**
   * Removes an object, given the object or its key. Does nothing if there is no such object (S1).
   *
   * @throws `RXI_KEY` if the given object has no key
   */
  delete(objectOrKey: T | string): void;
  /**
   * Replaces all objects in one commit. If two objects have the same key, the last one counts (S2).
   *
   * @param resourceVersion the version of the list; default none
   * @throws `RXI_KEY` if an object has no key; the content then stays as it was
   */
  replace(objects: readonly T[], resourceVersion?: string): void;
  /** Announces every object as an update to itself (D4): one change for each. */
  resync(): void;
  /** Applies any number of deltas in one commit: client-go's Transaction. */
  apply(deltas: readonly Delta<T>[]): void;

  /**
   * Adds indexes, at any time. The content is indexed at once, and nothing is announced (S11).
   *
   * @returns the same indexer, with a type that knows the new indexes
   * @throws `RXI_INDEXER_CONFLICT` if an index of this name exists; then no index is added
   */
  addIndexers<J extends string>(indexers: Indexers<T, J>): Indexer<T, I | J>;
}

/** Options of `createIndexer`. */
export interface IndexerOptions extends CollectionOptions, SnapshotOptions, ReportOptions, SlowSubscriberOptions {
  /** The clock of resyncs and of the first delivery to handlers. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * Creates an empty indexed store to which the caller adds objects.
 *
 * **Guarantees**: G1–G3 and G10, as for an informer. When a call returns, all reads show its
 * effect. **Errors**: `errors$` emits the errors of index functions (▲ S7).
 *
 * @param keyOf returns the key of an object, for example `metaNamespaceKey`
 * @param indexers the index functions by the names of their indexes
 * @param options the resource, the clock, and how objects are kept and errors are reported
 * @returns an indexer, which is a collection like an informer
 * @example
 * const services = createIndexer((service: { name: string; team: string }) => service.name, {
 *   team: (service) => service.team,
 * });
 * services.add({ name: 'login', team: 'red' });
 * services.byIndex$('team', 'red').subscribe((red) => console.log(red.length));
 */
export function createIndexer<T, I extends string = never>(
  keyOf: KeyFunction<T>,
  indexers: Indexers<T, I> = {} as Indexers<T, I>,
  options: IndexerOptions = {},
): Indexer<T, I> {
  checkNames<IndexerOptions>('an option of createIndexer', options, () => ({
    ...collectionOptionNames,
    freeze: 1,
    scheduler: 1,
  }));
  return new HandFedIndexer<T, I>(keyOf, indexers, options);
}

/** Implements an indexer as a cache without a connection: the caller provides the deltas. */
class HandFedIndexer<T, I extends string> extends LogCollection<T, I> implements Indexer<T, I> {
  readonly errors$: Observable<InformerError>;
  readonly status: SourceStatus;
  readonly status$: Observable<SourceStatus>;
  readonly isRunning = true;
  readonly #cache: Cache<T>;

  constructor(
    private readonly keyOf: KeyFunction<T>,
    indexers: Indexers<T, I>,
    options: IndexerOptions,
  ) {
    const scheduler = steady(options.scheduler);
    const named = { ...options, name: options.name ?? unnamedIndexer };
    const { errors$, report } = new ErrorStream(named, scheduler);
    const cache = new Cache<T>({ ...options, keyOf, indexers }, { error: report, failed: rethrow }, scheduler);
    const slow = new SlowSubscribers(named, scheduler);
    super({
      resource: options.resource,
      name: named.name,
      inputs: [],
      log: cache.log,
      retain: () => undefined,
      report,
      slow,
      scheduler,
      isPartitioned: keyOf.isPartitioned === true,
      isFilledByCaller: true,
    });
    this.#cache = cache;
    this.errors$ = errors$;
    this.status = { state: 'watching', since: wallTime(scheduler), resourceVersion: '' };
    this.status$ = new BehaviorSubject(this.status).asObservable();
  }

  override whenSynced(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    return whenEmitted(this.synced$, options);
  }

  add(object: T): void {
    this.apply([{ type: 'Added', key: this.#keyed(object).key, object }]);
  }

  update(object: T): void {
    this.apply([{ type: 'Updated', key: this.#keyed(object).key, object }]);
  }

  delete(objectOrKey: T | string): void {
    const { key, object } =
      typeof objectOrKey === 'string' ? { key: objectOrKey, object: undefined } : this.#keyed(objectOrKey);
    this.apply([{ type: 'Deleted', key, object, finalStateUnknown: object === undefined }]);
  }

  replace(objects: readonly T[], resourceVersion = ''): void {
    this.apply([{ type: 'ReplacedAll', items: objects.map((object) => this.#keyed(object)), resourceVersion }]);
  }

  resync(): void {
    this.apply(this.keys().map((key) => ({ type: 'Sync', key })));
  }

  apply(deltas: readonly Delta<T>[]): void {
    this.#cache.apply(deltas);
  }

  addIndexers<J extends string>(indexers: Indexers<T, J>): Indexer<T, I | J> {
    this.#cache.addIndexers(indexers);
    return this as unknown as Indexer<T, I | J>;
  }

  #keyed(object: T): KeyedObject<T> {
    const key = keyOrError(object, undefined, this.keyOf);
    if (typeof key === 'string') return { key, object };
    throw key;
  }
}

function rethrow(error: unknown): never {
  throw error;
}
