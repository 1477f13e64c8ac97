import { Subscription, type SchedulerAction, type SchedulerLike } from 'rxjs';

/**
 * A clock on which all work takes time: each read advances it by some milliseconds. Actions run
 * only when the test calls `runNext` or `runAll`.
 */
export interface BusyScheduler extends SchedulerLike {
  /** The number of actions that are scheduled and not cancelled. */
  readonly pending: number;
  /** Runs the action that is due first. Returns false if there is none. */
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
      const action = new Subscription() as SchedulerAction<S>;
      action.schedule = (next, wait = 0) => {
        const run = (): void => {
          work.call(action, next);
        };
        scheduled.set(run, time + wait);
        action.add(() => scheduled.delete(run));
        return action;
      };
      return action.schedule(state, delay);
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
