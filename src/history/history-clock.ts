import type { SchedulerLike } from 'rxjs';
import { wallTime } from '../scheduling/clock.js';

/**
 * A difference between time of day and elapsed time up to this, in milliseconds, is the inaccuracy
 * of reading two clocks. A larger one means that the clock was set.
 */
const inaccuracy = 100;

/**
 * The two clocks of a history. Elapsed time decides which version is at a moment, and how long they
 * are kept. A time of day only names a moment by the clock as it is set now, so setting it back by
 * an hour does not move the versions of a minute ago.
 */
export class HistoryClock {
  /** Time of day minus elapsed time. It is kept while the clock is not set: labels are stable. */
  #difference: number;

  constructor(readonly scheduler: SchedulerLike) {
    this.#difference = wallTime(scheduler) - this.now();
  }

  /** Returns the elapsed time. */
  now(): number {
    return this.scheduler.now();
  }

  /** Returns the time of day of a moment. */
  timeOf(moment: number): number {
    return moment + this.#settled();
  }

  /** Returns the moment that has a time of day. */
  momentOf(time: number): number {
    return time - this.#settled();
  }

  #settled(): number {
    const difference = wallTime(this.scheduler) - this.now();
    if (Math.abs(difference - this.#difference) > inaccuracy) this.#difference = difference;
    return this.#difference;
  }
}
