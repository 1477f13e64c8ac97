import type { KeyedObject } from './delta.js';
import type { IndexFunction } from './index-functions.js';

/**
 * Reads one version of the store. The methods have the names of client-go's Indexer.
 *
 * **Guarantees**: arrays are sorted by key (▲ S9) and keep their identity while their content does
 * not change. An array is built only when it is read (G10). Objects are shared: code must not
 * change them, and they are frozen outside production. **Errors**: an unknown index name throws
 * `RXI_UNKNOWN_INDEX` (S8; in `indexValues` too ▲).
 */
export interface Reads<T, I extends string = string> {
  get(key: string): T | undefined;
  has(key: string): boolean;
  /** Returns all objects in key order. */
  list(): readonly T[];
  /** Returns all keys in order. */
  keys(): readonly string[];
  /** Returns the objects under one index value in key order; none for an unknown value. */
  byIndex(name: I, value: string): readonly T[];
  /** Returns the objects that share an index value with `object`, each of them once (S10). */
  index(name: I, object: T): readonly T[];
  /** Returns the keys under one index value in order. */
  indexKeys(name: I, value: string): readonly string[];
  /** Returns the values that have an object, sorted (client-go: ListIndexFuncValues). */
  indexValues(name: I): readonly string[];
  /** `never` in the type allows passing a collection of pods as a collection of objects. */
  readonly indexers: Readonly<Record<I, IndexFunction<never>>>;
}

/**
 * A range of index values from `from`, inclusive, to `to`, exclusive, in the order of UTF-16 code
 * units. Default: all.
 */
export interface IndexRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Reads one bucket of a snapshot: the objects under one index value, in key order. */
export interface BucketReads<T> {
  /** The number of objects. Costs nothing. */
  readonly size: number;
  get(key: string): KeyedObject<T> | undefined;
  has(key: string): boolean;
  /** Returns the object with the smallest key. Costs O(log n). */
  first(): KeyedObject<T> | undefined;
  /** Returns all objects. The first call builds the array, and all callers share it. */
  objects(): readonly T[];
  /** Returns the keys of all objects, in order. */
  keys(): readonly string[];
  /** Calls `visit` for each object, without building an array. */
  forEach(visit: (entry: KeyedObject<T>) => void): void;
}

/**
 * Reads one immutable version of the store.
 *
 * **Guarantees**: every read returns the content of this version (S3), for as long as a caller
 * keeps the snapshot.
 */
export interface Snapshot<T, I extends string = string> extends Reads<T, I> {
  /** The number of commits that have changed the content; 0 before the first. */
  readonly version: number;
  /** The last resourceVersion of the source, `''` if there is none. Opaque (S14). */
  readonly resourceVersion: string;
  readonly size: number;
  /** Calls `visit` for each object in key order, without building an array. */
  forEach(visit: (entry: KeyedObject<T>) => void): void;
  /** Returns the bucket of `byIndex`, or `undefined` without objects. Costs O(log n). */
  bucket(name: I, value: string): BucketReads<T> | undefined;
  /** Calls `visit` for the buckets of a range, in order. Costs O(log n + buckets visited). */
  forEachBucket(name: I, range: IndexRange, visit: (bucket: BucketReads<T>, value: string) => void): void;
}
