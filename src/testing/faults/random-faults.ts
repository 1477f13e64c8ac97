import { defer, map, pipe, repeat, takeWhile, timer, type Observable, type SchedulerLike } from 'rxjs';
import type { KubernetesObject } from '../../kubernetes/object.js';
import { toBatch } from '../../sources/model/watch-event.js';
import { randomFromSeed } from '../random-from-seed.js';
import { delayBatches, duplicateChanges, reorderObjects, repeatChanges, splitBatches } from './delivery-faults.js';
import { dropConnection, expireHistory, goSilent } from './connection-faults.js';
import { steady } from '../../time/clock.js';
import type { Fault } from './source-fault.js';

export interface RandomFaultsOptions {
  /** Milliseconds from the first subscription after which no new fault begins; default 10,000. */
  readonly duration?: number | undefined;
  /** Milliseconds between two faults of one kind, on average; default 1000. */
  readonly every?: number | undefined;
  /** Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * Everything that may go wrong with a source, at random: all the faults of this folder at once.
 *
 * | fault | how often |
 * | --- | --- |
 * | `goSilent` `expireHistory` `repeatChanges` | about once in `every` milliseconds each |
 * | `dropConnection` | a fifth as often |
 * | `duplicateChanges` | every fifth change |
 * | `reorderObjects` `delayBatches` | every batch |
 * | `splitBatches` | every batch, into pieces of a size that each subscription has for itself |
 *
 * Silence and gaps last up to `every`. After `duration` the source is left in peace, so that whoever reads it can be asked
 * whether it holds what the source does.
 *
 * **Guarantees**: the same faults at the same times for the same seed, if the source and its subscriber do the same.
 * **Does not guarantee**: that the source can take it: it has to list anew for each subscriber.
 *
 * @param seed any integer; print it where a test fails
 * @example
 * const pods = informer(watchMarbles('L(a) 5s M(a)', { a: aPod({ name: 'a' }) }).pipe(randomFaults(42)));
 */
export function randomFaults<T extends KubernetesObject>(seed: number, options: RandomFaultsOptions = {}): Fault<T> {
  const { duration = 10_000, every = 1000 } = options;
  const scheduler = steady(options.scheduler);
  return (source) => {
    const random = randomFromSeed(seed);
    let end: number | undefined;
    return defer(() => {
      end ??= scheduler.now() + duration;
      const deadline = end;
      const isOn = (): boolean => scheduler.now() < deadline;
      const aWhile = (): Observable<unknown> => defer(() => timer(1 + Math.ceil(random() * every), scheduler));
      const nowAndThen = (mean = every): Observable<unknown> =>
        defer(() => timer(1 + Math.ceil(random() * 2 * mean), scheduler)).pipe(repeat(), takeWhile(isOn));
      return source.pipe(
        map(toBatch),
        pipe(
          reorderObjects<T>(random),
          duplicateChanges({ which: () => isOn() && random() < 0.2 }),
          expireHistory(nowAndThen(), { gap: Math.ceil(random() * every), scheduler }),
          repeatChanges(nowAndThen(), 1 + Math.floor(random() * 20)),
          splitBatches({ size: 1 + Math.floor(random() * 4) }),
          delayBatches(() => (isOn() ? Math.ceil(random() * 0.1 * every) : 0), scheduler),
          goSilent(nowAndThen(), aWhile()),
          dropConnection(nowAndThen(5 * every)),
        ),
      );
    });
  };
}
