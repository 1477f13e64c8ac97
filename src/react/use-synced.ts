import { useSyncExternalStore } from 'react';
import { filter, firstValueFrom, merge, timer, type Observable } from 'rxjs';
import type { Collection } from '../collections/collection.js';
import { noteShown } from '../collections/reports.js';
import type { QueryResult, Query } from '../queries/query.js';
import type { SourceError } from '../sources/model/errors.js';
import type { SourceStatus } from '../sources/model/watch-event.js';
import { usePace, onceForEach } from './informers-provider.js';
import { keepConnected } from './keep-connected.js';
import type { CheckedPace } from './pace.js';
import { useQuery } from './use-query.js';

/**
 * Milliseconds after which a suspended component is rendered again. React does not report when it
 * discards a suspended component. A component that still exists renders and keeps its informer
 * connected; otherwise the informer is released.
 */
const PATIENCE = 5000;

const waitingOf = onceForEach((collection, { scheduler }) => {
  let waiting: Promise<unknown> | undefined;
  return (): Promise<unknown> => {
    if (waiting) return waiting;
    // The connection lasts twice as long as the thrown promise. So a component that is rendered
    // again renews the connection before it ends.
    keepConnected(collection, 2 * PATIENCE, scheduler);
    const news$ = merge(collection.synced$, refused$(collection), timer(PATIENCE, scheduler));
    waiting = firstValueFrom(news$).finally(() => {
      waiting = undefined;
    });
    return waiting;
  };
});

/**
 * Suspends until all of the collections have their first content. Meanwhile the surrounding
 * `Suspense` shows its fallback. The collections load in parallel. Call it once in a component,
 * before other hooks of the same collections. For one collection, `useSuspenseQuery` waits and
 * queries in one call.
 *
 * On a server, and in the first render of a server-rendered page, it does nothing: the page shows
 * the empty state.
 *
 * **Guarantees**: a suspended component keeps its informers connected. If React discards the
 * component, its informers are released after at most ten seconds. Once the collections have
 * synced, the hook never suspends again, even if the connection is lost.
 *
 * @param collections the collections to wait for; `undefined` is ignored
 * @throws the error of a source that is `forbidden` or `not-found` before it has synced. The error
 *   is thrown while rendering, for an error boundary. React writes it to the console, and the
 *   informer does not write it a second time. The source continues to retry while it is used. During any other failure, the component stays suspended; show the failure with
 *   `useStatus` outside of the `Suspense`
 * @example
 * function PodsOfNodes() {
 *   useSynced(podInformer, nodeInformer);
 *   return `${useList(podInformer).length} pods on ${useList(nodeInformer).length} nodes`;
 * }
 */
export function useSynced(...collections: readonly (Collection<unknown, never> | undefined)[]): void {
  const pace = usePace();
  const isInBrowser = useSyncExternalStore(
    subscribeToNothing,
    () => true,
    () => false,
  );
  if (!isInBrowser) return;
  const unsynced = collections.filter((collection) => collection !== undefined && !collection.hasSynced);
  if (unsynced.length > 0) wait(unsynced as readonly Collection<unknown>[], pace);
}

/** Starts all collections that do not run. Throws a promise if they do not sync at once. */
function wait(collections: readonly Collection<unknown>[], pace: CheckedPace): void {
  const waiting = collections.map((collection) => waitingOf(collection, pace)());
  for (const { hasSynced, status } of collections) {
    const refusal = hasSynced ? undefined : refusalOf(status);
    if (refusal) {
      noteShown(refusal);
      throw refusal;
    }
  }
  if (collections.some(({ hasSynced }) => !hasSynced)) throw Promise.race(waiting);
}

/**
 * Returns the answer of a query like `useQuery`, and suspends until the collection has its first
 * content like `useSynced`. Several calls suspend one after the other. To load several collections
 * in parallel, call `useSynced(a, b)` first.
 *
 * @param collection the collection to read
 * @param query the query, for example `bucket` or `matching`
 * @returns the answer, as `useQuery` returns it
 * @throws the errors of `useSynced` and `useQuery`
 * @example
 * function Load({ node }: { node: string }) {
 *   return `${node} runs ${useSuspenseQuery(podInformer, bucketSize('node', node))} pods`;
 * }
 */
export function useSuspenseQuery<T, I extends string, R>(
  collection: Collection<T, I>,
  query: Query<NoInfer<T>, R, NoInfer<I>>,
): QueryResult<R, T> {
  useSynced(collection);
  return useQuery(collection, query);
}

function refused$({ status$ }: Collection<unknown>): Observable<unknown> {
  return status$.pipe(filter((status) => refusalOf(status) !== undefined));
}

function refusalOf(status: SourceStatus): SourceError | undefined {
  return status.state === 'forbidden' || status.state === 'not-found' ? status.cause : undefined;
}

function subscribeToNothing(): () => void {
  return () => undefined;
}
