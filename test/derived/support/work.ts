import { virtualClock, type VirtualClock } from 'rx-informers/testing';
import { IndexedBucket } from '../../../src/store/bucket-index.js';
import { Bucket } from '../../../src/store/bucket.js';
import type { BucketReads } from '../../../src/store/snapshot.js';

/** Counters for the work that one change causes. */
export interface Work {
  /** Returns a function that calls `compute` and counts the calls. */
  counted<F extends (...parameters: never[]) => unknown>(name: string, compute: F): F;
  /**
   * The options for the operator. With them, its first rows are computed before `connect` returns.
   */
  readonly options: { readonly linger: 0; readonly scheduler: VirtualClock };
}

/**
 * Expects that one change costs the same with 1,000 and with 10,000 objects (J5).
 *
 * The cost has the calls of each function that `work.counted` returned, by name. The property
 * `reads` counts objects that are looked up, visited or put into an array, in a snapshot or in one
 * of its buckets. The depth of the tree does not count.
 *
 * @param make creates everything with `size` objects, and returns the change to measure
 * @returns the cost of the change
 * @example
 * const cost = expectSameWork((size, { counted, options }) => {
 *   const pods = createIndexer<Pod>(metaNamespaceKey, {});
 *   pods.replace(Array.from({ length: size }, (_, number) => aPod({ name: `pod-${number}` })));
 *   derived.filter(pods, counted('predicate', isFailed), options).connect();
 *   return () => pods.update(aPod({ name: 'pod-7', status: 'failed' }));
 * });
 * expect(cost).toMatchObject({ predicate: 1 });
 */
export function expectSameWork(make: (size: number, work: Work) => () => void): Readonly<Record<string, number>> {
  const cost = costOf(1_000, make);
  expect(costOf(10_000, make)).toEqual(cost);
  return cost;
}

function costOf(size: number, make: (size: number, work: Work) => () => void): Record<string, number> {
  const cost: Record<string, number> = { reads: 0 };
  const change = make(size, {
    options: { linger: 0, scheduler: virtualClock() },
    counted: (name, compute) => {
      cost[name] = 0;
      const counted = (...parameters: Parameters<typeof compute>): unknown => {
        cost[name] = (cost[name] ?? 0) + 1;
        return compute(...parameters);
      };
      return counted as typeof compute;
    },
  });
  for (const name of Object.keys(cost)) cost[name] = 0;
  const reads = (count: number): void => {
    cost['reads'] = (cost['reads'] ?? 0) + count;
  };
  const restore = [Bucket.prototype, IndexedBucket.prototype].map((bucket) => countReads(bucket, reads));
  try {
    change();
  } finally {
    for (const act of restore) act();
  }
  return cost;
}

type Reads = BucketReads<unknown>;

/** Counts the reads of a snapshot or a bucket. Returns a function that stops counting. */
function countReads(bucket: Reads, reads: (count: number) => void): () => void {
  const original = Object.getOwnPropertyDescriptors(bucket);
  const { get, has, objects, keys, forEach } = bucket;
  Object.assign(bucket, {
    get: counting(get, reads, () => 1),
    has: counting(has, reads, () => 1),
    objects: counting(objects, reads, ({ size: all }) => all),
    keys: counting(keys, reads, ({ size: all }) => all),
    forEach: counting(forEach, reads, ({ size: all }) => all),
  });
  return () => {
    Object.defineProperties(bucket, original);
  };
}

type Method = (this: Reads, ...parameters: never[]) => unknown;

function counting(method: Method, reads: (count: number) => void, countOf: (bucket: Reads) => number): Method {
  return function (...parameters) {
    reads(countOf(this));
    return method.apply(this, parameters);
  };
}
