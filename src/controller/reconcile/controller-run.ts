import {
  catchError,
  combineLatest,
  concat,
  connectable,
  defer,
  distinctUntilChanged,
  EMPTY,
  filter,
  identity,
  map,
  merge,
  NEVER,
  Observable,
  of,
  ReplaySubject,
  startWith,
  Subject,
  takeUntil,
  type MonoTypeOperatorFunction,
  type SchedulerLike,
} from 'rxjs';
import { internalSnapshots } from '../../collections/log-collection.js';
import { isRxInformersError } from '../../kubernetes/errors.js';
import { runProtocol, type Step } from '../../scheduling/run-protocol.js';
import type { HandOver } from '../lease/written-versions.js';
import type { KeyRequest } from '../queue/queue-item.js';
import type { HookFailures } from '../safe-hooks.js';
import type { UnsettledWork } from '../workqueue/held-keys.js';
import type { RunContext } from '../workqueue/run.js';
import type { checkedWorkqueueOptions } from '../workqueue/workqueue-options.js';
import { runKeys } from '../workqueue/workqueue.js';
import type { RunLog } from './log-events.js';
import type { ControllerReadiness, WatchedCache } from './readiness.js';
import { fromQueueEvent, type ReconcileEventOf, type ReasonText, type ReconcileEvent } from './reconcile-event.js';
import { measureRuns, type ReconcileMetrics } from './reconcile-metrics.js';
import type { CachedSource, Sources } from './sources.js';
import type { StaleCacheGuard } from './stale-cache-guard.js';
import { triggers } from './triggers.js';
import { watchCaches } from './watch-caches.js';

export type State = 'syncing' | 'running' | 'stopping';

/** The inputs of a controller: all caches have synced, or the controller has to stop. */
export type Input = ReconcileEventOf<'synced' | 'stopping'>;

/**
 * - `emit`: emit the event
 * - `start-runs`: let runs begin
 * - `stop-intake`: take no more triggers
 * - `end-drain`: abort the running keys, and drop the waiting keys
 */
export type Effect = { readonly type: 'emit'; readonly event: Input } | 'start-runs' | 'stop-intake' | 'end-drain';

/**
 * Returns the next state and the effects of an input. Pure.
 *
 * | state | synced | stop | a cache ended |
 * | --- | --- | --- | --- |
 * | syncing | running | stopping, at once: the caches are incomplete | stopping, at once |
 * | running | | stopping: queued and running keys are finished | stopping, at once: the cache is
 * empty |
 * | stopping | | the drain ends at once: the second request is urgent | the drain ends at once |
 */
export function step(state: State, input: Input): Step<State, Effect> {
  const emit = { type: 'emit', event: input } as const;
  if (input.type === 'synced') {
    return state === 'syncing' ? { state: 'running', effects: [emit, 'start-runs'] } : { state, effects: [] };
  }
  const isUrgent = state !== 'running' || input.cause === 'collection-ended';
  const stop: readonly Effect[] = state === 'stopping' ? [] : [emit, 'stop-intake'];
  return { state: 'stopping', effects: isUrgent ? [...stop, 'end-drain'] : stop };
}

/** The parts of one `controller(…)` that all its subscriptions share. */
export interface ControllerRunContext {
  readonly sources: Sources<unknown>;
  readonly caches: readonly WatchedCache[];
  readonly readiness: ControllerReadiness;
  readonly run: (key: string, context: RunContext<ReasonText>) => unknown;
  readonly queueOptions: ReturnType<typeof checkedWorkqueueOptions>;
  readonly debounced: MonoTypeOperatorFunction<KeyRequest<string, ReasonText>>;
  readonly unsettled: UnsettledWork;
  readonly guard: StaleCacheGuard | undefined;
  /** Each Observable emits requests to stop. */
  readonly stops: readonly Observable<unknown>[];
  readonly graceIsOver$: Observable<unknown>;
  readonly syncTimeout: number;
  readonly scheduler: SchedulerLike;
  readonly hooks: HookFailures;
  readonly metrics: ReconcileMetrics | undefined;
  readonly log: RunLog;
}

/**
 * Runs a controller once for each subscription. Teardown ends the runs while their caches are
 * connected, then the triggers, then the caches. A drain ignores triggers.
 */
