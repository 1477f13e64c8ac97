import { filter, map, take, throwIfEmpty, type Observable } from 'rxjs';
import type { Resource } from '../kubernetes/resource.js';
import type { CheckedSelector, LabelSelector } from '../kubernetes/selector.js';
import { bucket, buckets, indexValues } from '../queries/bucket-queries.js';
import { allObjects, matching, objectByKey, select } from '../queries/object-queries.js';
import { isSameValue, type Answer, type Footprint, type Query } from '../queries/query.js';
import { whenEmitted } from '../scheduling/on-abort.js';
import type { SourceStatus } from '../sources/model/watch-event.js';
import type { ChangeSet } from '../store/change.js';
import type { Indexers } from '../store/index-functions.js';
import type { IndexedSnapshot } from '../store/indexed-snapshot.js';
import { computeIndexValues, forEachIndexValue } from '../store/indexing.js';
import type { ReadCollection } from '../store/pure-function.js';
import type { Reads, BucketReads, Snapshot } from '../store/snapshot.js';
import type { Collection, CollectionOptions } from './collection.js';
import { NotRunningError, type InformerError } from './errors.js';
import { bucketChanges, liveChanges, liveAnswer, liveQuery, type LiveQueryContext } from './live-query.js';
import { noteRead, type StreamName } from './reports.js';

const everything: Footprint = { type: 'all' };

/** The key of the internals of a collection. It is the same in every copy of this package. */
const internals = Symbol.for('rx-informers.collection');

/** The internals of a collection, which `addEventHandler` and derived collections use. */
export type CollectionInternals<T> = LiveQueryContext<T> &
  ReadCollection & {
    /** True if all keys begin with a partition, as `partitionedKey` makes them. */
    readonly isPartitioned: boolean;
  };

/** Returns the internals. Throws `TypeError` for a collection not of this package. */
export function internalsOf<T>(collection: Collection<T>): CollectionInternals<T> {
  const known = knownInternals(collection);
  if (known !== undefined) return known;
  throw new TypeError('the collection must be an informer, an indexer or a derived collection of this package');
}

/** Returns the internals of a collection of this package, `undefined` for another collection. */
export function knownInternals<T>(collection: Collection<T>): CollectionInternals<T> | undefined {
  return (collection as { readonly [internals]?: CollectionInternals<T> })[internals];
}

/** Implements reads and live queries of collections with a commit log. */
export abstract class LogCollection<T, I extends string> implements Collection<T, I>, Reads<T, I> {
  readonly snapshot$: Observable<Snapshot<T, I>>;
  readonly changes$: Observable<ChangeSet<T>>;
  readonly synced$: Observable<void>;
  readonly announcementTimes$: Observable<number>;
  readonly announcementDelays$: Observable<number>;
  readonly resource: Resource<unknown> | undefined;

  /** @internal */
  readonly [internals]: CollectionInternals<T>;

