import { type SchedulerAction, type SchedulerLike } from 'rxjs';
import type { SchedulerWithElapsed } from '../../../../src/scheduling/clock.js';

/**
 * Returns the wrong clock of a machine. Its timers are right, but its time of day is `offset()`
 * milliseconds ahead.
 */
export function skewed(scheduler: SchedulerLike, offset: () => number): SchedulerWithElapsed {
  return {
    elapsed: () => scheduler.now(),
    now: () => scheduler.now() + offset(),
    schedule: <T>(work: (this: SchedulerAction<T>, state?: T) => void, delay?: number, state?: T) =>
      scheduler.schedule(work, delay, state),
  };
}
