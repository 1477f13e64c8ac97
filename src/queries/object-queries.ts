import type { KubernetesObject } from '../kubernetes/object.js';
import {
  formatLabelSelector,
  matchesLabelSelector,
  type CheckedSelector,
  type LabelSelector,
} from '../kubernetes/selector.js';
import { Bucket, BucketDraft } from '../store/bucket.js';
import type { KeyedObject } from '../store/delta.js';
import type { Snapshot } from '../store/snapshot.js';
import { idOf, isSameValue, type Query, type TrackedRead } from './query.js';

/** Selects the objects that a label selector matches, or for which a function returns true. */
export type ObjectSelection<T, S extends LabelSelector = LabelSelector> = CheckedSelector<S> | ((object: T) => boolean);

/**
 * Creates a query for one object. The answer is `undefined` while the object does not exist.
 * Reading costs O(log n).
 *
 * @param key as the collection stores it: `namespace/name`, or `name` for kinds without namespaces
 * @returns a query for `query`, `query$` and `useQuery`
 * @example
 * podInformer.query$(objectByKey('web/a')).subscribe((pod) => console.log(pod?.status?.phase));
 */
export function objectByKey(key: string): Query<unknown, unknown, never> {
  return {
    id: idOf('objectByKey', key),
    footprint: { type: 'keys', keys: [key] },
    read: (snapshot) => snapshot.get(key),
    isEqual: Object.is,
  };
}

/**
 * Creates a query for all objects, in key order. The array keeps its identity while nothing
 * changes. Reading costs O(n) after a change.
 *
 * @returns a query for `query`, `query$` and `useQuery`
 * @example
 * podInformer.query$(allObjects()).subscribe((pods) => console.log(pods.length));
 */
export function allObjects(): Query<unknown, readonly unknown[], never> {
  return {
    id: idOf('allObjects'),
    footprint: { type: 'all' },
    read: (snapshot) => snapshot.list(),
    isEqual: Object.is,
  };
}

/**
 * Creates a query for the number of objects. Reading costs O(1); no array is built.
 *
 * @returns a query for `query`, `query$` and `useQuery`
 * @example
 * podInformer.query$(collectionSize()).subscribe((count) => console.log(count));
 */
export function collectionSize(): Query<unknown, number, never> {
  return { id: idOf('collectionSize'), footprint: { type: 'all' }, read: ({ size }) => size, isEqual: Object.is };
}

/**
 * Creates a query for the objects that a label selector or a function selects, in key order.
 *
 * A live query reads all objects once, and then only the objects that changed: a commit of k
 * changes costs O(k log r), and O(r) for the array if a changed object is among the r selected
 * objects. Each subscriber holds a tree of the selected objects. For a large collection, an index
 * costs less: see `bucket`.
 *
 * @param selection a label selector, or a pure function, which is called once for each version of
 *   an object; selectors that mean the same are the same query
 * @returns a query for `query`, `query$` and `useQuery`
 * @throws `RXI_INVALID_SELECTOR` if a label selector is invalid
 * @example
 * podInformer.query$(matching('app=web')).subscribe((pods) => console.log(pods.length));
 * podInformer
 *   .query$(matching((pod: Pod) => pod.status?.phase === 'Failed'))
 *   .subscribe((pods) => console.log(pods.length));
 */
export function matching<T, S extends LabelSelector = LabelSelector>(
  selection: ObjectSelection<T, S>,
): Query<T, readonly T[], never> {
  return trackedQuery('matching', selection, allObjects() as Query<T, readonly T[], never>, trackMatching);
}

/**
 * Creates a query for the number of objects that a label selector or a function selects.
 *
 * A live query reads all objects once, and then only the objects that changed: a commit of k
 * changes costs O(k). Each subscriber holds the keys of the selected objects. For the size of a
 * bucket, `bucketSize` costs less.
 *
 * @param selection a label selector or a pure function, as for `matching`
 * @returns a query for `query`, `query$` and `useQuery`
 * @throws `RXI_INVALID_SELECTOR` if a label selector is invalid
 * @example
 * const failing = countMatching((pod: Pod) => pod.status?.phase === 'Failed');
 * podInformer.query$(failing).subscribe((count) => console.log(count));
 */
