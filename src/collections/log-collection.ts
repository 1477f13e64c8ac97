import { filter, map, take, throwIfEmpty, type Observable } from 'rxjs';
import { invalidOptionError } from '../kubernetes/errors.js';
import { invalidKeyError } from '../kubernetes/keys.js';
import type { Resource } from '../kubernetes/resource.js';
import type { CheckedSelector, LabelSelector } from '../kubernetes/selector.js';
import { bucket, buckets, indexValues } from '../queries/bucket-queries.js';
import { allObjects, matching, objectByKey, select } from '../queries/object-queries.js';
import { isSameValue, type QueryResult, type Footprint, type Query } from '../queries/query.js';
import { whenEmitted } from '../scheduling/when-emitted.js';
import type { SourceStatus } from '../sources/model/watch-event.js';
import type { ChangeSet } from '../store/change.js';
import type { Indexers } from '../store/index-functions.js';
import { computeIndexValues, forEachIndexValue } from '../store/index-values.js';
import type { IndexedSnapshot } from '../store/indexed-snapshot.js';
import type { ReadCollection } from '../store/pure-function.js';
import type { BucketReads, Snapshot } from '../store/snapshot.js';
import type { Collection, CollectionOptions } from './collection.js';
import { type InformerError, notRunningError } from './errors.js';
import { bucketChanges, liveChanges, liveAnswer, liveQuery, type LiveQueryContext } from './live-query.js';
import { noteFirstRead, noteRead, type StreamName } from './reports.js';

const everything: Footprint = { type: 'all' };

/** The internals of a collection, which `addEventHandler` and derived collections use. */
export type CollectionInternals<T> = LiveQueryContext<T> &
  ReadCollection & {
    /** True if all keys begin with a partition, as `partitionedKey` makes them. */
    readonly isPartitioned: boolean;
    /** True if all keys are `namespace/name`. */
    readonly hasNamespaces?: boolean;
    /** Returns true once the collection was started; `undefined` if it needs no start. */
    readonly hasStarted?: () => boolean;
    /** True if the caller adds the objects. */
    readonly isFilledByCaller?: boolean;
  };

/** Returns the internals. Throws `RXI_INVALID_OPTION` for a collection not of this package. */
export function internalsOf<T>(collection: Collection<T>): CollectionInternals<T> {
  const known = knownInternals(collection);
  if (known !== undefined) return known;
  throw invalidOptionError(
    'the collection',
    collection,
    'an informer, an indexer or a derived collection of this package',
  );
}

/** Returns the internals of a collection of this package, `undefined` for another collection. */
export function knownInternals<T>(collection: Collection<T>): CollectionInternals<T> | undefined {
  return (collection as { readonly internals?: CollectionInternals<T> }).internals;
}

/**
 * Emits what `query$` emits, for a subscriber that is a part of this package: the subscriber is not
 * reported as slow. A collection that is not of this package has only its public stream.
 */
export function internalQuery<T, R, I extends string>(
  collection: Pick<Collection<T, I>, 'query$'>,
  query: Query<T, R, I>,
): Observable<QueryResult<R, T>> {
  const internals = knownInternals(collection as Collection<T>);
  return internals === undefined
    ? collection.query$(query)
    : live(internals, [`query$(${query.id ?? ''})`], query, untimed(internals));
}

/** Emits what `snapshot$` emits, for a subscriber that is a part of this package. */
export function internalSnapshots<T>(collection: Pick<Collection<T>, 'snapshot$'>): Observable<Snapshot<T>> {
  const internals = knownInternals(collection as Collection<T>);
  return internals === undefined ? collection.snapshot$ : live(untimed(internals), ['snapshot$'], anyVersion<T>());
}

/** Emits what `changes$` emits, for a subscriber that is a part of this package. */
export function internalChanges<T>(collection: Pick<Collection<T>, 'changes$'>): Observable<ChangeSet<T>> {
  const internals = knownInternals(collection as Collection<T>);
  return internals === undefined ? collection.changes$ : changes(untimed(internals));
}

function untimed<T>(context: LiveQueryContext<T>): LiveQueryContext<T> {
  return { ...context, slow: undefined };
}

/** @param ofSubscriber the context of the subscriber; functions of the query have `context` */
function live<T, R, I extends string>(
  context: LiveQueryContext<T>,
  stream: StreamName,
  query: Query<T, R, I>,
  ofSubscriber = context,
): Observable<QueryResult<R, T>> {
  const { footprint } = query;
  checkIndexOf(context, footprint);
  const answer = liveAnswer(query as Query<T, QueryResult<R, T>>, stream, context);
  return liveQuery(ofSubscriber, stream, footprint, answer);
}

function anyVersion<T>(): Query<T, Snapshot<T>, never> {
  return select((snapshot: Snapshot<T>) => snapshot, Object.is);
}

function changes<T>(context: LiveQueryContext<T>): Observable<ChangeSet<T>> {
  return liveQuery(
    context,
    ['changes$'],
    everything,
    liveChanges(
      ({ parts }) => parts.items,
      ({ commit }) => commit.changes,
    ),
  );
}

/** Throws `RXI_UNKNOWN_INDEX` in the call, where the mistake is, and not in a stream (S8). */
function checkIndexOf<T>({ log }: LiveQueryContext<T>, footprint: Footprint): void {
  if ('index' in footprint) log.latest.parts.schema.position(footprint.index);
}

