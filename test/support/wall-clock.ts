import { VirtualTimeScheduler, type SchedulerAction, type SchedulerLike } from 'rxjs';
import type { SchedulerWithElapsed } from '../../src/time/clock.js';

/** A scheduler whose time of day can be set while its timers go on as the machine's do. */
export interface JumpingScheduler extends SchedulerWithElapsed {
  /** Sets the clock forward (or back, if negative) by so many milliseconds. */
  jump(milliseconds: number): void;
}

/**
 * Returns a scheduler with the timers of `virtual`, and a clock that jumps. Use it as the `scheduler` of whatever is tested:
 * a jump must change nothing but the times that are displayed.
 */
export function jumpingScheduler(virtual: SchedulerLike = new VirtualTimeScheduler()): JumpingScheduler {
  let offset = 0;
  return {
    now: () => virtual.now() + offset,
    elapsed: () => virtual.now(),
    schedule: <T>(work: (this: SchedulerAction<T>, state?: T) => void, delay?: number, state?: T) =>
      virtual.schedule(work, delay, state),
    jump: (milliseconds) => {
      offset += milliseconds;
    },
  };
}

/** Makes `Date.now()` of this process jump, for tests and scripts in real time. `restore` sets it right again. */
export function jumpingDate(): { readonly jump: (milliseconds: number) => void; readonly restore: () => void } {
  const { now } = Date;
  let offset = 0;
  Date.now = () => now.call(Date) + offset;
  return {
    jump: (milliseconds) => {
      offset += milliseconds;
    },
    restore: () => {
      Date.now = now;
    },
  };
}
