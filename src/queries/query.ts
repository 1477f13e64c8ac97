import type { IndexRange, Snapshot } from '../store/snapshot.js';

/**
 * The part of a collection that a query depends on. A commit that does not touch this part costs
 * the query nothing.
 *
 * | type | touched by a commit that |
 * | --- | --- |
 * | `all` | changes anything |
 * | `keys` | changes the object under one of the keys |
 * | `buckets` | changes an object that is, or was, in one of the buckets |
 * | `range` | changes an object that has, or had, an index value in the range |
 *
 * A `range` costs one comparison for each index value of a changed object. For the other types, a
 * look-up finds the queries that a commit touches.
 */
export type Footprint =
  | { readonly type: 'all' }
  | { readonly type: 'keys'; readonly keys: readonly string[] }
  | { readonly type: 'buckets'; readonly index: string; readonly values: readonly string[] }
  | ({ readonly type: 'range'; readonly index: string } & IndexRange);

/**
 * Describes a read of a collection as a value: what to read, what it depends on, and when two
 * answers are equal. You can use the same query to read once (`collection.query`), to follow the
 * answer (`query$`), to render it (`useQuery` of `rx-informers/react`) and to assert it
 * (`expectQuery` of `rx-informers/testing`).
 *
 * `bucket`, `objectByKey`, `matching` and similar functions create the common queries. Write your
 * own query as an object, as in the example, or with `select`.
 *
 * **Guarantees**: a live query emits exactly when its value changes by `isEqual` (G2); `read` is
 * not called for a commit outside the footprint (G10).
 *
 * @typeParam T the objects of the collection
 * @typeParam R the answer
 * @typeParam I the names of the indexes that the query reads
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
   * Identifies the query, for messages and for sharing: `externalStores` and the hooks use one
   * store for all queries with the same id. Default: each query object has its own store.
   */
  readonly id?: string | undefined;
  readonly footprint: Footprint;
  /** Returns the answer for one version. It must be pure. */
  readonly read: (snapshot: Snapshot<T, I>) => R;
  isEqual(a: R, b: R): boolean;
  /**
   * Creates a reader with state for one subscriber. Define it if such a reader costs less than
   * calling `read` for each version, as for `matching`. Default: `read` is called.
   */
  readonly track?: (() => TrackedRead<T, R, I>) | undefined;
}

/**
 * Returns the answer for a version, computed from the previous answer and the keys that changed
 * since. If `changed` is `undefined`, everything may have changed; then read the whole snapshot.
 */
export type TrackedRead<T, R, I extends string = string> = (
  snapshot: Snapshot<T, I>,
  changed: readonly string[] | undefined,
) => R;

/**
 * The type of the answer if a collection of `T` is queried. `unknown` in a query stands for the
 * type of the collection's objects. So for a collection of pods, the answer to a `Query<unknown,
 * readonly unknown[]>`, such as `bucket('node', 'worker-1')`, is a `readonly Pod[]`.
 */
export type QueryResult<R, T> = [unknown] extends [R]
  ? T | undefined
  : [R, readonly unknown[]] extends [readonly unknown[], R]
    ? readonly T[]
    : R;

/** Compares two values by `Object.is`, and two arrays element by element. */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (!Array.isArray(a) || !Array.isArray(b)) return false;
  return a.length === b.length && a.every((item, position) => Object.is(item, b[position]));
}

/** Returns the id of a query: the name of its constructor and the arguments. */
export function idOf(constructor: string, ...args: readonly unknown[]): string {
  return `${constructor}(${args.map((argument) => JSON.stringify(argument)).join(', ')})`;
}
