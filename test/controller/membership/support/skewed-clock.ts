import { type SchedulerLike } from 'rxjs';
import type { SchedulerWithElapsed } from '../../../../src/scheduling/clock.js';

/**
 * Returns the clock of a replica. It shows a different time, which can be set, and runs faster
 * (`rate` above 1) or slower.
 */
export function skewedClock(
  scheduler: SchedulerLike,
  skew: { offset: number; readonly rate: number },
): SchedulerWithElapsed {
  const { rate } = skew;
  return {
    now: () => skew.offset + scheduler.now() * rate,
    elapsed: () => scheduler.now() * rate,
    schedule: (work, delay = 0, state) => scheduler.schedule(work, delay / rate, state as never),
  };
}
