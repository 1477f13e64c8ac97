import { useCallback, useSyncExternalStore } from 'react';
import type { Collection } from '../informer/collection.js';
import type { ExternalStore } from '../views/to-external-store.js';
import { externalStores, type ExternalStores } from '../views/external-stores.js';
import { usePace, onceForEach, throughRestarts } from './informers-provider.js';
import type { LabelSelector } from '../kubernetes/selector.js';

const storesOf = onceForEach((collection, { latest, linger, scheduler }) =>
  externalStores(collection, {
    through: (value$) => latest(value$.pipe(throughRestarts(collection))),
    linger,
    scheduler,
  }),
);

/** What a store holds, from now on. */
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

/** The stores of a collection, which all components that are drawn at the same pace share. */
export function useStores<T, I extends string>(collection: Collection<T, I>): ExternalStores<T, I> {
  return storesOf(collection, usePace()) as unknown as ExternalStores<T, I>;
}

/**
 * One bucket: the objects that an index has under a value, in key order; an empty list while nothing is known.
 *
 * **Guarantees**: renders only where an object of the bucket entered, left or changed, at most once a frame, and not while the tab is hidden;
 * objects that did not change keep their identity, so rows in `memo` are not rendered; all who ask for the same see the same version
 * (no tearing), and share one subscription. The informer runs while it is used, and lingers.
 * **Does not guarantee**: that one who asks for something else, and comes between two frames, is not ahead until the next one.
 * **Errors**: `UnknownIndexError` is thrown while rendering, for an error boundary.
 *
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
  return useStore(useStores(collection).byIndex(name, value));
}

/**
 * One object, `undefined` while it does not exist or nothing is known (`useHasSynced` tells which).
 *
 * **Guarantees**: renders only where this object appeared, changed or went; otherwise as `useByIndex`.
 *
 * @param key as the informer stores it: `namespace/name`, or `name` for kinds without namespaces
 * @example
 * function Phase({ podKey }: { podKey: string }) {
 *   return useObject(podInformer, podKey)?.status?.phase ?? 'gone';
 * }
 */
export function useObject<T>(collection: Collection<T>, key: string): T | undefined {
  return useStore(useStores(collection).get(key));
}

/**
 * All objects, or those that a label selector matches, in key order; an empty list while nothing is known.
 *
 * The selector need not be the same object each time: what it says counts. Of thousands of objects a table shows a part: `useWindow`.
 *
 * **Guarantees**: renders only where an object of the list entered, left or changed; otherwise as `useByIndex`.
 * **Errors**: `InvalidSelectorError` is thrown while rendering, for an error boundary.
 *
 * @example
 * function WebPods() {
 *   return useList(podInformer, 'app=web').map(({ metadata }) => metadata.name).join();
 * }
 */
export function useList<T>(collection: Collection<T>, selector?: LabelSelector): readonly T[] {
  return useStore(useStores(collection).list(selector));
}

/**
 * The values of an index that have at least one object, in order; an empty list while nothing is known.
 *
 * **Guarantees**: renders only where a value appeared or disappeared; otherwise as `useByIndex`.
 * **Errors**: `UnknownIndexError` is thrown while rendering, for an error boundary.
 *
 * @example
 * function Nodes() {
 *   return useIndexValues(podInformer, 'node').join();
 * }
 */
export function useIndexValues<T, I extends string>(collection: Collection<T, I>, name: NoInfer<I>): readonly string[] {
  return useStore(useStores(collection).indexValues(name));
}
