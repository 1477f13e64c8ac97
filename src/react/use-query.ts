import { useCallback, useSyncExternalStore } from 'react';
import type { Collection } from '../informer/collection.js';
import type { LabelSelector } from '../kubernetes/selector.js';
import { bucket, indexValues } from '../queries/bucket-queries.js';
import { allObjects, matching, objectByKey } from '../queries/object-queries.js';
import type { Answer, Query } from '../queries/query.js';
import { externalStores, type ExternalStores } from '../views/external-stores.js';
import type { ExternalStore } from '../views/to-external-store.js';
import { onceForEach, throughRestarts, usePace } from './informers-provider.js';

const storesOf = onceForEach((collection, { latest, linger, scheduler }) =>
  externalStores(collection, {
    through: (value$) => latest(value$.pipe(throughRestarts(collection))),
    linger,
    scheduler,
  }),
);

/**
 * Returns the answer of a query, and renders again when it differs. Before the first content it is
 * the answer of an empty collection: `[]`, `undefined`, `0`.
 *
 * A query with an id (`bucket`, `bucketSize`, `matching` with a selector, …) may be written in
 * place. Keep one without an id (`select`, `matching` with a function, one of your own) outside of the component, or
 * in `useMemo`: another query object is another subscription.
 *
 * **Guarantees**: renders only when the answer differs by the query's `isEqual`, at most once a
 * frame, and not while the tab is hidden. Objects that did not change keep their identity, so rows
 * in `memo` are not rendered. All components that ask the same question see the same version (no
 * tearing) and share one subscription. The informer runs while the hook is used, and lingers.
 * **Does not guarantee**: that a component that is mounted between two frames shows the same version
 * as components with other questions, before the next frame.
 *
 * @throws `UnknownIndexError`, while rendering, for an error boundary
 * @example
 * function Load({ node }: { node: string }) {
 *   return `${node} runs ${useQuery(podInformer, bucketSize('node', node))} pods`;
 * }
 */
export function useQuery<T, I extends string, R>(
  collection: Collection<T, I>,
  query: Query<NoInfer<T>, R, NoInfer<I>>,
): Answer<R, T> {
  const stores = storesOf(collection, usePace()) as unknown as ExternalStores<T, I>;
  return useStore(stores.query(query));
}

/**
 * Returns one bucket: the objects under one index value, in key order. Short for
 * `useQuery(collection, bucket(name, value))`.
 *
 * @throws `UnknownIndexError`, while rendering, for an error boundary
 * @example
 * function PodsOf({ node }: { node: string }) {
 *   const podsOfNode = useByIndex(podInformer, 'node', node);
 *   return `${node} runs ${podsOfNode.length} pods`;
 * }
 */
export function useByIndex<T, I extends string>(
  collection: Collection<T, I>,
  name: NoInfer<I>,
  value: string,
): readonly T[] {
  return useQuery(collection, bucket(name, value));
}

/**
 * Returns one object, `undefined` while it does not exist or nothing is known (`useHasSynced` says
 * which). Short for `useQuery(collection, objectByKey(key))`.
 *
 * @param key as the informer stores it: `namespace/name`, or `name` for kinds without namespaces
 * @example
 * function Phase({ podKey }: { podKey: string }) {
 *   return useObject(podInformer, podKey)?.status?.phase ?? 'gone';
 * }
 */
export function useObject<T>(collection: Collection<T>, key: string): T | undefined {
  return useQuery(collection, objectByKey(key));
}

/**
 * Returns all objects, or those that a label selector matches, in key order. Selectors that mean the
 * same are the same question. Short for `useQuery(collection, matching(selector))`. For a table of
 * thousands, use `useWindow`.
 *
 * @throws `InvalidSelectorError`, while rendering, for an error boundary
 * @example
 * function WebPods() {
 *   return useList(podInformer, 'app=web').map(({ metadata }) => metadata.name).join();
 * }
 */
export function useList<T>(collection: Collection<T>, selector?: LabelSelector): readonly T[] {
  return useQuery(collection, selector === undefined ? allObjects() : matching(selector));
}

/**
 * Returns the values of an index that have at least one object, in order. Short for
 * `useQuery(collection, indexValues(name))`.
 *
 * @throws `UnknownIndexError`, while rendering, for an error boundary
 * @example
 * function Nodes() {
 *   return useIndexValues(podInformer, 'node').join();
 * }
 */
export function useIndexValues<T, I extends string>(collection: Collection<T, I>, name: NoInfer<I>): readonly string[] {
  return useQuery(collection, indexValues(name));
}

/** Returns the snapshot of a store, and renders again when it changes. */
export function useStore<V>({ subscribe, getSnapshot, getServerSnapshot }: ExternalStore<V>): V {
  const follow = useCallback(
    (look: () => void) => {
      const leave = subscribe(look);
      // Before 19.3, React subscribes again for what an `Activity` shows again, but does not look for what it has missed.
      look();
      return leave;
    },
    [subscribe],
  );
  return useSyncExternalStore(follow, getSnapshot, getServerSnapshot);
}
