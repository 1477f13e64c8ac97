import type { SourceStatus } from '../sources/model/watch-event.js';
import { toExternalStore } from '../views/to-external-store.js';
import { usePace, onceForEach } from './informers-provider.js';
import { useStore } from './use-query.js';
import { map, of, skipWhile, switchMap, type Observable } from 'rxjs';
import type { Collection } from '../informer/collection.js';

const stopped: SourceStatus = Object.freeze({ state: 'stopped' });

const statusOf = onceForEach((collection, { latest, linger, scheduler }) =>
  toExternalStore<SourceStatus>(latest(collection.status$), stopped, { linger, scheduler }),
);

/**
 * What an informer's source is doing: listing, watching, reconnecting, forbidden, and so on; `stopped` on a server.
 *
 * **Guarantees**: renders when the status changes, at most once a frame. It only observes: an informer that nobody else uses is not started by it.
 *
 * @example
 * function Connection() {
 *   const status = useStatus(podInformer);
 *   return status.state === 'forbidden' ? status.cause.message : status.state;
 * }
 */
export function useStatus<T, I extends string>(collection: Collection<T, I>): SourceStatus {
  return useStore(statusOf(collection, usePace()));
}

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
function hasSynced$(collection: Collection<unknown>): Observable<boolean> {
  const synced$ = collection.synced$.pipe(map(() => true));
  return collection.status$.pipe(
    switchMap(({ state }) => (state === 'stopped' ? of(collection.hasSynced) : synced$)),
    skipWhile((hasSynced) => !hasSynced),
  );
}
