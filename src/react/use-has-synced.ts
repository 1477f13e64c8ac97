import { map, of, skipWhile, switchMap, type Observable } from 'rxjs';
import type { Collection } from '../informer/collection.js';
import type { Informer } from '../informer/informer.js';
import { toExternalStore } from '../views/external-store/to-external-store.js';
import { usePace } from './informers-context.js';
import { onceForEach } from './pace.js';
import { useStore } from './use-store.js';

const hasSyncedOf = onceForEach((collection, { latest, linger, scheduler }) =>
  toExternalStore(latest(hasSynced$(collection)), false, { linger, scheduler }),
);

/**
 * Whether a collection has its first content: tells an empty list from one that is not known yet. `false` on a server.
 *
 * **Guarantees**: renders once, together with what is shown of that content. It only observes, as `useStatus`. `useSynced` suspends instead.
 *
 * @example
 * function Pods() {
 *   const all = useList(podInformer);
 *   return useHasSynced(podInformer) ? `${all.length} pods` : 'loading';
 * }
 */
export function useHasSynced<T, I extends string>(collection: Collection<T, I>): boolean {
  return useStore(hasSyncedOf(collection, usePace()));
}

/** From the first `true` on; an informer that has stopped has forgotten what it had, and syncs again. */
function hasSynced$(
  collection: Collection<unknown> & Partial<Pick<Informer<unknown>, 'status$'>>,
): Observable<boolean> {
  const synced$ = collection.synced$.pipe(map(() => true));
  if (!collection.status$) return synced$;
  return collection.status$.pipe(
    switchMap(({ state }) => (state === 'stopped' ? of(collection.hasSynced) : synced$)),
    skipWhile((hasSynced) => !hasSynced),
  );
}
