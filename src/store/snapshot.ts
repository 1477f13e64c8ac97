import type { Indexers } from './index-function.js';

/**
 * One immutable version of the store, with client-go's Indexer reads by their own names.
 *
 * **Guarantees**: every read answers from this one version (S3); arrays are sorted by key (▲ S9) and keep their identity
 * while what they hold does not change; nothing is materialised before it is read (G10).
 * **Errors**: an unknown index name throws `UnknownIndexError` (S8); `indexValues` too ▲.
 */
export interface Snapshot<T, I extends string = string> {
  /** How many commits changed the content so far; 0 means nothing has been committed yet. */
  readonly version: number;
  /** The last resourceVersion seen, `''` where there is none; opaque (S14). */
  readonly resourceVersion: string;
  readonly size: number;

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
  readonly indexers: Indexers<T, I>;
}
