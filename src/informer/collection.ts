import type { Observable } from 'rxjs';
import type { Resource } from '../kubernetes/resource.js';
import type { LabelSelector } from '../kubernetes/selector.js';
import type { Answer, Query } from '../queries/query.js';
import type { SourceStatus } from '../sources/model/watch-event.js';
import type { ChangeSet } from '../store/change.js';
import type { Snapshot } from '../store/snapshot.js';
import type { InformerError } from './errors.js';

/** What the creator of a collection states about its objects. */
export interface CollectionOptions {
  /**
   * The resource whose objects these are. Default: that of the source, if the source says it;
   * operators piped onto a source do not keep it. An indexer has none.
   */
  readonly resource?: Resource<unknown> | undefined;
}

/**
 * A keyed set of objects that can be read now and followed from now on: what an informer, an indexer, and whatever is
 * derived from them have in common. Controllers, views and test suites take a Collection.
 *
 * **Guarantees**: state, then changes (G1); `byIndex$` emits exactly when its bucket changed (G2); one commit, one round
 * of notifications, in which every stream shows the same commit (G3); live queries give their first value once synced.
 */
export interface Collection<T, I extends string = string> {
  /**
   * The resource whose objects these are, `undefined` if the collection does not know it. Owner
   * lookups, owner references and events take kind and apiVersion from it.
   *
   * An informer has it from its source: `listWatch`, and `overlay` and `mergeSources` over sources
   * of one resource. For any other source, and for an indexer, give the option `resource`.
   */
  readonly resource: Resource<unknown> | undefined;
  /** The current version; reads on the collection itself are reads of this one. */
  readonly snapshot: Snapshot<T, I>;
  /** The current version once synced, then every version whose content differs. */
  readonly snapshot$: Observable<Snapshot<T, I>>;
  /** The state as one change set with reason `initial`, then every later change set. */
  readonly changes$: Observable<ChangeSet<T>>;

  /** False while nothing keeps it connected. Always true for an indexer. */
  readonly isRunning: boolean;
  /** What the source is doing. An indexer is always `watching`. */
  readonly status: SourceStatus;
  /** The status, and again whenever it changes. It observes only: it does not start the source. */
  readonly status$: Observable<SourceStatus>;
  /**
   * What failed, as it happens; nothing is kept for late subscribers. It observes only. The collection
   * goes on by itself after each error.
   */
  readonly errors$: Observable<InformerError>;

  /** True from the first content on; a lost connection does not reset it (I8). */
  readonly hasSynced: boolean;
  /** Emits once, when synced, and completes. */
  readonly synced$: Observable<void>;
  /** Resolves when synced; rejects with the signal's reason when aborted. */
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

  /** One bucket: its objects in key order, again whenever an object entered, left or changed. */
  byIndex$(name: I, value: string): Observable<readonly T[]>;
  /**
   * The changes of one bucket, state first: entering is `added`, leaving is `deleted` (with the object as it was in the bucket).
   * Each set holds the net effect of one commit on each key, so a resync, which changes nothing, is not in it.
   */
  byIndexChanges$(name: I, value: string): Observable<ChangeSet<T>>;
  /** One object, `undefined` while it does not exist. */
  get$(key: string): Observable<T | undefined>;
  /** All objects, or those that a label selector matches, in key order. */
  list$(selector?: LabelSelector): Observable<readonly T[]>;
  /** The values that have at least one object, in order, again whenever one appears or disappears. */
  indexValues$(name: I): Observable<readonly string[]>;
  /** The objects that share an index value with `object` (S10). */
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
