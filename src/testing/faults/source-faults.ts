import { defer, map, type Observable, pipe, repeat as repeatForever, type SchedulerLike, takeWhile, timer } from 'rxjs';
import type { AnyKubernetesObject } from '../../kubernetes/object.js';
import { steady } from '../../scheduling/clock.js';
import { toBatch } from '../../sources/model/watch-event.js';
import { randomFromSeed } from '../virtual-clock.js';
import { drop, expire, stall } from './connection-faults.js';
import { delay, duplicate, reorder, repeat, split } from './delivery-faults.js';
import type { SourceFault } from './source-fault.js';

export { drop, expire, stall } from './connection-faults.js';
export { delay, duplicate, reorder, repeat, split } from './delivery-faults.js';

/** Options of `sourceFaults.random`. */
export interface RandomSourceFaultsOptions {
  /**
   * No new fault begins after this time, in milliseconds from the first subscription; default
   * 10,000. `reorder` and `split` do not end, because they never change the objects that arrive.
   */
  readonly duration?: number | undefined;
  /** Milliseconds between two faults of one kind, on average; default 1000. */
  readonly every?: number | undefined;
  /** The clock of all faults. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * Applies all other faults at random.
 *
 * | fault | how often |
 * | --- | --- |
 * | `stall` `expire` `repeat` | about once in `every` milliseconds each |
 * | `drop` | about once in 5 × `every` milliseconds |
 * | `duplicate` | each change with a probability of 20 % |
 * | `reorder` `delay` | every batch |
 * | `split` | every batch; the size of the pieces is chosen for each subscription |
 *
 * Stalls and gaps last up to `every` milliseconds. No fault begins after `duration`, except
 * `reorder` and `split`, which never change the objects that arrive. So a test can compare the
 * objects of the subscriber with the objects of the source.
 *
 * **Guarantees**: the same faults at the same times for the same seed, if the source and its
 * subscriber behave the same. **Does not guarantee**: that each source supports these faults. A
 * source must list again for each subscriber.
 *
 * @param seed any integer; print it if a test fails
 * @param options the duration and the frequency of the faults
 * @example
 * const source = watchMarbles('L(a) 5s M(a)', { a: aPod({ name: 'a' }) });
 * const pods = informer(source.pipe(sourceFaults.random(42)));
 */
export function random<T extends AnyKubernetesObject>(
  seed: number,
  options: RandomSourceFaultsOptions = {},
): SourceFault<T> {
  const { duration = 10_000, every = 1000 } = options;
  const scheduler = steady(options.scheduler);
  return (source) => {
    const chance = randomFromSeed(seed);
    let end: number | undefined;
    return defer(() => {
      end ??= scheduler.now() + duration;
      const deadline = end;
      const isOn = (): boolean => scheduler.now() < deadline;
      const aWhile = (): Observable<unknown> => defer(() => timer(1 + Math.ceil(chance() * every), scheduler));
      const nowAndThen = (mean = every): Observable<unknown> =>
        defer(() => timer(1 + Math.ceil(chance() * 2 * mean), scheduler)).pipe(repeatForever(), takeWhile(isOn));
      return source.pipe(
        map(toBatch),
        pipe(
          reorder<T>(chance),
          duplicate({ which: () => isOn() && chance() < 0.2 }),
          expire(nowAndThen(), { gap: Math.ceil(chance() * every), scheduler }),
          repeat(nowAndThen(), 1 + Math.floor(chance() * 20)),
          split({ size: 1 + Math.floor(chance() * 4) }),
          delay(() => (isOn() ? Math.ceil(chance() * 0.1 * every) : 0), scheduler),
          stall(nowAndThen(), aWhile()),
          drop(nowAndThen(5 * every)),
        ),
      );
    });
  };
}