  protected constructor(protected readonly context: CollectionInternals<T> & CollectionOptions) {
    this[internals] = context;
    this.resource = context.resource;
    this.announcementTimes$ = context.log.announcementTimes.asObservable();
    this.announcementDelays$ = context.log.announcementDelays.asObservable();
    const version = select((snapshot: Snapshot<T, I>) => snapshot, Object.is);
    this.snapshot$ = this.#live(['snapshot$'], version);
    this.changes$ = liveQuery(
      context,
      ['changes$'],
      everything,
      liveChanges(
        ({ parts }) => parts.items,
        ({ commit }) => commit.changes,
      ),
    );
    // `synced$` takes no reference, so waiting for a sync does not keep the source connected.
    this.synced$ = this.#live(['synced$'], version, { ...context, retain: () => undefined }).pipe(
      take(1),
      map(() => undefined),
    );
  }

  abstract readonly errors$: Observable<InformerError>;
  abstract readonly status$: Observable<SourceStatus>;
  abstract get status(): SourceStatus;
  abstract get isRunning(): boolean;

  abstract whenSynced(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;

  get snapshot(): Snapshot<T, I> {
    noteRead(this.context);
    return asTyped(this.context.log.latest);
  }

  get hasSynced(): boolean {
    return this.snapshot.version > 0;
  }

  get indexers(): Indexers<T, I> {
    return this.context.log.latest.indexers as Indexers<T> as Indexers<T, I>;
  }

  get(key: string): T | undefined {
    return this.snapshot.get(key);
  }

  has(key: string): boolean {
    return this.snapshot.has(key);
  }

  list(): readonly T[] {
    return this.snapshot.list();
  }

  keys(): readonly string[] {
    return this.snapshot.keys();
  }

  byIndex(name: I, value: string): readonly T[] {
    return this.snapshot.byIndex(name, value);
  }

  index(name: I, object: T): readonly T[] {
    return this.snapshot.index(name, object);
  }

  indexKeys(name: I, value: string): readonly string[] {
    return this.snapshot.indexKeys(name, value);
  }

  indexValues(name: I): readonly string[] {
    return this.snapshot.indexValues(name);
  }

  query<R>(query: Query<T, R, I>): Answer<R, T> {
    return query.read(this.snapshot) as Answer<R, T>;
  }

  query$<R>(query: Query<T, R, I>): Observable<Answer<R, T>> {
    return this.#live([`query$(${query.id ?? ''})`], query);
  }

  byIndex$(name: I, value: string): Observable<readonly T[]> {
    return this.#live(['byIndex$', name, value], bucket(name, value));
  }

  get$(key: string): Observable<T | undefined> {
    return this.#live(['get$', key], objectByKey(key));
  }

  list$<S extends LabelSelector>(selector?: CheckedSelector<S>): Observable<readonly T[]> {
    return this.#live(['list$'], selector === undefined ? allObjects() : matching(selector));
  }

  indexValues$(name: I): Observable<readonly string[]> {
    return this.#live(['indexValues$', name], indexValues(name));
  }

  index$(name: I, object: T): Observable<readonly T[]> {
    return this.#live(['index$', name], buckets(name, this.#valuesOf(name, object)));
  }

  select$<R>(project: (snapshot: Snapshot<T, I>) => R, isEqual: (a: R, b: R) => boolean = isSameValue): Observable<R> {
    return this.#live(['select$'], select(project, isEqual)) as Observable<R>;
  }

  until(
    key: string,
    predicate: (object: T | undefined) => boolean,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<T | undefined> {
    const met$ = this.#live(['until', key], objectByKey(key)).pipe(
      filter(predicate),
      throwIfEmpty(() => new NotRunningError('stopped-before-met')),
    );
    return whenEmitted(met$, options);
  }

  byIndexChanges$(name: I, value: string): Observable<ChangeSet<T>> {
    const { footprint } = bucket(name, value);
    this.#check(footprint);
    const bucketOf = (snapshot: IndexedSnapshot<T>): BucketReads<T> | undefined => snapshot.bucket(name, value);
    return liveQuery(
      this.context,
      ['byIndexChanges$', name, value],
      footprint,
      liveChanges(bucketOf, (announcement, keys) => {
        const { previous, commit } = announcement;
        return bucketChanges(bucketOf(previous), bucketOf(commit.snapshot), keys, announcement);
      }),
    );
  }

  #live<R>(stream: StreamName, query: Query<T, R, I>, context = this.context): Observable<Answer<R, T>> {
    this.#check(query.footprint);
    return liveQuery(context, stream, query.footprint, liveAnswer(query as Query<T, Answer<R, T>>, stream, context));
  }

  /** Throws `UnknownIndexError` in the call, where the mistake is, and not in a stream (S8). */
  #check(footprint: Footprint): void {
    if ('index' in footprint) this.context.log.latest.parts.schema.position(footprint.index);
  }

  #valuesOf(name: I, object: T): readonly string[] {
    this.#check({ type: 'range', index: name });
    const values: string[] = [];
    forEachIndexValue(computeIndexValues(this.indexers[name], object), (value) => values.push(value));
    return values;
  }
}

/** Adds the names of indexes to the type, which the collection knows but not the log. */
function asTyped<T, I extends string>(snapshot: IndexedSnapshot<T>): Snapshot<T, I> {
  return snapshot;
}
