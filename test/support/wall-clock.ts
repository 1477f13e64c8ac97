import { VirtualTimeScheduler, type SchedulerAction, type SchedulerLike } from 'rxjs';
import type { SchedulerWithElapsed } from '../../src/scheduling/clock.js';

/**
 * A scheduler whose time of day can be set. Its timers are not affected, like the timers of a real
 * machine.
 */
export interface JumpingScheduler extends SchedulerWithElapsed {
  /** Sets the clock forward by this many milliseconds, or back if the number is negative. */
  jump(milliseconds: number): void;
}

/**
 * Returns a scheduler with the timers of `virtual` and a clock that can jump. Pass it to the tested
 * unit as its `scheduler`, and check that a jump changes only the times that the unit displays.
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

/**
 * Lets `Date.now()` of this process jump, for tests and scripts in real time. `restore` restores
 * the original function.
 */
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
