import type { IndexFunction } from './index-functions.js';
import type { KeyedObject } from './delta.js';

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

/** The index values from `from`, inclusive, to `to`, exclusive, in the order of UTF-16 code units. Default: all. */
export interface IndexRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** One bucket of a snapshot: the objects under one index value, in key order. */
export interface BucketReads<T> {
  /** The number of objects. Costs nothing. */
  readonly size: number;
  get(key: string): KeyedObject<T> | undefined;
  has(key: string): boolean;
  /** All objects; the array is built on the first call and shared by all callers. */
  objects(): readonly T[];
  /** All keys, in the same order. */
  keys(): readonly string[];
  /** Calls `visit` for each object, without building an array. */
  forEach(visit: (entry: KeyedObject<T>) => void): void;
}

/**
 * One immutable version of the store.
 *
 * **Guarantees**: every read answers from this one version (S3), for as long as it is held.
 */
export interface Snapshot<T, I extends string = string> extends Reads<T, I> {
  /** How many commits changed the content so far; 0 means nothing has been committed yet. */
  readonly version: number;
  /** The last resourceVersion seen, `''` where there is none; opaque (S14). */
  readonly resourceVersion: string;
  readonly size: number;
  /** Calls `visit` for each object in key order, without building an array. */
  forEach(visit: (entry: KeyedObject<T>) => void): void;
  /** One bucket, `undefined` if it has no object. Costs O(log n); `byIndex` is its objects. */
  bucket(name: I, value: string): BucketReads<T> | undefined;
  /**
   * Calls `visit` for each bucket of a range of index values, in the order of the values. Costs
   * O(log n + buckets visited).
   */
  forEachBucket(name: I, range: IndexRange, visit: (bucket: BucketReads<T>, value: string) => void): void;
}
