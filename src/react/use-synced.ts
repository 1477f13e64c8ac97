import { useSyncExternalStore } from 'react';
import { filter, firstValueFrom, merge, timer, type Observable } from 'rxjs';
import type { Collection } from '../informer/collection.js';
import type { SourceError } from '../sources/model/errors.js';
import type { SourceStatus } from '../sources/model/watch-event.js';
import { usePace, keepConnected, onceForEach, type Pace } from './informers-provider.js';

/**
 * Milliseconds after which a component that is still suspended is asked again. React does not tell when a suspended component is
 * given up: one that is no more does not answer, and its informer is let go.
 */
const PATIENCE = 5000;

const waitingOf = onceForEach((collection, { scheduler }) => {
  let waiting: Promise<unknown> | undefined;
  return (): Promise<unknown> => {
    if (waiting) return waiting;
    // Twice as long as what is thrown: whoever is asked again takes hold before it is let go.
    keepConnected(collection, 2 * PATIENCE, scheduler);
    const news$ = merge(collection.synced$, refused$(collection), timer(PATIENCE, scheduler));
    waiting = firstValueFrom(news$).finally(() => {
      waiting = undefined;
    });
    return waiting;
  };
});

/**
 * Suspends until a collection has its first content, so that a `Suspense` around it shows its fallback meanwhile. Call it before other hooks
 * of the same collection.
 *
 * On a server, and for the first render of a page that came from one, it does nothing: those show the empty state.
 *
 * **Guarantees**: a suspended component keeps its informer connected, and one that is given up lets it go after at most ten seconds; once
 * synced, it never suspends again, whatever happens to the connection.
 * **Errors**: where the source is `forbidden` or `not-found` before it has synced, its error is thrown for an error boundary; the source goes
 * on trying while anybody uses it. Any other failure is waited for: `useStatus` outside of the `Suspense` shows it.
 *
 * @example
 * function Pods() {
 *   useSynced(podInformer);
 *   return `${useList(podInformer).length} pods`;
 * }
 */
export function useSynced<T, I extends string>(collection: Collection<T, I>): void {
  const pace = usePace();
  const isInBrowser = useSyncExternalStore(subscribeToNothing, yes, no);
  if (isInBrowser && !collection.hasSynced) wait(collection, pace);
}

/** Starts the collection if nobody has; throws where that does not give it its content at once. */
function wait(collection: Collection<unknown>, pace: Pace): void {
  const waiting = waitingOf(collection, pace)();
  if (collection.hasSynced) return;
  const refusal = refusalOf(collection.status);
  if (refusal) throw refusal;
  throw waiting;
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

function yes(): boolean {
  return true;
}

function no(): boolean {
  return false;
}
