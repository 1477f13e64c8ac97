import type { Observable } from 'rxjs';
import type { Resource } from '../kubernetes/resource.js';
import type { LabelSelector } from '../kubernetes/selector.js';
import type { Answer, Query } from '../queries/query.js';
import type { SourceStatus } from '../sources/model/watch-event.js';
import type { ChangeSet } from '../store/change.js';
import type { Snapshot } from '../store/snapshot.js';
import type { InformerError } from './errors.js';

/** Options that describe the objects of a collection. */
export interface CollectionOptions {
  /**
   * The resource of the objects. Default: the resource of the source, if the source has one;
   * operators piped onto a source do not keep it. An indexer has none.
   */
  readonly resource?: Resource<unknown> | undefined;
}

/**
 * Offers a keyed set of objects that can be read now and followed from now on. Informers, indexers
 * and everything derived from them are Collections, and controllers, views and test suites take
 * one.
 *
 * **Guarantees**: state, then changes (G1). `byIndex$` emits exactly when its bucket changed (G2).
 * One commit is one round of notifications, in which every stream shows the same commit (G3). Live
 * queries emit their first value once synced.
 */
export interface Collection<T, I extends string = string> {
  /**
   * The resource of the objects; `undefined` if the collection does not know it. Owner lookups,
   * owner references and events take apiVersion and kind from it.
   *
   * An informer takes it from its source: `listWatch`, and `overlay` and `mergeSources` over
   * sources of one resource. For any other source, and for an indexer, pass the option `resource`.
   */
  readonly resource: Resource<unknown> | undefined;
  /** The current version. Reads on the collection itself are reads of this version. */
  readonly snapshot: Snapshot<T, I>;
  /** Emits the current version once synced, then every version with a different content. */
  readonly snapshot$: Observable<Snapshot<T, I>>;
  /** Emits the state as one change set with reason `initial`, then every later change set. */
  readonly changes$: Observable<ChangeSet<T>>;

  /**
   * Is true while something keeps the collection connected to its source. Always true for an
   * indexer.
   */
  readonly isRunning: boolean;
  /** The status of the source. An indexer is always `watching`. */
  readonly status: SourceStatus;
  /**
   * Emits the status, and again whenever it changes. It only observes: it does not start the
   * source.
   */
  readonly status$: Observable<SourceStatus>;
  /**
   * Emits each failure as it happens; late subscribers do not receive earlier ones. It only
   * observes. The collection recovers by itself after each error.
   */
  readonly errors$: Observable<InformerError>;

  /** Is true once the first content is there. A lost connection does not reset it (I8). */
  readonly hasSynced: boolean;
  /** Emits once, when synced, and completes. */
  readonly synced$: Observable<void>;
  /**
   * Resolves when the collection has synced.
   *
   * @throws (rejects) the signal's reason when aborted, and `NotRunningError` if an informer is not
   *   running or stops before
   */
  whenSynced(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;

  /**
   * Returns the answer of a query in the current version.
   *
   * @throws `UnknownIndexError`, and what a function of the query throws
   * @example
   * const pods = podInformer.query(bucket('node', 'worker-1'));
   */
  query<R>(query: Query<T, R, I>): Answer<R, T>;
  /**
   * Emits the answer of a query once synced, and again whenever it differs by the query's `isEqual`.
   * `byIndex$`, `get$`, `list$`, `indexValues$`, `index$` and `select$` are short forms of it.
   *
   * If a function of the query throws, `errors$` emits a `SelectError`, the stream keeps its last
   * value, and the next version is tried again.
   *
   * **Guarantees**: G1–G3, G4; a commit that touches nothing of the query's footprint costs nothing (G10).
   *
   * @throws `UnknownIndexError`, here and not in the stream
   * @example
   * podInformer.query$(bucketSize('node', 'worker-1')).subscribe((count) => console.log(count));
   */
  query$<R>(query: Query<T, R, I>): Observable<Answer<R, T>>;
  /**
   * Resolves with the object under a key as soon as `predicate` returns true for it, which may be at
   * once; for tests and scripts. `predicate` is called with the current object and with each later
   * one, and with `undefined` while there is none: as `kubectl wait`, it can wait for a deletion, and
   * unlike `kubectl wait` for an object that does not exist yet.
   *
   * It keeps the collection running while it waits. It waits for ever if the condition is never met:
   * pass a signal.
   *
   * @throws (rejects) the signal's reason when aborted, `NotRunningError` if the informer is stopped
   * or its source completes, and what `predicate` throws
   * @example
   * const signal = AbortSignal.timeout(30_000);
   * await podInformer.until('web/a', (pod) => pod?.status?.phase === 'Running', { signal });
   * await podInformer.until('web/a', (pod) => pod === undefined, { signal });
   */
  until(
    key: string,
    predicate: (object: T | undefined) => boolean,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<T | undefined>;

  /**
   * Emits the objects of one bucket in key order, and again whenever an object of it is added,
   * removed or changed.
   *
   * @throws UnknownIndexError, here and not in the stream
   */
  byIndex$(name: I, value: string): Observable<readonly T[]>;
  /**
   * Emits the changes of one bucket, the state first. An object that enters is `added`, one that
   * leaves is `deleted`, with the object as it was in the bucket.
   *
   * Each set has the net effect of one commit on each key, so a resync, which changes nothing, is
   * not in it.
   *
   * @throws UnknownIndexError, here and not in the stream
   */
  byIndexChanges$(name: I, value: string): Observable<ChangeSet<T>>;
  /** Emits the object under a key, and `undefined` while there is none. */
  get$(key: string): Observable<T | undefined>;
  /**
   * Emits all objects, or those that a label selector matches, in key order.
   *
   * @throws InvalidSelectorError, here and not in the stream
   */
  list$(selector?: LabelSelector): Observable<readonly T[]>;
  /**
   * Emits the values of an index that have at least one object, sorted, and again whenever a value
   * appears or disappears.
   *
   * @throws UnknownIndexError, here and not in the stream
   */
  indexValues$(name: I): Observable<readonly string[]>;
  /**
   * Emits the objects that share an index value with `object` (S10).
   *
   * @throws UnknownIndexError and what the index function throws, here and not in the stream
   */
  index$(name: I, object: T): Observable<readonly T[]>;
  /**
   * Emits a value computed from the current version, then the value of each later version if it
   * differs. Combine several queries with it: all that `project` reads is of one version, so an
   * object that moves between two buckets is never missing from both, nor in both, as it can be with
   * `combineLatest`.
   *
   * If `project` or `isEqual` throws, `errors$` emits a `SelectError`, the stream keeps its last
   * value, and the next version is tried again.
   *
   * Each version costs one call of both functions for each subscriber, whatever changed. For a
   * single bucket or object, `byIndex$` and `get$` cost less.
   *
   * **Guarantees**: G1–G3, G4.
   *
   * @param project returns the value; it must be pure
   * @param isEqual compares two values; default `Object.is`, and element by element for two arrays
   * @example
   * const crowded$ = podInformer.select$(
   *   (snapshot) => snapshot.byIndex('node', 'n1').length > snapshot.byIndex('node', 'n2').length,
   * );
   */
  select$<const R>(project: (snapshot: Snapshot<T, I>) => R, isEqual?: (a: R, b: R) => boolean): Observable<R>;
}
