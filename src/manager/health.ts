import {
  catchError,
  combineLatest,
  defaultIfEmpty,
  defer,
  distinctUntilChanged,
  from,
  isObservable,
  map,
  of,
  skipWhile,
  takeLast,
  type Observable,
  type ObservableInput,
  type SchedulerLike,
  type Subscription,
} from 'rxjs';
import type { Collection } from '../collections/collection.js';
import { logCacheErrors, logEvent } from '../controller/reconcile/log-events.js';
import { watchedCache, whyNotReady, type Readiness } from '../controller/reconcile/readiness.js';
import { watchCaches } from '../controller/reconcile/watch-caches.js';
import { messageOf } from '../kubernetes/errors.js';
import type { Logger } from '../requests/logger.js';
import { health, type Routes } from './host.js';
import type { ManagerEventOf } from './manager-event.js';
import type { CheckedManagerOptions } from './manager-options.js';

/** Returns the routes of the server. A process that is being stopped is not ready. */
export function routes(options: CheckedManagerOptions, isRunning: boolean): Routes {
  const { metrics } = options;
  return {
    '/healthz': () => health(liveness$(options)),
    '/readyz': () => health(isRunning ? readiness$(options) : of(['the process is stopping'])),
    ...(metrics && {
      '/metrics': () =>
        defer(() => resultOf$(metrics.metrics())).pipe(
          map((text) => ({ status: 200, headers: { 'content-type': metrics.contentType }, body: String(text) })),
        ),
    }),
  };
}

/** Emits why the process is not healthy, one sentence each, and completes. */
function liveness$({ leader, checks }: CheckedManagerOptions): Observable<readonly string[]> {
  return combineLatest([
    of(undefined),
    named('leader election', () => leader?.checkHealth()),
    ...Object.entries(checks).map(([name, check]) => named(name, check)),
  ]).pipe(map((problems) => problems.filter((problem) => problem !== undefined)));
}

function named(name: string, check: () => unknown): Observable<string | undefined> {
  return defer(() => resultOf$(check())).pipe(
    map((result) => (result instanceof Error ? messageOf(result) : undefined)),
    catchError((error: unknown) => of(messageOf(error))),
    map((problem) => problem && `${name}: ${problem}`),
  );
}

/** Emits the value of a promise, the last value of an Observable, or the result itself. */
export function resultOf$(result: unknown): Observable<unknown> {
  const isPromise = typeof (result as Partial<PromiseLike<unknown>> | undefined)?.then === 'function';
  if (!isPromise && !isObservable(result)) return of(result);
  return from(result as ObservableInput<unknown>).pipe(takeLast(1), defaultIfEmpty(undefined));
}

/**
 * Emits the reasons why the process is not ready, at once and after each change: one sentence for
 * each cache of the controllers or in `caches` that has not synced. Does not connect the caches.
 */
function readiness$({ controllers, caches }: CheckedManagerOptions): Observable<readonly string[]> {
  const ofControllers = controllers.map(({ name, ready$ }) =>
    ready$.pipe(map((readiness) => reasonsOf(readiness).map((reason) => `${name}: ${reason}`))),
  );
  const ofCaches = Array.from(caches.further, ([trigger, collection]) => {
    const cache = watchedCache({ trigger, collection });
    return cache.health$.pipe(map((health) => [whyNotReady(cache, health)]));
  });
  return combineLatest([of([]), ...ofControllers, ...ofCaches]).pipe(
    map((reasons) => reasons.flat().filter((reason) => reason !== undefined)),
  );
}

function reasonsOf(readiness: Readiness): readonly string[] {
  return readiness.isReady ? [] : readiness.reasons;
}

/** Emits when readiness changes. At the start the process is not ready, and nothing is emitted. */
export function readinessEvents(options: CheckedManagerOptions): Observable<ManagerEventOf<'readiness'>> {
  return readiness$(options).pipe(
    map((reasons): ManagerEventOf<'readiness'> => ({ type: 'readiness', isReady: reasons.length === 0, reasons })),
    distinctUntilChanged((a, b) => a.isReady === b.isReady),
    skipWhile(({ isReady }) => !isReady),
  );
}

/** Logs why caches have not synced, and their errors, for caches that no controller logs. */
export function logCaches(
  caches: Iterable<readonly [trigger: string, collection: Collection<unknown>]>,
  logger: Logger,
  scheduler: SchedulerLike,
): Subscription {
  const watched = Array.from(caches, ([trigger, collection]) => watchedCache({ trigger, collection }));
  const subscription = logCacheErrors(watched, logger);
  subscription.add(
    watchCaches(watched, { syncTimeout: Infinity, scheduler }).subscribe((event) => logEvent(logger, event)),
  );
  return subscription;
}
