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
import { whyWaiting, type CacheHealth, type WatchedCache, whyNotReady } from './readiness.js';
import type { ReconcileEventOf } from './reconcile-event.js';

interface WatchOptions {
  readonly syncTimeout: number;
  readonly scheduler: SchedulerLike;
}

/** Emits which caches a controller waits for and why, at growing intervals. */
export function watchCaches(
  caches: readonly WatchedCache[],
  options: WatchOptions,
): Observable<ReconcileEventOf<'waiting' | 'recovered' | 'sync-timeout'>> {
  return merge(...caches.map((cache) => watchCache(cache, options.scheduler)), timeout(caches, options));
}

function watchCache(
  cache: WatchedCache,
  scheduler: SchedulerLike,
): Observable<ReconcileEventOf<'waiting' | 'recovered'>> {
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
        alarm = timer(alarmAt - at, scheduler).subscribe(() => step(health));
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
): ReconcileEventOf<'waiting' | 'recovered'> {
  const { trigger, collection } = cache;
  const resource = collection.resource && resourceName(collection.resource);
  if (type === 'recovered') return { type, trigger, resource, waited };
  const { hasSynced, error } = health;
  return { type, trigger, resource, reason: whyWaiting(cache, health), error, hasSynced, waited };
}

function timeout(
  caches: readonly WatchedCache[],
  { syncTimeout, scheduler }: WatchOptions,
): Observable<ReconcileEventOf<'sync-timeout'>> {
  if (syncTimeout === Infinity) return NEVER;
  const reasons$ = combineLatest(
    caches.map((cache) => cache.health$.pipe(map((health) => whyNotReady(cache, health)))),
  ).pipe(map((reasons) => reasons.filter((reason) => reason !== undefined)));
  return timer(syncTimeout, scheduler).pipe(
    withLatestFrom(reasons$),
    map(([, reasons]): ReconcileEventOf<'sync-timeout'> => ({ type: 'sync-timeout', after: syncTimeout, reasons })),
    takeUntil(reasons$.pipe(filter((reasons) => reasons.length === 0))),
  );
}

/** One cache, to decide when to report that a controller waits for it. In milliseconds. */
interface WaitingState {
  /** Since when the cache is in trouble; `undefined` while it is well. */
  readonly troubledSince: number | undefined;
  /** Since when the cache is well; `undefined` while it is in trouble. */
  readonly wellSince: number | undefined;
  /** True if this trouble was reported, so that its end is reported too. */
  readonly isReported: boolean;
  /** The last report, what it said, and the wait before the next; if any was made recently. */
  readonly last: { readonly at: number; readonly wait: number; readonly kinds: readonly string[] } | undefined;
}

interface WaitingStep {
  readonly state: WaitingState;
  /** What to report now. */
  readonly report: 'waiting' | 'recovered' | undefined;
  /** When to take the next step if nothing happens before that time. */
  readonly alarmAt: number | undefined;
}

const initialWaiting: WaitingState = {
  troubledSince: undefined,
  wellSince: undefined,
  isReported: false,
  last: undefined,
};

const firstWait = 5_000;
const maxWait = 300_000;
/** Milliseconds of health after which reports are forgotten; before, they stay rare. */
const wellAfter = 60_000;

/**
 * Returns what to report about a cache at the time `at`. Pure.
 *
 * | the cache | reported |
 * | --- | --- |
 * | has not synced, without an error | after 5 s |
 * | cannot list or watch: an error that is not `expected` | at once |
 * | is still in trouble | 5 s after the last report, then 10 s, 20 s, … at most every 5 minutes |
 * | is in trouble for a reason that was not reported yet | 5 s after the last report at the latest
 * |
 * | works again | at once, if the trouble was reported |
 */
function waitingStep(state: WaitingState, health: CacheHealth, at: number): WaitingStep {
  if (health.hasSynced && health.error === undefined) return well(state, at);
  const troubledSince = state.troubledSince ?? at;
  const last = state.wellSince !== undefined && at - state.wellSince >= wellAfter ? undefined : state.last;
  const troubled: WaitingState = { ...state, troubledSince, wellSince: undefined, last };
  const kind = kindOf(health);
  const dueAt = Math.max(firstReportAt(troubledSince, health), last ? nextReportAt(last, kind) : 0);
  if (at < dueAt) return { state: troubled, report: undefined, alarmAt: dueAt };
  const wait = last ? Math.min(2 * last.wait, maxWait) : firstWait;
  const kinds = [...new Set([...(last?.kinds ?? []), kind])];
  return {
    state: { ...troubled, isReported: true, last: { at, wait, kinds } },
    report: 'waiting',
    alarmAt: at + wait,
  };
}

function well({ wellSince, isReported, last }: WaitingState, at: number): WaitingStep {
  const state = { troubledSince: undefined, wellSince: wellSince ?? at, isReported: false, last };
  return { state, report: isReported ? 'recovered' : undefined, alarmAt: undefined };
}

function firstReportAt(troubledSince: number, { error }: CacheHealth): number {
  return error === undefined || error.expected ? troubledSince + firstWait : troubledSince;
}

function nextReportAt({ at, wait, kinds }: NonNullable<WaitingState['last']>, kind: string): number {
  return at + (kinds.includes(kind) ? wait : firstWait);
}

/** Returns the kind of a failure. There are few kinds, so reports of new kinds are few. */
function kindOf({ error }: CacheHealth): string {
  if (error === undefined) return '';
  return `${error.code} ${'statusCode' in error ? error.statusCode : ''}`;
}
