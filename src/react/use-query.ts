import { useCallback, useSyncExternalStore } from 'react';
import type { Collection } from '../collections/collection.js';
import type { CheckedSelector, LabelSelector } from '../kubernetes/selector.js';
import { bucket, indexValues } from '../queries/bucket-queries.js';
import { allObjects, matching, objectByKey } from '../queries/object-queries.js';
import type { QueryResult, Query } from '../queries/query.js';
import { emptySnapshot } from '../store/indexed-snapshot.js';
import type { Snapshot } from '../store/snapshot.js';
import { externalStores, storesByQuery, type ExternalStores } from '../views/external-stores.js';
import { constantStore, type ExternalStore } from '../views/to-external-store.js';
import { onceForEach, usePace } from './informers-provider.js';
import { throughRestarts } from './keep-connected.js';
import type { CheckedPace } from './pace.js';
import { usageOf } from './usage.js';

const storesOf = onceForEach((collection, { latest, linger, scheduler }) =>
  externalStores(collection, {
    through: (value$) => latest(value$.pipe(throughRestarts(collection))),
    linger,
    scheduler,
  }),
);

/**
 * Returns the answer of a query, and renders again when the answer differs. Before the collection
 * has content, it returns the answer for an empty collection: `[]`, `undefined` or `0`.
 *
 * A query with an id (`bucket`, `bucketSize`, `matching` with a selector, …) may be created in the
 * call. Create a query without an id (`select`, `matching` with a function, a query of your own)
 * outside of the component or in `useMemo`, because each new query object causes a new
 * subscription.
 *
 * To query nothing for now, pass `undefined` as the collection or as the query. Nothing is started
 * then. Without a collection, the hook returns the answer for an empty collection. Without a query,
 * it returns `undefined`.
 *
 * **Guarantees**: renders only when the answer differs by the query's `isEqual`, at most once a
 * frame, and not while the tab is hidden. Objects that did not change keep their identity, so rows
 * in `memo` are not rendered again. All components with the same query see the same version (no
 * tearing) and share one subscription. The informer runs while the hook is used, and lingers.
 * **Does not guarantee**: that a component mounted between two frames shows the same version as
 * components with other queries. From the next frame on, all of them show the same version.
 *
 * @param collection the collection to read
 * @param query the query, for example `bucket('node', 'worker-1')`
 * @returns the answer
 * @throws `RXI_UNKNOWN_INDEX`, while rendering, for an error boundary
 * @example
 * function Load({ node }: { node: string }) {
 *   return `${node} runs ${useQuery(podInformer, bucketSize('node', node))} pods`;
 * }
 */
export function useQuery<T, I extends string, R>(
  collection: Collection<T, I> | undefined,
  query: Query<NoInfer<T>, R, NoInfer<I>>,
): QueryResult<R, T>;
export function useQuery<T, I extends string, R>(
  collection: Collection<T, I> | undefined,
  query: Query<NoInfer<T>, R, NoInfer<I>> | undefined,
): QueryResult<R, T> | undefined;
export function useQuery<T, I extends string, R>(
  collection: Collection<T, I> | undefined,
  query: Query<NoInfer<T>, R, NoInfer<I>> | undefined,
): QueryResult<R, T> | undefined {
  const pace = usePace();
  const store = query === undefined ? noAnswer : storeOf(collection, query, pace);
  return useStore<QueryResult<R, T> | undefined>(store, collection, query?.id ?? 'a query without an id');
}

const noAnswer = constantStore(undefined);

function storeOf<T, I extends string, R>(
  collection: Collection<T, I> | undefined,
  query: Query<T, R, I>,
  pace: CheckedPace,
): ExternalStore<QueryResult<R, T>> {
  const stores: unknown = collection === undefined ? noStores : storesOf(collection, pace);
  return (stores as ExternalStores<T, I>).query(query);
}

/** The answers of an empty collection, which has every index. */
const noStores = storesByQuery<unknown, string>((query) => constantStore(query.read(nothing)));