/** Implements reads and live queries of collections with a commit log. */
export abstract class LogCollection<T, I extends string> implements Collection<T, I> {
  readonly snapshot$: Observable<Snapshot<T, I>>;
  readonly changes$: Observable<ChangeSet<T>>;
  readonly synced$: Observable<void>;
  readonly announcementTimes$: Observable<number>;
  readonly announcementDelays$: Observable<number>;
  readonly resource: Resource<unknown> | undefined;
  /** Throws `RXI_INVALID_KEY` for a key that no object can have. Only in development. */
  readonly #checkKey: ((key: unknown) => void) | undefined;
  /** Reports the first read if the collection is not started soon. Only in development. */
  #noteFirstRead: (() => void) | undefined;

  protected constructor(
    /**
     * What `addEventHandler` and derived collections use.
     *
     * @internal
     */
    readonly internals: CollectionInternals<T> & CollectionOptions,
  ) {
    const context = internals;
    this.resource = context.resource;
    // The form of `isDevelopment` that a bundler can evaluate; read once, because it is slow.
    try {
      if (process.env.NODE_ENV !== 'production') throw new Error('development');
    } catch {
      this.#checkKey = (key) => {
        const { hasNamespaces = false, resource } = context;
        if (typeof key === 'string' && (!hasNamespaces || key.includes('/'))) return;
        const form = hasNamespaces ? `'namespace/name', because ${resource?.plural} have a namespace` : 'a text';
        throw invalidKeyError(
          typeof key === 'string' ? key : 'an object',
          `${form}; metaNamespaceKey(object) returns the key of an object`,
        );
      };
      const { hasStarted, name } = context;
      if (hasStarted !== undefined)
        this.#noteFirstRead = () => {
          this.#noteFirstRead = undefined;
          noteFirstRead(name, hasStarted);
        };
    }
    this.announcementTimes$ = context.log.announcementTimes.asObservable();
    this.announcementDelays$ = context.log.announcementDelays.asObservable();
    const version = select((snapshot: Snapshot<T, I>) => snapshot, Object.is);
    this.snapshot$ = this.#live(['snapshot$'], version);
    this.changes$ = changes(context);
    // `synced$` takes no reference, so waiting for a sync does not keep the source connected.
    this.synced$ = live({ ...untimed(context), retain: () => undefined }, ['synced$'], version).pipe(
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
    noteRead(this.internals);
    return asTyped(this.internals.log.latest);
  }

  get hasSynced(): boolean {
    // `SnapshotDraft` counts versions from the first whole list on.
    return this.snapshot.version > 0;
  }

  get indexers(): Indexers<T, I> {
    return this.internals.log.latest.indexers as Indexers<T> as Indexers<T, I>;
  }

  /** The version for a read by the caller. */
  get #toRead(): Snapshot<T, I> {
    this.#noteFirstRead?.();
    return this.snapshot;
  }

  get(key: string): T | undefined {
    this.#checkKey?.(key);
    return this.#toRead.get(key);
  }

  has(key: string): boolean {
    this.#checkKey?.(key);
    return this.#toRead.has(key);
  }

  list<S extends LabelSelector>(selector?: CheckedSelector<S>): readonly T[] {
    return selector === undefined ? this.#toRead.list() : this.query(matching<T, S>(selector));
  }

  keys(): readonly string[] {
    return this.#toRead.keys();
  }

  byIndex(name: I, value: string): readonly T[] {
    return this.#toRead.byIndex(name, value);
  }

  index(name: I, object: T): readonly T[] {
    return this.#toRead.index(name, object);
  }

  indexKeys(name: I, value: string): readonly string[] {
    return this.#toRead.indexKeys(name, value);
  }

  indexValues(name: I): readonly string[] {
    return this.#toRead.indexValues(name);
  }

  query<R>(query: Query<T, R, I>): QueryResult<R, T> {
    return query.read(this.#toRead) as QueryResult<R, T>;
  }

  query$<R>(query: Query<T, R, I>): Observable<QueryResult<R, T>> {
    return this.#live([`query$(${query.id ?? ''})`], query);
  }

  byIndex$(name: I, value: string): Observable<readonly T[]> {
    return this.#live(['byIndex$', name, value], bucket(name, value));
  }

  get$(key: string): Observable<T | undefined> {
    this.#checkKey?.(key);
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
    this.#checkKey?.(key);
    const met$ = this.#live(['until', key], objectByKey(key)).pipe(
      filter(predicate),
      throwIfEmpty(() => notRunningError('stopped-before-met')),
    );
    return whenEmitted(met$, options);
  }

  byIndexChanges$(name: I, value: string): Observable<ChangeSet<T>> {
    const { footprint } = bucket(name, value);
    checkIndexOf(this.internals, footprint);
    const bucketOf = (snapshot: IndexedSnapshot<T>): BucketReads<T> | undefined => snapshot.bucket(name, value);
    return liveQuery(
      this.internals,
      ['byIndexChanges$', name, value],
      footprint,
      liveChanges(bucketOf, (announcement, keys) => {
        const { previous, commit } = announcement;
        return bucketChanges(bucketOf(previous), bucketOf(commit.snapshot), keys, announcement);
      }),
    );
  }

  #live<R>(stream: StreamName, query: Query<T, R, I>): Observable<QueryResult<R, T>> {
    return live(this.internals, stream, query);
  }

  #valuesOf(name: I, object: T): readonly string[] {
    checkIndexOf(this.internals, { type: 'range', index: name });
    const values: string[] = [];
    forEachIndexValue(computeIndexValues(this.indexers[name], object), (value) => values.push(value));
    return values;
  }
}

/** Adds the names of indexes to the type, which the collection knows but not the log. */
function asTyped<T, I extends string>(snapshot: IndexedSnapshot<T>): Snapshot<T, I> {
  return snapshot;
}