export function runOf(context: ControllerRunContext, handOver?: HandOver): Observable<ReconcileEvent> {
  const { sources, caches, readiness, hooks, scheduler, log, guard, queueOptions, unsettled } = context;
  return new Observable((subscriber) => {
    const runsStart = new Subject<void>();
    const intakeStops = new ReplaySubject<void>(1);
    const drainEnds = new ReplaySubject<void>(1);
    const tally = new StopTally();
    const meter = context.metrics && measureRuns(context.metrics, queueOptions);

    const emit = (event: ReconcileEvent): void => {
      if (subscriber.closed) return;
      tally.count(event, scheduler.now());
      if (event.type === 'stopping') readiness.stopping();
      meter?.count(event);
      log.write(event);
      subscriber.next(event);
      for (const failed of hooks.take()) {
        log.write(failed);
        subscriber.next(failed);
      }
    };
    const run = runProtocol<State, Input, Effect>({
      initial: 'syncing',
      step,
      carryOut: (effect) => {
        switch (effect) {
          case 'start-runs':
            runsStart.next();
            return;
          case 'stop-intake':
            intakeStops.next();
            return;
          case 'end-drain':
            drainEnds.next();
            return;
          default:
            emit(effect.event);
        }
      },
      scheduler,
    });

    // `watches` stay subscribed until the runs have ended, which may need what these keep alive.
    const external = sources.external.map((source) => ({ ...source, values$: connectable(source.values$) }));
    const inputs$ = merge(
      NEVER,
      triggers({ ...sources, external }, { report: emit, scheduler }),
      guard?.handOver.begin(handOver) ?? EMPTY,
    ).pipe(takeUntil(intakeStops));
    const guarded = guard?.begin(emit);
    const runs$ = inputs$.pipe(
      guarded?.triggers ?? identity,
      context.debounced,
      (keys$) => {
        const drainUntil = merge(context.graceIsOver$, drainEnds);
        const options = { ...queueOptions, startWhen: runsStart, drainUntil, handOver };
        return runKeys(keys$, context.run, options, { unsettled, ...guarded });
      },
      guarded?.events() ?? identity,
      filter((event) => event.type !== 'refused'),
      map(fromQueueEvent),
    );
    const error = (cause: unknown): void => subscriber.error(cause);
    const complete = (): void => {
      emit(tally.stopped(scheduler.now()));
      subscriber.complete();
    };

    subscriber.add(run);
    readiness.begin();
    subscriber.add(() => {
      meter?.end();
      readiness.end();
    });
    subscriber.add(log.followErrors(sources.collections));
    for (const stop$ of context.stops) subscriber.add(stopInputs(stop$).subscribe(run.feed));
    const waiting$ = watchCaches(caches, context);
    subscriber.add(waiting$.pipe(takeUntil(intakeStops)).subscribe(emit));
    subscriber.add(runs$.subscribe({ next: emit, error, complete }));
    for (const { values$ } of external) if (!subscriber.closed) subscriber.add(values$.connect());
    // A controller that was stopped before it began connects nothing.
    if (!subscriber.closed) subscriber.add(cacheInputs(sources.collections, scheduler).subscribe(run.feed));
  });
}

type CacheState = 'syncing' | 'synced' | 'ended';

/** Connects the collections. Emits when all have synced, and when one has ended. */
function cacheInputs(sources: readonly CachedSource[], scheduler: SchedulerLike): Observable<Input> {
  return defer(() => {
    const subscribedAt = scheduler.now();
    return combineLatest(sources.map(cacheState)).pipe(
      map((states) => inputOf(sources, states, scheduler.now() - subscribedAt)),
      filter((input) => input !== undefined),
      distinctUntilChanged((a, b) => a.type === b.type),
    );
  });
}

function cacheState({ collection }: CachedSource): Observable<CacheState> {
  const synced$ = internalSnapshots(collection).pipe(map((): CacheState => 'synced'));
  return concat(synced$, of<CacheState>('ended')).pipe(startWith<CacheState>('syncing'), distinctUntilChanged());
}

function inputOf(sources: readonly CachedSource[], states: readonly CacheState[], took: number): Input | undefined {
  const ended = sources.find((_, index) => states[index] === 'ended');
  if (ended) return { type: 'stopping', cause: 'collection-ended', trigger: ended.trigger };
  return states.includes('syncing') ? undefined : { type: 'synced', took };
}

/** Emits a request to stop for each value, and for an error: it could not request one later. */
function stopInputs(stop$: Observable<unknown>): Observable<Input> {
  return stop$.pipe(
    map((): Input => ({ type: 'stopping', cause: 'stop' })),
    catchError((error: unknown) => of<Input>({ type: 'stopping', cause: 'stop-failed', error })),
  );
}

/** Counts the runs that are aborted and the keys that are dropped while a controller stops. */
class StopTally {
  #stoppingAt = 0;
  #aborted = 0;
  #dropped = 0;

  count(event: ReconcileEvent, now: number): void {
    if (event.type === 'stopping') this.#stoppingAt = now;
    if (event.type === 'dropped') this.#dropped++;
    if (event.type === 'failed' && isRxInformersError(event.error, 'RXI_DRAIN_ENDED')) this.#aborted++;
  }

  stopped(now: number): ReconcileEventOf<'stopped'> {
    return { type: 'stopped', took: now - this.#stoppingAt, aborted: this.#aborted, dropped: this.#dropped };
  }
}
