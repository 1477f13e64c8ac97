import type { Observable } from 'rxjs';
import type { Collection } from '../informer/collection.js';
import type { Answer, Query } from '../queries/query.js';
import { emptySnapshot } from '../store/indexed-snapshot.js';
import type { Indexers } from '../store/index-functions.js';
import { type ExternalStore, toExternalStore, type ExternalStoreOptions } from './to-external-store.js';

/** Options of `externalStores`. */
export interface ExternalStoresOptions extends ExternalStoreOptions {
  /**
   * What each stream goes through on its way into its store. Default: nothing. In a page that follows a busy cluster:
   * `(value$) => value$.pipe(pauseWhile(tabHidden$()), coalesceFrames())`.
   */
  readonly through?: (<V>(value$: Observable<V>) => Observable<V>) | undefined;
}

/** The live queries of a collection as stores: one store for each question. */
export interface ExternalStores<T, I extends string = string> {
  /**
   * Returns the store of a query. Queries with the same id have the same store; a query without one
   * (`select`, `matching` with a function) has a store for each query object, so keep that object.
   *
   * @throws `UnknownIndexError`, and what the query throws for an empty collection
   */
  query<R>(query: Query<T, R, I>): ExternalStore<Answer<R, T>>;
}

/**
 * Returns the live queries of a collection as stores that are shared: two components that ask for
 * the same bucket get the same store, and with it one subscription and one snapshot.
 *
 * Called again for the same collection without options, it returns the same stores. With options it
 * returns new ones; keep them.
 *
 * **Guarantees**: the same question gets the same store for as long as it is held or subscribed to;
 * a store that is neither costs nothing. The snapshot before the first value is the answer of an
 * empty collection, always the same one.
 *
 * @throws `RangeError` for a `linger` that no timer can wait
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
  const byId = new WeakValues<ExternalStore<unknown>>();
  const byQuery = new WeakMap<object, ExternalStore<unknown>>();
  const storeOf = <R>(query: Query<T, R, I>): ExternalStore<Answer<R, T>> => {
    const empty = emptySnapshot(collection.snapshot.indexers as Indexers<T, I>);
    const initial = query.read(empty) as Answer<R, T>;
    return toExternalStore(through(collection.query$(query)), initial, { linger, scheduler });
  };
  const known = <R>(query: Query<T, R, I>): ExternalStore<unknown> => {
    if (query.id !== undefined) return byId.get(query.id, () => storeOf(query));
    const store = byQuery.get(query) ?? storeOf(query);
    byQuery.set(query, store);
    return store;
  };
  return { query: <R>(query: Query<T, R, I>) => known(query) as ExternalStore<Answer<R, T>> };
}

function identity<V>(value: V): V {
  return value;
}

/** Holds values by name, each for as long as it is held elsewhere. */
export class WeakValues<V extends object> {
  readonly #references = new Map<string, WeakRef<V>>();
  readonly #gone = new FinalizationRegistry<string>((name) => {
    if (this.#references.get(name)?.deref() === undefined) this.#references.delete(name);
  });

  /** The number of names: those of values that are held, and for a while those of collected ones. */
  get size(): number {
    return this.#references.size;
  }

  get(name: string, make: () => V): V {
    const held = this.#references.get(name)?.deref();
    if (held) return held;
    const made = make();
    this.#references.set(name, new WeakRef(made));
    this.#gone.register(made, name);
    return made;
  }
}
