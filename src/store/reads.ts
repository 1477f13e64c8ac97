import type { IndexFunction } from './indexing.js';

/**
 * client-go's Indexer reads by their own names, answered from one version of the store.
 *
 * **Guarantees**: arrays are sorted by key (▲ S9) and keep their identity while what they hold does not change; nothing is
 * materialised before it is read (G10). Objects are shared: they must not be changed, and are frozen outside production.
 * **Errors**: an unknown index name throws `UnknownIndexError` (S8; `indexValues` too ▲).
 */
export interface Reads<T, I extends string = string> {
  get(key: string): T | undefined;
  has(key: string): boolean;
  /** All objects, in key order. */
  list(): readonly T[];
  /** All keys, in order. */
  keys(): readonly string[];
  /** The objects in one bucket; empty for an unknown value. */
  byIndex(name: I, value: string): readonly T[];
  /** The objects that share an index value with `object`, each once (S10). */
  index(name: I, object: T): readonly T[];
  /** The keys of one bucket. */
  indexKeys(name: I, value: string): readonly string[];
  /** The values that have at least one object, in order (ListIndexFuncValues). */
  indexValues(name: I): readonly string[];
  /** The index functions by name; typed so that what reads pods is also something that reads objects. */
  readonly indexers: Readonly<Record<I, IndexFunction<never>>>;
}