export function countMatching<T, S extends LabelSelector = LabelSelector>(
  selection: ObjectSelection<T, S>,
): Query<T, number, never> {
  return trackedQuery('countMatching', selection, collectionSize(), trackCount);
}

/**
 * Creates a query for a value that a function computes from the collection. The function reads one
 * version, so an object that moves between two buckets is never missing from both.
 *
 * Each version costs one call of `read` and one call of `isEqual` for each subscriber, regardless
 * of what changed. A query of your own with a smaller footprint costs less; see `Query`.
 *
 * @param read returns the value; it must be pure
 * @param isEqual compares two values; default: two arrays by their elements, everything else by
 *   `Object.is`
 * @returns a query for `query`, `query$` and `useQuery`
 * @example
 * const crowded = select(
 *   (pods: Snapshot<Pod, 'node'>) =>
 *     pods.byIndex('node', 'n1').length > pods.byIndex('node', 'n2').length,
 * );
 * podInformer.query$(crowded).subscribe((isCrowded) => console.log(isCrowded));
 */
export function select<T, const R, I extends string>(
  read: (snapshot: Snapshot<T, I>) => R,
  isEqual: (a: R, b: R) => boolean = isSameValue,
): Query<T, R, I> {
  return { footprint: { type: 'all' }, read, isEqual };
}

/** Returns a predicate. Throws `RXI_INVALID_SELECTOR` for an invalid label selector. */
export function predicateOf<T, S extends LabelSelector>(selection: ObjectSelection<T, S>): (object: T) => boolean {
  if (typeof selection === 'function') return selection;
  const matches = matchesLabelSelector(selection);
  return (object) => matches((object as KubernetesObject | undefined)?.metadata?.labels);
}

/** Returns a query that reads only changed objects; `all` for a selector without requirements. */
function trackedQuery<T, R, S extends LabelSelector>(
  name: string,
  selection: ObjectSelection<T, S>,
  all: Query<T, R, never>,
  track: (isSelected: (object: T) => boolean) => TrackedRead<T, R, never>,
): Query<T, R, never> {
  const text = typeof selection === 'function' ? undefined : formatLabelSelector(selection);
  if (text === '') return all;
  const isSelected = predicateOf(selection);
  return {
    id: text === undefined ? undefined : idOf(name, text),
    footprint: { type: 'all' },
    read: (snapshot) => track(isSelected)(snapshot, undefined),
    isEqual: Object.is,
    track: () => track(isSelected),
  };
}

/** Returns a reader with a bucket of selected objects, updated for changed keys only. */
function trackMatching<T>(isSelected: (object: T) => boolean): TrackedRead<T, readonly T[], never> {
  let selected = Bucket.empty<T, KeyedObject<T>>();
  return (snapshot, changed) => {
    const draft = new BucketDraft(changed ? selected : Bucket.empty<T, KeyedObject<T>>());
    if (changed) {
      for (const key of changed) {
        const object = snapshot.get(key);
        if (object === undefined || !isSelected(object)) draft.delete(key);
        else if (draft.get(key)?.object !== object) draft.set({ key, object });
      }
    } else {
      snapshot.forEach((entry) => {
        if (isSelected(entry.object)) draft.set(entry);
      });
    }
    selected = draft.finish();
    return selected.objects();
  };
}

function trackCount<T>(isSelected: (object: T) => boolean): TrackedRead<T, number, never> {
  const selected = new Set<string>();
  return (snapshot, changed) => {
    if (changed) {
      for (const key of changed) {
        const object = snapshot.get(key);
        if (object !== undefined && isSelected(object)) selected.add(key);
        else selected.delete(key);
      }
    } else {
      selected.clear();
      snapshot.forEach(({ key, object }) => {
        if (isSelected(object)) selected.add(key);
      });
    }
    return selected.size;
  };
}
