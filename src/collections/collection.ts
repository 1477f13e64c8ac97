import type { Observable } from 'rxjs';
import type { Resource } from '../kubernetes/resource.js';
import type { CheckedSelector, LabelSelector } from '../kubernetes/selector.js';
import type { QueryResult, Query } from '../queries/query.js';
import type { SourceStatus } from '../sources/model/watch-event.js';
import type { ChangeSet } from '../store/change.js';
import type { Reads, Snapshot } from '../store/snapshot.js';
import type { InformerError } from './errors.js';

/** Options that describe the objects of a collection. */
export interface CollectionOptions {
  /**
   * The resource of the objects. Default: the resource of the source, if it has one. A source keeps
   * it through an operator with `through`, but not with `pipe`. An indexer has none.
   */
  readonly resource?: Resource<unknown> | undefined;
}

// `LogCollection` (log-collection.ts) implements the streams and `until`.
/**
 * A keyed set of objects that you can read and follow. Informers, indexers and derived collections
 * are Collections. Controllers, views and test helpers accept any Collection.
 *
 * **Guarantees**: each stream emits the state first, then changes (G1). `byIndex$` emits exactly
 * when its bucket changed (G2). One commit is one round of notifications, in which every stream
 * shows the same commit (G3). Live queries emit their first value when the collection has synced.
 */
export interface Collection<T, I extends string = string> extends Reads<T, I> {
  /**
   * The resource of the objects; `undefined` if the collection does not know it. Owner lookups,
   * owner references and events take apiVersion and kind from it.
   *
   * An informer takes it from its source. Sources of `listWatch` have one, and so have `overlay`,
   * `mergeSources` and `through` over sources of one resource. For any other source, and for an
   * indexer, pass the option `resource`.
   */
  readonly resource: Resource<unknown> | undefined;
  /** The current version. Reads on the collection itself are reads of this version. */
  readonly snapshot: Snapshot<T, I>;
  /** Emits the current version once the collection has synced, then each with other content. */
  readonly snapshot$: Observable<Snapshot<T, I>>;
  /** Emits the state as one change set with reason `initial`, then every later change set. */
  readonly changes$: Observable<ChangeSet<T>>;

  /** Is true while the collection is connected to its source. Always true for an indexer. */
  readonly isRunning: boolean;
  /** The status of the source. An indexer is always `watching`. */
  readonly status: SourceStatus;
  /** Emits the status and each change of it. It only observes: it does not start the source. */
  readonly status$: Observable<SourceStatus>;
  /**
   * Emits each failure as it happens; late subscribers do not receive earlier ones. It only
   * observes. The collection recovers by itself after each error.
   */
  readonly errors$: Observable<InformerError>;

