import {
  connect,
  endWith,
  filter,
  ignoreElements,
  interval,
  map,
  merge,
  switchMap,
  take,
  takeUntil,
  tap,
  type MonoTypeOperatorFunction,
  type SchedulerLike,
} from 'rxjs';
import { steady, checkedDuration } from '../scheduling/clock.js';
import type { ChangeSet } from '../store/change.js';

/** Options of `resync`. */
export interface ResyncOptions {
  /** The clock (default `asyncScheduler`); tests pass their own. */
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * Passes on every change set, and every `period` ms emits all current objects again. This is a
 * level-triggered safety net for consumers that may have failed on a change.
 *
 * | in | out |
 * | --- | --- |
 * | any change set | the same change set |
 * | every `period` ms | one set with reason `resync`: an `updated` for each object that is held, with the same object as `previous` |
 * | every `period` ms, while no object is held | nothing |
 *
 * The operator holds the objects that it has passed on, so filters before it apply. The timer
 * starts with the first change set and ends with the source. Relists do not restart the timer (▲
 * R20).
 *
 * **Guarantees**: sends no request; a resynced object is never older than the last version that
 * this consumer received.
 * **Costs**: one map entry (not a copy of the object) for each object and subscriber.
 * **Errors**: throws `RXI_INVALID_OPTION` at once if `period` is longer than a timer supports.
 *
 * @param period the period in milliseconds; 0 means never
 * @param options the clock; default `asyncScheduler`
 * @returns an operator on change sets
 * @throws `RXI_INVALID_OPTION` if `period` is longer than a timer supports
 * @example
 * informer.changes$
 *   .pipe(resync(10 * 60_000))
 *   .subscribe(({ reason, changes }) => console.log(reason, changes.length));
 */
export function resync<T>(period: number, options: ResyncOptions = {}): MonoTypeOperatorFunction<ChangeSet<T>> {
  const scheduler = steady(options.scheduler);
  checkedDuration('period', period);
  if (period === 0) return (sets$) => sets$;
  return connect((sets$) => {
    const objects = new Map<string, T>();
    const end$ = sets$.pipe(ignoreElements(), endWith(undefined));
    const resyncs$ = sets$.pipe(
      take(1),
      switchMap(() => interval(period, scheduler)),
      filter(() => objects.size > 0),
      map(() => resyncOf(objects)),
      takeUntil(end$),
    );
    return merge(sets$.pipe(tap((set) => updateObjects(objects, set))), resyncs$);
  });
}

function updateObjects<T>(objects: Map<string, T>, set: ChangeSet<T>): void {
  for (const change of set.changes) {
    if (change.type === 'deleted') objects.delete(change.key);
    else objects.set(change.key, change.object);
  }
}

/** Returns a change set with reason `resync`: an update of each object to itself. */
export function resyncOf<T>(objects: Iterable<readonly [key: string, object: T]>): ChangeSet<T> {
  return {
    reason: 'resync',
    changes: Array.from(objects, ([key, object]) => ({ type: 'updated', key, object, previous: object })),
  };
}
