import { map, take, type Observable } from 'rxjs';
import type { Resource } from '../kubernetes/resource.js';
import type { LabelSelector } from '../kubernetes/selector.js';
import type { Bucket } from '../store/bucket.js';
import type { ChangeSet } from '../store/change.js';
import { type Indexers, computeIndexValues, forEachIndexValue } from '../store/indexing.js';
import type { IndexedSnapshot } from '../store/indexed-snapshot.js';
import type { Reads } from '../store/reads.js';
import type { Snapshot } from '../store/snapshot.js';
import { bucketChanges, liveChanges } from './bucket-changes.js';
import type { Collection, CollectionOptions } from './collection.js';
import { isSameValue, liveQuery, liveValue, selectedValue, type LiveQueryContext } from './live-query.js';
import type { Listener, Listeners } from './listeners.js';
import { selectedObjects } from './selected-bucket.js';

/** The reads and live queries that everything with a commit log has: informers, and indexers fed by hand. */
export abstract class LogCollection<T, I extends string> implements Collection<T, I>, Reads<T, I> {
  readonly snapshot$: Observable<Snapshot<T, I>>;
  readonly changes$: Observable<ChangeSet<T>>;
  readonly synced$: Observable<void>;
  readonly announcementTimes$: Observable<number>;
  readonly resource: Resource<unknown> | undefined;

  protected constructor(protected readonly context: LiveQueryContext<T> & CollectionOptions) {
    this.resource = context.resource;
    this.announcementTimes$ = context.log.announcementTimes.asObservable();
    this.snapshot$ = liveQuery(context, ['snapshot$'], toEverything, liveValue<T, Snapshot<T, I>>(asTyped));
    this.changes$ = liveQuery(
      context,
      ['changes$'],
      toEverything,
      liveChanges(
        ({ parts }) => parts.items,
        ({ commit }) => commit.changes,
      ),
    );
    // Observes only: whoever waits for a sync is not a reason to keep the source connected.
    this.synced$ = liveQuery(
      { ...context, retain: () => undefined },
      ['synced$'],
      toEverything,
      liveValue<T, unknown>(asTyped, () => true),
    ).pipe(
      take(1),
      map(() => undefined),
    );
  }

  abstract whenSynced(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;

  get snapshot(): Snapshot<T, I> {
    return asTyped(this.context.log.latest);
  }

  get hasSynced(): boolean {
    return this.context.log.latest.version > 0;
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

  byIndex$(name: I, value: string): Observable<readonly T[]> {
    this.#checkIndex(name);
    return liveQuery(
      this.context,
      ['byIndex$', name, value],
      toBuckets(name, [value]),
      liveValue((snapshot) => snapshot.byIndex(name, value)),
    );
  }

  byIndexChanges$(name: I, value: string): Observable<ChangeSet<T>> {
    this.#checkIndex(name);
    const bucketOf = (snapshot: IndexedSnapshot<T>): Bucket<T> | undefined => snapshot.bucket(name, value);
    return liveQuery(
      this.context,
      ['byIndexChanges$', name, value],
      toBuckets(name, [value]),
      liveChanges(bucketOf, (announcement, keys) => {
        const { previous, commit } = announcement;
        return bucketChanges(bucketOf(previous), bucketOf(commit.snapshot), keys, announcement);
      }),
    );
  }

  get$(key: string): Observable<T | undefined> {
    return liveQuery(
      this.context,
      ['get$', key],
      (listeners, listener) => listeners.addToKey(key, listener),
      liveValue((snapshot) => snapshot.get(key)),
    );
  }

  list$(selector?: LabelSelector): Observable<readonly T[]> {
    const follower =
      selector === undefined ? liveValue<T, readonly T[]>((snapshot) => snapshot.list()) : selectedObjects<T>(selector);
    return liveQuery(this.context, ['list$'], toEverything, follower);
  }

  indexValues$(name: I): Observable<readonly string[]> {
    this.#checkIndex(name);
    return liveQuery(
      this.context,
      ['indexValues$', name],
      toEverything,
      liveValue((snapshot) => snapshot.indexValues(name), isSameValue),
    );
  }

  index$(name: I, object: T): Observable<readonly T[]> {
    const values: string[] = [];
    forEachIndexValue(computeIndexValues(this.#checkIndex(name), object), (value) => values.push(value));
    return liveQuery(
      this.context,
      ['index$', name],
      toBuckets(name, values),
      liveValue((snapshot) => snapshot.underAny(name, values), isSameValue),
    );
  }

  select$<R>(project: (snapshot: Snapshot<T, I>) => R, isEqual: (a: R, b: R) => boolean = isSameValue): Observable<R> {
    const { report, slow } = this.context;
    const timed = slow.timed(['select$'], project);
    return liveQuery(this.context, ['select$'], toEverything, selectedValue(timed, isEqual, report));
  }

  /** A misspelt index is the caller's mistake: it throws where it was made, not later in a stream (S8). */
  #checkIndex(name: I): Indexers<T, I>[I] {
    const { schema } = this.context.log.latest.parts;
    schema.position(name);
    return this.indexers[name];
  }
}

type Listen<T> = (listeners: Listeners<T>, listener: Listener<T>) => () => void;

function toEverything<T>(listeners: Listeners<T>, listener: Listener<T>): () => void {
  return listeners.addToEverything(listener);
}

function toBuckets<T>(index: string, values: readonly string[]): Listen<T> {
  return (listeners, listener) => listeners.addToBuckets(index, values, listener);
}

/** A log does not know the names of its indexes; the collection over it, which was given them, does. */
function asTyped<T, I extends string>(snapshot: IndexedSnapshot<T>): Snapshot<T, I> {
  return snapshot;
}