  /** Is true from the first content on, even if the connection is lost (I8). */
  readonly hasSynced: boolean;
  /** Emits once, when synced, and completes. */
  readonly synced$: Observable<void>;
  /**
   * Resolves when the collection has synced.
   *
   * @throws (rejects) the signal's reason when aborted, and `RXI_NOT_RUNNING` if an informer is not
   *   running or stops before it has synced
   */
  whenSynced(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;

  /**
   * Returns all objects, or only the objects that a label selector matches, in key order.
   *
   * @throws `RXI_INVALID_SELECTOR`
   */
  list<S extends LabelSelector>(selector?: CheckedSelector<S>): readonly T[];
  /**
   * Returns the answer of a query in the current version.
   *
   * @throws `RXI_UNKNOWN_INDEX`, and any error of the query's functions
   * @example
   * const pods = podInformer.query(bucket('node', 'worker-1'));
   */
  query<R>(query: Query<T, R, I>): QueryResult<R, T>;
  /**
   * Emits the answer of a query when the collection has synced, and again whenever the answer
   * differs by the query's `isEqual`. `byIndex$`, `get$`, `list$`, `indexValues$`, `index$` and
   * `select$` are short forms of `query$`.
   *
   * If a function of the query throws, `errors$` emits an `RXI_SELECT`, the stream keeps its last
   * value, and the function is called again for the next version.
   *
   * **Guarantees**: G1–G3, G4; a commit that touches nothing of the query's footprint costs nothing
   * (G10).
   *
   * @throws `RXI_UNKNOWN_INDEX`, thrown by this call and not by the stream
   * @example
   * podInformer.query$(bucketSize('node', 'worker-1')).subscribe((count) => console.log(count));
   */
  query$<R>(query: Query<T, R, I>): Observable<QueryResult<R, T>>;
  /**
   * Resolves with the object under a key as soon as `predicate` returns true for it, which may be
   * at once. For tests and scripts. `predicate` is called with the current object and with each
   * later version, or with `undefined` if the object does not exist. So you can wait for a
   * deletion, and for an object that does not exist yet.
   *
   * It keeps the collection running while it waits. If the condition is never met, the promise
   * stays pending; pass a signal to limit the wait.
   *
   * @throws (rejects) the signal's reason when aborted, `RXI_NOT_RUNNING` if the informer is
   *   stopped or its source completes, and any error of `predicate`
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
   * @throws `RXI_UNKNOWN_INDEX`, thrown by this call and not by the stream
   */
  byIndex$(name: I, value: string): Observable<readonly T[]>;
  /**
   * Emits the state of one bucket as one change set, then its later changes. An object that enters
   * the bucket is `added`. An object that leaves it is `deleted`, in its last state within the
   * bucket.
   *
   * Each set contains the net effect of one commit on each key. A resync changes nothing, so it
   * emits nothing here.
   *
   * @throws `RXI_UNKNOWN_INDEX`, thrown by this call and not by the stream
   */
  byIndexChanges$(name: I, value: string): Observable<ChangeSet<T>>;
  /** Emits the object under a key, and `undefined` while there is none. */
  get$(key: string): Observable<T | undefined>;
  /**
   * Emits all objects, or only the objects that a label selector matches, in key order.
   *
   * @throws `RXI_INVALID_SELECTOR`, thrown by this call and not by the stream
   */
  list$<S extends LabelSelector>(selector?: CheckedSelector<S>): Observable<readonly T[]>;
  /**
   * Emits the values of an index that have at least one object, sorted, and again whenever a value
   * appears or disappears.
   *
   * @throws `RXI_UNKNOWN_INDEX`, thrown by this call and not by the stream
   */
  indexValues$(name: I): Observable<readonly string[]>;
  /**
   * Emits the objects that share an index value with `object` (S10).
   *
   * @throws `RXI_UNKNOWN_INDEX` and any error of the index function, thrown by this call and not by
   *   the stream
   */
  index$(name: I, object: T): Observable<readonly T[]>;
  /**
   * Emits a value computed from the current version, then the value of each later version if it
   * differs from the last emitted value. Use it to combine several queries: `project` reads one
   * version, so an object that moves between two buckets is always in exactly one of them. With
   * `combineLatest`, such an object can be in none or in both.
   *
   * If `project` or `isEqual` throws, `errors$` emits an `RXI_SELECT`, the stream keeps its last
   * value, and the function is called again for the next version.
   *
   * Each version costs one call of both functions for each subscriber, regardless of what changed.
   * For a single bucket or object, `byIndex$` and `get$` cost less.
   *
   * **Guarantees**: G1–G3, G4.
   *
   * @param project returns the value; it must be pure
   * @param isEqual compares two values; default: two arrays by their elements, everything else by
   *   `Object.is`
   * @example
   * const crowded$ = podInformer.select$(
   *   (snapshot) => snapshot.byIndex('node', 'n1').length > snapshot.byIndex('node', 'n2').length,
   * );
   */
  select$<const R>(project: (snapshot: Snapshot<T, I>) => R, isEqual?: (a: R, b: R) => boolean): Observable<R>;
}
