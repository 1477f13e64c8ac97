import type { IndexRange, Snapshot } from '../store/snapshot.js';

/**
 * What a query depends on. A commit that touches none of it costs the query nothing.
 *
 * | type | touched by a commit that |
 * | --- | --- |
 * | `all` | changes anything |
 * | `keys` | changes the object under one of the keys |
 * | `buckets` | changes an object that is, or was, in one of the buckets |
 * | `range` | changes an object that has, or had, an index value in the range |
 *
 * A range costs one comparison for each index value of a changed object; all others are looked up.
 */
export type Footprint =
  | { readonly type: 'all' }
  | { readonly type: 'keys'; readonly keys: readonly string[] }
  | { readonly type: 'buckets'; readonly index: string; readonly values: readonly string[] }
  | ({ readonly type: 'range'; readonly index: string } & IndexRange);

/**
 * A question to a collection, as a value: what to read, what it depends on, and when two answers
 * are the same. The same query is read once (`collection.query`), followed (`query$`), rendered
 * (`useQuery` of `rx-informers/react`) and asserted (`expectQuery` of `rx-informers/testing`).
 *
 * `bucket`, `objectByKey` and the other functions of this folder create the common ones. Write your
 * own as an object, or with `select`:
 *
 * **Guarantees**: a live query emits exactly when its value changes by `isEqual` (G2); `read` is
 * not called for a commit outside the footprint (G10).
 *
 * @typeParam T the objects of the collection
 * @typeParam R the answer
 * @typeParam I the names of the indexes that it reads
 * @example
 * import type { Pod, Query } from 'rx-informers';
 *
 * const isRunning = (key: string): Query<Pod, boolean> => ({
 *   footprint: { type: 'keys', keys: [key] },
 *   read: (snapshot) => snapshot.get(key)?.status?.phase === 'Running',
 *   isEqual: Object.is,
 * });
 * podInformer.query$(isRunning('web/a')).subscribe((running) => console.log(running));
 */
export interface Query<T, R, I extends string = string> {
  /**
   * Identifies the question, for messages and for sharing: `externalStores` and the hooks have one
   * store for all queries with the same id. Default: each query object has a store of its own.
   */
  readonly id?: string | undefined;
  readonly footprint: Footprint;
  /** Returns the answer of one version. It must be pure. */
  readonly read: (snapshot: Snapshot<T, I>) => R;
  isEqual(a: R, b: R): boolean;
  /**
   * Returns a reader with a memory, for one subscriber, if that costs less than `read` for each
   * version: see `matching`. Default: `read`.
   */
  readonly track?: (() => TrackedRead<T, R, I>) | undefined;
}

/**
 * Returns the answer of a version, computed from the one before it and the keys that changed since.
 * `changed` is `undefined` if everything may have changed: read all of the snapshot then.
 */
export type TrackedRead<T, R, I extends string = string> = (
  snapshot: Snapshot<T, I>,
  changed: readonly string[] | undefined,
) => R;

/**
 * The type of the answer to a query that is put to a collection of `T`. `unknown` in a query stands
 * for the objects of the collection, so the answer to a `Query<unknown, readonly unknown[]>`, such
 * as `bucket('node', 'worker-1')`, is a `readonly Pod[]` if the collection is one of pods.
 */
export type Answer<R, T> = [unknown] extends [R]
  ? T | undefined
  : [R, readonly unknown[]] extends [readonly unknown[], R]
    ? readonly T[]
    : R;

/** Compares by `Object.is`, and two arrays element by element. */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (!Array.isArray(a) || !Array.isArray(b)) return false;
  return a.length === b.length && a.every((item, position) => Object.is(item, b[position]));
}

/** Returns the text that identifies a question: what was called, with what. */
export function idOf(constructor: string, ...args: readonly unknown[]): string {
  return `${constructor}(${args.map((argument) => JSON.stringify(argument)).join(', ')})`;
}
