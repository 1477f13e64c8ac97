import { Subscription, type SchedulerAction, type SchedulerLike } from 'rxjs';

/** A clock on which everything takes time: it is so many milliseconds later each time that it is looked at, and nothing runs by itself. */
export interface BusyScheduler extends SchedulerLike {
  /** How much is scheduled and was not cancelled. */
  readonly pending: number;
  /** Runs what is due first; false where there is nothing. */
  runNext(): boolean;
  runAll(): void;
}

export function busyScheduler(milliseconds = 1): BusyScheduler {
  let time = 0;
  const scheduled = new Map<() => void, number>();
  const runNext = (): boolean => {
    const [next] = [...scheduled].sort(([, one], [, other]) => one - other);
    if (!next) return false;
    scheduled.delete(next[0]);
    next[0]();
    return true;
  };
  return {
    now: () => (time += milliseconds),
    schedule<S>(work: (this: SchedulerAction<S>, state?: S) => void, delay = 0, state?: S) {
      const run = (): void => {
        work.call(undefined as unknown as SchedulerAction<S>, state);
      };
      scheduled.set(run, time + delay);
      return new Subscription(() => scheduled.delete(run));
    },
    get pending() {
      return scheduled.size;
    },
    runNext,
    runAll() {
      while (runNext());
    },
  };
}
