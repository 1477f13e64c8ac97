import { VirtualAction, VirtualTimeScheduler, type SchedulerLike } from 'rxjs';
import type { SchedulerWithElapsed } from '../../../../src/time/steady.js';

/** Virtual time that is moved on by hand, for what never ends by itself. */
export class VirtualClock {
  readonly scheduler = new VirtualTimeScheduler(VirtualAction, 0);

  get now(): number {
    return this.scheduler.now();
  }

  /** Everything happens that is due within so many milliseconds. */
  advance(milliseconds: number): void {
    const until = this.now + milliseconds;
    this.scheduler.maxFrames = until;
    this.scheduler.schedule(() => {}, milliseconds);
    this.scheduler.flush();
  }
}

/** The clock of a replica: it shows another time, which can be set, and goes faster (`rate` above 1) or slower. */
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
