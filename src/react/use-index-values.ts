import type { Collection } from '../informer/collection.js';
import { useStore, useStores } from './use-store.js';

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
