import { ignoreElements, map, merge, of, skipWhile, switchMap, type Observable } from 'rxjs';
import type { Collection } from '../collections/collection.js';
import type { SourceStatus } from '../sources/model/watch-event.js';
import { constantStore, toExternalStore } from '../views/to-external-store.js';
import { onceForEach, usePace } from './informers-provider.js';
import { connection$, throughRestarts } from './keep-connected.js';
import { useStore } from './use-query.js';

const stopped: SourceStatus = Object.freeze({ state: 'stopped' });
const isStopped = constantStore(stopped);

const statusOf = onceForEach((collection, { latest, linger, scheduler }) =>
  toExternalStore<SourceStatus>(latest(whileRunning(collection, collection.status$)), stopped, { linger, scheduler }),
);

/**
 * Returns the status of the source of a collection: listing, watching, reconnecting, forbidden, and
 * so on. The collection runs while the hook is used, and for its `linger` after that.
 *
 * **Guarantees**: renders when the status changes, at most once a frame. On a server, returns
 * `stopped` and starts nothing.
 *
 * @param collection `undefined`: the status is `stopped`
 * @returns the current status
 * @example
 * function Connection() {
 *   const status = useStatus(podInformer);
 *   return status.state === 'forbidden' ? status.cause.message : status.state;
 * }
 */
export function useStatus<T, I extends string>(collection: Collection<T, I> | undefined): SourceStatus {
  const pace = usePace();
  return useStore(collection === undefined ? isStopped : statusOf(collection, pace), collection, 'status');
}

const isUnsynced = constantStore(false);

const hasSyncedOf = onceForEach((collection, { latest, linger, scheduler }) =>
  toExternalStore(latest(whileRunning(collection, hasSynced$(collection))), false, { linger, scheduler }),
);

/**
 * Returns true once a collection has its first content. This distinguishes an empty list from a
 * list that is not loaded yet. The collection runs while the hook is used. `useSynced` suspends
 * instead.
 *
 * **Guarantees**: renders once, together with the hooks that show this content. Returns `false` on
 * a server.
 *
 * @param collection `undefined`: the result is `false`
 * @returns false before the first content
 * @example
 * function Pods() {
 *   const all = useList(podInformer);
 *   return useHasSynced(podInformer) ? `${all.length} pods` : 'loading';
 * }
 */
export function useHasSynced<T, I extends string>(collection: Collection<T, I> | undefined): boolean {
  const pace = usePace();
  return useStore(collection === undefined ? isUnsynced : hasSyncedOf(collection, pace), collection, 'hasSynced');
}

/** Connects first, so the first value already shows the effect of the connection. */
function whileRunning<V>(collection: Collection<unknown>, value$: Observable<V>): Observable<V> {
  return merge(connection$(collection).pipe(ignoreElements(), throughRestarts(collection)), value$);
}

/** Emits true once synced, and false on a stop, which drops the objects. */
function hasSynced$(collection: Collection<unknown>): Observable<boolean> {
  const synced$ = collection.synced$.pipe(map(() => true));
  return collection.status$.pipe(
    switchMap(({ state }) => (state === 'stopped' ? of(collection.hasSynced) : synced$)),
    skipWhile((hasSynced) => !hasSynced),
  );
}
