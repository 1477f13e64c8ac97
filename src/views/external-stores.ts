import type { Observable } from 'rxjs';
import type { Collection } from '../collections/collection.js';
import type { QueryResult, Query } from '../queries/query.js';
import type { Indexers } from '../store/index-functions.js';
import { emptySnapshot } from '../store/indexed-snapshot.js';
import { type ExternalStore, toExternalStore, type ExternalStoreOptions } from './to-external-store.js';

/** Options of `externalStores`. */
export interface ExternalStoresOptions extends ExternalStoreOptions {
  /**
   * An operator that is applied to the stream of each store. Default: none. For a page of a busy
   * cluster: `(value$) => value$.pipe(pauseWhile(tabHidden$()), coalesceFrames())`.
   */
  readonly through?: (<V>(value$: Observable<V>) => Observable<V>) | undefined;
}

/** The live queries of a collection as stores: one store for each query. */
export interface ExternalStores<T, I extends string = string> {
  /**
   * Returns the store of a query. Queries with the same id share a store. A query without an id
   * (`select`, `matching` with a function) has a store for each query object, so keep the object.
   *
   * @throws `RXI_UNKNOWN_INDEX`, and any error that the query throws for an empty collection
   */
  query<R>(query: Query<T, R, I>): ExternalStore<QueryResult<R, T>>;
}

/**
 * Returns the live queries of a collection as shared stores: two components that query the same
 * bucket get the same store, with one subscription and one snapshot.
 *
 * Without options, each call for the same collection returns the same stores. With options, each
 * call returns new stores, so keep them.
 *
 * **Guarantees**: equal queries return the same store for as long as it is referenced or subscribed
 * to. After that, the store costs nothing. Before the first value, the snapshot is the answer for
 * an empty collection, and is always the same object.
 *
 * @param collection the collection to read
 * @param options how long a store stays subscribed without a listener, and an operator for its
 * stream
 * @returns the stores, one for each query
 * @throws `RXI_INVALID_OPTION` for a `linger` that is too long for a timer
 * @example
 * const stores = externalStores(podInformer);
 * const { subscribe, getSnapshot } = stores.query(bucket('node', 'worker-1'));
 * const stop = subscribe(() => console.log(getSnapshot().length));
 * stop();
 */
export function externalStores<T, I extends string>(
  collection: Collection<T, I>,
  options?: ExternalStoresOptions,
): ExternalStores<T, I> {
  if (options) return storesOf(collection, options);
  const known = shared.get(collection);
  if (known) return known as ExternalStores<T, I>;
  const made = storesOf(collection, {});
  shared.set(collection, made);
  return made;
}

const shared = new WeakMap<object, unknown>();

function storesOf<T, I extends string>(
  collection: Collection<T, I>,
  { through = identity, linger, scheduler }: ExternalStoresOptions,
): ExternalStores<T, I> {
  return storesByQuery((query) => {
    const empty = emptySnapshot(collection.snapshot.indexers as Indexers<T, I>);
    return toExternalStore<unknown>(through(collection.query$(query)), query.read(empty), { linger, scheduler });
  });
}

/** Returns stores by query. Each store is created when its query is first requested. */
export function storesByQuery<T, I extends string>(
  storeOf: (query: Query<T, unknown, I>) => ExternalStore<unknown>,
): ExternalStores<T, I> {
  const byId = new WeakValues<ExternalStore<unknown>>();
  const byQuery = new WeakMap<object, ExternalStore<unknown>>();
  const known = (query: Query<T, unknown, I>): ExternalStore<unknown> => {
    if (query.id !== undefined) return byId.get(query.id, () => storeOf(query));
    const store = byQuery.get(query) ?? storeOf(query);
    byQuery.set(query, store);
    return store;
  };
  return { query: <R>(query: Query<T, R, I>) => known(query) as ExternalStore<QueryResult<R, T>> };
}

function identity<V>(value: V): V {
  return value;
}

/** Values by name, held weakly: each stays only while it is referenced elsewhere. */
export class WeakValues<V extends object> {
  readonly #references = new Map<string, WeakRef<V>>();
  readonly #gone = new FinalizationRegistry<string>((name) => {
    if (this.#references.get(name)?.deref() === undefined) this.#references.delete(name);
  });

  /** The number of names. A name may remain for a while after its value was garbage-collected. */
  get size(): number {
    return this.#references.size;
  }

  get(name: string, make: () => V): V {
    const existing = this.#references.get(name)?.deref();
    if (existing) return existing;
    const made = make();
    this.#references.set(name, new WeakRef(made));
    this.#gone.register(made, name);
    return made;
  }
}
