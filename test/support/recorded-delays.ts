import { asyncScheduler, type SchedulerAction, type SchedulerLike } from 'rxjs';

/**
 * Returns the scheduler of real timers, and the delays of all timers that it was asked for. Use it
 * to check that no delay is longer than a timer supports. Node fires such a timer after 1 ms.
 */
export function recordedDelays(): { readonly scheduler: SchedulerLike; readonly delays: readonly number[] } {
  const delays: number[] = [];
  const scheduler: SchedulerLike = {
    now: () => asyncScheduler.now(),
    schedule: <T>(work: (this: SchedulerAction<T>, state?: T) => void, delay = 0, state?: T) => {
      delays.push(delay);
      return asyncScheduler.schedule(work, delay, state);
    },
  };
  return { scheduler, delays };
}
