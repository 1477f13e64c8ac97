import type { Collection } from '../informer/collection.js';
import { useStore, useStores } from './use-store.js';

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
