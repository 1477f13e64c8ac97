import { concatMap, defer, dematerialize, map, materialize, of, timer, type SchedulerLike } from 'rxjs';
import { steady } from '../../time/steady.js';
import { toBatch } from '../../sources/to-batch.js';
import type { Fault } from './fault.js';

/**
 * Delivers everything later, in order: a slow network.
 *
 * | in | out |
 * | --- | --- |
 * | a batch, the error, completion | the same after `duration`, or later: never before what came before it |
 *
 * @param duration milliseconds, or a function that gives them for each batch
 * @param scheduler default `asyncScheduler`
 * @example
 * const jittery = watchMarbles('L(a)-M(a)|', { a: aPod({ name: 'a' }) }).pipe(delayBatches(() => 50 + 100 * Math.random()));
 */
export function delayBatches<T>(duration: number | (() => number), scheduler?: SchedulerLike): Fault<T> {
  const clock = steady(scheduler);
  const next = typeof duration === 'function' ? duration : () => duration;
  return (source) =>
    source.pipe(
      map(toBatch),
      materialize(),
      map((notification) => ({ notification, due: clock.now() + next() })),
      concatMap(({ notification, due }) =>
        defer(() => {
          const wait = due - clock.now();
          return wait > 0 ? timer(wait, clock).pipe(map(() => notification)) : of(notification);
        }),
      ),
      dematerialize(),
    );
}
