import {
  combineLatest,
  filter,
  map,
  merge,
  NEVER,
  Observable,
  Subscription,
  takeUntil,
  timer,
  withLatestFrom,
  type SchedulerLike,
} from 'rxjs';
import { resourceName } from '../../kubernetes/resource.js';
import { whyWaiting, type CacheHealth, type WatchedCache } from './cache-health.js';
import { whyNotReady } from './readiness.js';
import type { CacheRecovered, CacheWaiting, SyncTimeout } from './reconcile-event.js';
import { initialWaiting, waitingStep, type WaitingState } from './waiting-step.js';

interface WatchOptions {
  readonly syncTimeout: number;
  readonly scheduler: SchedulerLike;
}

/** Emits which caches a controller waits for and why, at growing intervals. A cache that is well has no timer. */
export function watchCaches(
  caches: readonly WatchedCache[],
  options: WatchOptions,
): Observable<CacheWaiting | CacheRecovered | SyncTimeout> {
  return merge(...caches.map((cache) => watchCache(cache, options.scheduler)), timeout(caches, options));
}

function watchCache(cache: WatchedCache, scheduler: SchedulerLike): Observable<CacheWaiting | CacheRecovered> {
  return new Observable((subscriber) => {
    let state: WaitingState = initialWaiting;
    let alarm = Subscription.EMPTY;
    const step = (health: CacheHealth): void => {
      const at = scheduler.now();
      const since = state.troubledSince ?? at;
      const next = waitingStep(state, health, at);
      state = next.state;
      alarm.unsubscribe();
      const { alarmAt } = next;
      if (alarmAt !== undefined) {
        alarm = timer(alarmAt - at, scheduler).subscribe(() => {
          step(health);
        });
        subscriber.add(alarm);
      }
      if (next.report) subscriber.next(report(next.report, cache, health, at - since));
    };
    subscriber.add(cache.health$.subscribe(step));
  });
}

function report(
  type: 'waiting' | 'recovered',
  cache: WatchedCache,
  health: CacheHealth,
  waited: number,
): CacheWaiting | CacheRecovered {
  const { trigger, collection } = cache;
  const resource = collection.resource && resourceName(collection.resource);
  if (type === 'recovered') return { type, trigger, resource, waited };
  const { hasSynced, error } = health;
  return { type, trigger, resource, reason: whyWaiting(cache, health), error, hasSynced, waited };
}

function timeout(caches: readonly WatchedCache[], { syncTimeout, scheduler }: WatchOptions): Observable<SyncTimeout> {
  if (syncTimeout === Infinity) return NEVER;
  const reasons$ = combineLatest(
    caches.map((cache) => cache.health$.pipe(map((health) => whyNotReady(cache, health)))),
  ).pipe(map((reasons) => reasons.filter((reason) => reason !== undefined)));
  return timer(syncTimeout, scheduler).pipe(
    withLatestFrom(reasons$),
    map(([, reasons]): SyncTimeout => ({ type: 'sync-timeout', after: syncTimeout, reasons })),
    takeUntil(reasons$.pipe(filter((reasons) => reasons.length === 0))),
  );
}