/**
 * Returns one bucket: the objects under one index value, in key order; `[]` while the value or the
 * collection is `undefined`. Short for `useQuery(collection, bucket(name, value))`.
 *
 * @param collection `undefined`: the result is `[]`
 * @param name the name of the index
 * @param value the index value
 * @returns an array that keeps its identity while the bucket stays the same
 * @throws `RXI_UNKNOWN_INDEX`, while rendering, for an error boundary
 * @example
 * function PodsOf({ node }: { node: string }) {
 *   const podsOfNode = useByIndex(podInformer, 'node', node);
 *   return `${node} runs ${podsOfNode.length} pods`;
 * }
 */
export function useByIndex<T, I extends string>(
  collection: Collection<T, I> | undefined,
  name: NoInfer<I>,
  value: string | undefined,
): readonly T[] {
  return useQuery(value === undefined ? undefined : collection, bucket(name, value ?? ''));
}

/**
 * Returns one object. It is `undefined` if there is no such object, if the collection has not
 * synced (see `useHasSynced`), or if the key is `undefined`. Short for `useQuery(collection,
 * objectByKey(key))`.
 *
 * @param collection `undefined`: the result is `undefined`
 * @param key the key in the informer: `namespace/name`, or `name` for kinds without namespaces
 * @returns the object of the collection, not a copy
 * @example
 * function Phase({ podKey }: { podKey: string }) {
 *   return useObject(podInformer, podKey)?.status?.phase ?? 'gone';
 * }
 */
export function useObject<T>(collection: Collection<T> | undefined, key: string | undefined): T | undefined {
  return useQuery(collection, key === undefined ? undefined : objectByKey(key));
}

/**
 * Returns all objects, or the objects that a label selector matches, in key order. Selectors that
 * mean the same share one query. Short for `useQuery(collection, matching(selector))`. For a table
 * with thousands of rows, use `useWindow`.
 *
 * @param collection `undefined`: the result is `[]`
 * @param selector default: all objects
 * @returns an array that keeps its identity while no selected object changes
 * @throws `RXI_INVALID_SELECTOR`, while rendering, for an error boundary
 * @example
 * function WebPods() {
 *   return useList(podInformer, 'app=web').map(({ metadata }) => metadata.name).join();
 * }
 */
export function useList<T, S extends LabelSelector = LabelSelector>(
  collection: Collection<T> | undefined,
  selector?: CheckedSelector<S>,
): readonly T[] {
  return useQuery(collection, selector === undefined ? allObjects() : matching(selector));
}

/**
 * Returns the values of an index that have at least one object, in order. Short for
 * `useQuery(collection, indexValues(name))`.
 *
 * @param collection `undefined`: the result is `[]`
 * @param name the name of the index
 * @returns an array that keeps its identity while the values stay the same
 * @throws `RXI_UNKNOWN_INDEX`, while rendering, for an error boundary
 * @example
 * function Nodes() {
 *   return useIndexValues(podInformer, 'node').join();
 * }
 */
export function useIndexValues<T, I extends string>(
  collection: Collection<T, I> | undefined,
  name: NoInfer<I>,
): readonly string[] {
  return useQuery(collection, indexValues(name));
}

const noArray: readonly never[] = Object.freeze([]);

/** An empty snapshot that has every index. */
const nothing: Snapshot<unknown> = Object.assign(Object.create(emptySnapshot()) as Snapshot<unknown>, {
  byIndex: () => noArray,
  index: () => noArray,
  indexKeys: () => noArray,
  indexValues: () => noArray,
  bucket: () => undefined,
  forEachBucket: () => undefined,
});

/**
 * Returns the snapshot of a store, and renders again when it changes.
 *
 * @param collection the collection that the devtools show; `question` is its query
 */
export function useStore<V>(
  { subscribe, getSnapshot, getServerSnapshot }: ExternalStore<V>,
  collection?: object,
  question = '',
): V {
  const follow = useCallback(
    (look: () => void) => {
      const usage = collection && usageOf(collection);
      const release = usage?.hold(question);
      const leave = subscribe(() => {
        if (usage) usage.emissions += 1;
        look();
      });
      // Before 19.3, React subscribes again when an `Activity` is shown again, but does not read
      // changes that it missed.
      look();
      return () => {
        leave();
        release?.();
      };
    },
    [subscribe, collection, question],
  );
  return useSyncExternalStore(follow, getSnapshot, getServerSnapshot);
}
