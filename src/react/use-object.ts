import type { Collection } from '../informer/collection.js';
import { useStore, useStores } from './use-store.js';

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
