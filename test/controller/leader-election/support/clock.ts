import { VirtualTimeScheduler, type SchedulerAction, type SchedulerLike } from 'rxjs';
import type { SchedulerWithElapsed } from '../../../../src/time/steady.js';

/** Virtual time that goes on when it is told to. */
export class Clock {
  readonly scheduler = new VirtualTimeScheduler(undefined, 0);

  get now(): number {
    return this.scheduler.now();
  }

  /** Timers that are due run; whatever they start runs too. */
  advance(by: number): void {
    this.scheduler.maxFrames = this.scheduler.frame + by;
    this.scheduler.flush();
    this.scheduler.frame = this.scheduler.maxFrames;
  }
}

/** A machine's own idea of what time it is: timers are right, the clock is `offset()` milliseconds ahead. */
export function skewed(scheduler: SchedulerLike, offset: () => number): SchedulerWithElapsed {
  return {
    elapsed: () => scheduler.now(),
    now: () => scheduler.now() + offset(),
    schedule: <T>(work: (this: SchedulerAction<T>, state?: T) => void, delay?: number, state?: T) =>
      scheduler.schedule(work, delay, state),
  };
}
