import { underAny } from '../store/indexed-snapshot.js';
import type { IndexRange, Snapshot } from '../store/snapshot.js';
import { idOf, isSameValue, type Query } from './query.js';

/**
 * Creates a query for one bucket: the objects under one index value, in key order.
 *
 * The array keeps its identity while nothing in the bucket changes. Reading costs O(log n), or
 * O(bucket) after a change in the bucket.
 *
 * @param index the name of the index
 * @param value the index value; without an object, the bucket is empty
 * @returns a query for `query`, `query$` and `useQuery`
 * @example
 * const onWorker1 = bucket('node', 'worker-1');
 * podInformer.query$(onWorker1).subscribe((pods) => console.log(pods.length));
 */
export function bucket<const I extends string>(index: I, value: string): Query<unknown, readonly unknown[], I> {
  return {
    id: idOf('bucket', index, value),
    footprint: { type: 'buckets', index, values: [value] },
    read: (snapshot) => snapshot.byIndex(index, value),
    isEqual: Object.is,
  };
}

/**
 * Creates a query for the objects in any of several buckets of one index, each object once, in key
 * order. Reading costs O(r log r) for r objects.
 *
 * @param index the name of the index
 * @param values the index values; their order, and a value given twice, make no difference
 * @returns a query for `query`, `query$` and `useQuery`
 * @example
 * podInformer
 *   .query$(buckets('node', ['worker-1', 'worker-2']))
 *   .subscribe((pods) => console.log(pods.length));
 */
export function buckets<const I extends string>(
  index: I,
  values: readonly string[],
): Query<unknown, readonly unknown[], I> {
  const distinct = [...new Set(values)].sort();
  return {
    id: idOf('buckets', index, distinct),
    footprint: { type: 'buckets', index, values: distinct },
    read: (snapshot) => underAny(snapshot, index, distinct),
    isEqual: isSameValue,
  };
}

/**
 * Creates a query for the objects whose index values lie in a range, sorted by value, and by key
 * for equal values. An object with several values in the range is at the position of the first
 * value.
 *
 * Reading costs O(log n + r) for r objects. Values are compared by UTF-16 code units: write numbers
 * with leading zeros, and times in ISO 8601.
 *
 * @param index the name of the index
 * @param range the bounds: `from` is included, `to` is excluded; a bound that is not given does not
 *   limit the range
 * @returns a query for `query`, `query$` and `useQuery`
 * @example
 * const createdToday = bucketRange('created', { from: '2026-11-22' });
 */
export function bucketRange<const I extends string>(
  index: I,
  { from, to }: IndexRange,
): Query<unknown, readonly unknown[], I> {
  return {
    id: idOf('bucketRange', index, { from, to }),
    footprint: { type: 'range', index, from, to },
    read: (snapshot) => readRange(snapshot, index, { from, to }),
    isEqual: isSameValue,
  };
}

/**
 * Creates a query for the objects that have an index value with a prefix, in the same order as
 * `bucketRange`. Reading costs O(log n + r) for r objects.
 *
 * @param index the name of the index
 * @param prefix the beginning of the values; `''` selects every value
 * @returns a query for `query`, `query$` and `useQuery`
 * @example
 * podInformer.query(bucketPrefix('node', 'worker-'));
 */
export function bucketPrefix<const I extends string>(index: I, prefix: string): Query<unknown, readonly unknown[], I> {
  return {
    ...bucketRange(index, { from: prefix, to: afterPrefix(prefix) }),
    id: idOf('bucketPrefix', index, prefix),
  };
}

/**
 * Creates a query for the number of objects in one bucket. Reading costs O(log n); no array is
 * built.
 *
 * @param index the name of the index
 * @param value the index value; without an object, the size is 0
 * @returns a query for `query`, `query$` and `useQuery`
 * @example
 * podInformer.query$(bucketSize('node', 'worker-1')).subscribe((count) => console.log(count));
 */
export function bucketSize<const I extends string>(index: I, value: string): Query<unknown, number, I> {
  return {
    id: idOf('bucketSize', index, value),
    footprint: { type: 'buckets', index, values: [value] },
    read: (snapshot) => snapshot.bucket(index, value)?.size ?? 0,
    isEqual: Object.is,
  };
}

/**
 * Creates a query for the values of an index that have at least one object, in order. Reading costs
 * O(1), or O(values) after a value appeared or disappeared.
 *
 * @param index the name of the index
 * @returns a query for `query`, `query$` and `useQuery`
 * @example
 * podInformer.query$(indexValues('node')).subscribe((nodes) => console.log(nodes.join()));
 */
export function indexValues<const I extends string>(index: I): Query<unknown, readonly string[], I> {
  return {
    id: idOf('indexValues', index),
    footprint: { type: 'range', index },
    read: (snapshot) => snapshot.indexValues(index),
    isEqual: isSameValue,
  };
}

function readRange<T, I extends string>(snapshot: Snapshot<T, I>, index: I, range: IndexRange): readonly T[] {
  const found = new Map<string, T>();
  snapshot.forEachBucket(index, range, (inRange) =>
    inRange.forEach(({ key, object }) => {
      found.set(key, object);
    }),
  );
  return Object.freeze([...found.values()]);
}

/** Returns the first string after all strings with `prefix`, if there is one. */
function afterPrefix(prefix: string): string | undefined {
  for (let end = prefix.length - 1; end >= 0; end--) {
    const unit = prefix.charCodeAt(end);
    if (unit < 0xffff) return prefix.slice(0, end) + String.fromCharCode(unit + 1);
  }
  return undefined;
}
