import type { Collection } from '../informer/collection.js';
import type { LabelSelector } from '../kubernetes/selector.js';
import { useStore, useStores } from './use-store.js';

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
