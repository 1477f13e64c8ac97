import type { ControllerStopping, ControllerSynced, ControllerStopped, ReconcileEvent } from './reconcile-event.js';
import {
  combineLatest,
  concat,
  defer,
  distinctUntilChanged,
  filter,
  map,
  of,
  startWith,
  type Observable,
  type SchedulerLike,
  catchError,
} from 'rxjs';
import type { CachedSource } from './sources.js';
import { DrainEndedError } from '../queue/errors.js';

/** Where a controller is in its life. */
export type LifePhase = 'syncing' | 'running' | 'stopping';

/** What may happen to it. */
export type LifeInput = ControllerSynced | ControllerStopping;

/** What is to be done: tell of it, let runs begin, take no more triggers, end what still runs and drop what waits. */
export type LifeEffect = 'tell' | 'start-runs' | 'stop-intake' | 'end-drain';

/** Where it is then, and what is to be done on the way. */
export interface LifeStep {
  readonly phase: LifePhase;
  readonly effects: readonly LifeEffect[];
}

/**
 * What follows from `input`. A controller that is stopped while it runs drains; one that has not synced knows too little to run anything, one
 * that loses a cache knows nothing any more, and one that is told twice to stop is in a hurry: those end at once.
 */
export function lifeStep(phase: LifePhase, input: LifeInput): LifeStep {
  if (input.type === 'synced') {
    return phase === 'syncing' ? { phase: 'running', effects: ['tell', 'start-runs'] } : { phase, effects: [] };
  }
  const isUrgent = phase !== 'running' || input.cause === 'collection-ended';
  const stop: readonly LifeEffect[] = phase === 'stopping' ? [] : ['tell', 'stop-intake'];
  return { phase: 'stopping', effects: isUrgent ? [...stop, 'end-drain'] : stop };
}

type CacheState = 'syncing' | 'synced' | 'ended';

/** Keeps the collections running while subscribed to; says when all of them have synced, and when one has ended. */
export function caches(sources: readonly CachedSource[], scheduler: SchedulerLike): Observable<LifeInput> {
  return defer(() => {
    const subscribedAt = scheduler.now();
    return combineLatest(sources.map(cacheState)).pipe(
      map((states) => inputOf(sources, states, scheduler.now() - subscribedAt)),
      filter((input) => input !== undefined),
      distinctUntilChanged((a, b) => a.type === b.type),
    );
  });
}

function cacheState({ collection: { snapshot$ } }: CachedSource): Observable<CacheState> {
  const synced$ = snapshot$.pipe(map((): CacheState => 'synced'));
  return concat(synced$, of<CacheState>('ended')).pipe(startWith<CacheState>('syncing'), distinctUntilChanged());
}

function inputOf(sources: readonly CachedSource[], states: readonly CacheState[], took: number): LifeInput | undefined {
  const ended = sources.find((_, index) => states[index] === 'ended');
  if (ended) return { type: 'stopping', cause: 'collection-ended', trigger: ended.trigger };
  return states.includes('syncing') ? undefined : { type: 'synced', took };
}

/** Each value of `stop$` is a wish to stop; whoever cannot say it any more, because it failed, is taken to have said it. */
export function stopInputs(stop$: Observable<unknown>): Observable<LifeInput> {
  return stop$.pipe(
    map((): LifeInput => ({ type: 'stopping', cause: 'stop' })),
    catchError((error: unknown) => of<LifeInput>({ type: 'stopping', cause: 'stop-failed', error })),
  );
}

/** Counts what becomes of the work that is left when a controller stops. */
export class StopTally {
  #stoppingAt = 0;
  #aborted = 0;
  #dropped = 0;

  count(event: ReconcileEvent, now: number): void {
    if (event.type === 'stopping') this.#stoppingAt = now;
    if (event.type === 'dropped') this.#dropped++;
    if (event.type === 'failed' && event.error instanceof DrainEndedError) this.#aborted++;
  }

  stopped(now: number): ControllerStopped {
    return { type: 'stopped', took: now - this.#stoppingAt, aborted: this.#aborted, dropped: this.#dropped };
  }
}
