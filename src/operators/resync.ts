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
import { steady, checkedDuration } from '../time/clock.js';
import type { ChangeSet } from '../store/change.js';

/** Options of `resync`. */
export interface ResyncOptions {
  /** The clock (default `asyncScheduler`); a test gives its own. */
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * Passes every change set, and every `period` ms delivers again what this consumer has: a level-triggered safety net
 * for consumers that may have missed or failed something.
 *
 * | in | out |
 * | --- | --- |
 * | any change set | the same |
 * | every `period` ms | one set with reason `resync`: each object held, as updated, `previous` being the same object |
 * | … while nothing is held | nothing |
 *
 * What is held is what came in through this operator, so filters before it apply. The timer starts with the first
 * change set; relists do not restart it (▲ R20); it ends with the source.
 *
 * **Guarantees**: asks nothing of the server; a resynced object is never older than what this consumer saw last.
 * **Does not guarantee**: a small footprint: holds one map entry (not a copy of the object) for each object, for each
 * subscriber.
 * **Errors**: a `RangeError` at once for a period that no timer can wait for.
 *
 * @param period milliseconds; 0 is never
 * @example
 * informer.changes$.pipe(resync(10 * 60_000)).subscribe(({ reason, changes }) => console.log(reason, changes.length))
 */
export function resync<T>(period: number, options: ResyncOptions = {}): MonoTypeOperatorFunction<ChangeSet<T>> {
  const scheduler = steady(options.scheduler);
  checkedDuration('the resync period', period);
  if (period === 0) return (sets$) => sets$;
  return connect((sets$) => {
    const held = new Map<string, T>();
    const end$ = sets$.pipe(ignoreElements(), endWith(undefined));
    const resyncs$ = sets$.pipe(
      take(1),
      switchMap(() => interval(period, scheduler)),
      filter(() => held.size > 0),
      map(() => resyncOf(held)),
      takeUntil(end$),
    );
    return merge(sets$.pipe(tap((set) => hold(held, set))), resyncs$);
  });
}

function hold<T>(held: Map<string, T>, set: ChangeSet<T>): void {
  for (const change of set.changes) {
    if (change.type === 'deleted') held.delete(change.key);
    else held.set(change.key, change.object);
  }
}

function resyncOf<T>(held: ReadonlyMap<string, T>): ChangeSet<T> {
  return {
    reason: 'resync',
    changes: Array.from(held, ([key, object]) => ({ type: 'updated', key, object, previous: object })),
  };
}
