import { asyncScheduler, Subscription, VirtualTimeScheduler, type SchedulerAction, type SchedulerLike } from 'rxjs';
import { invalidOptionError } from '../kubernetes/errors.js';

type Work<T> = (this: SchedulerAction<T>, state?: T) => void;

/** A scheduler that provides elapsed time, besides the time of day that its `now()` returns. */
export interface SchedulerWithElapsed extends SchedulerLike {
  /** Returns milliseconds that never go back, nor jump when the clock is set. */
  elapsed(): number;
}

/** The longest delay of `setTimeout`; a longer one fires at once, in Node and browsers. */
export const maxTimer = 2 ** 31 - 1;

/**
 * Returns a scheduler whose `now()` is elapsed time, for retries, expiry and measurements.
 *
 * | `scheduler` | `now()` of the result |
 * | --- | --- |
 * | `asyncScheduler`, or any other scheduler whose `now()` is the time of day | elapsed time (`performance.now()`) |
 * | `TestScheduler`, `VirtualTimeScheduler`, or any other scheduler with its own time | its own time |
 * | a scheduler with `elapsed()` | the result of its `elapsed()` |
 *
 * Setting the clock does not affect timers. `wallTime` returns the time of day, for display.
 *
 * **Guarantees**: `now()` never goes back, and is at or after the due time of running work; a delay
 * may be longer than 2^31-1 ms, and after `Infinity` the work never runs. All callers with the same
 * `scheduler` share one time.
 * **Does not guarantee**: that time passes while the machine sleeps. A lease must check `wallTime`.
 */
export function steady(scheduler: SchedulerLike = asyncScheduler): SchedulerLike {
  if (scheduler instanceof SteadyScheduler || scheduler instanceof VirtualTimeScheduler) return scheduler;
  const known = steadySchedulers.get(scheduler) ?? new SteadyScheduler(scheduler);
  steadySchedulers.set(scheduler, known);
  return known;
}

/** Returns the time of day of `scheduler` in milliseconds since 1970, also for other machines. */
export function wallTime(scheduler: SchedulerLike): number {
  return scheduler instanceof SteadyScheduler ? scheduler.base.now() : scheduler.now();
}

/** Converts `at` of `steady(scheduler)` into a time of day by the machine's present clock. */
export function wallTimeAt(scheduler: SchedulerLike, at: number): number {
  return wallTime(scheduler) + (at - scheduler.now());
}

const steadySchedulers = new WeakMap<SchedulerLike, SteadyScheduler>();

/** Makes elapsed times equal times of day, until the clock of the machine is set. */
const origin = Date.now() - Math.floor(performance.now());

class SteadyScheduler implements SchedulerLike {
  /** The latest due time of run work. `now()` is never before it, though timers may fire early. */
  #latestDue = -Infinity;
  #elapsed = 0;
  /** `base.now()` minus elapsed time. `isTimeOfDay` is called only if it changes. */
  #distance = NaN;

  constructor(readonly base: SchedulerLike) {}

  now(): number {
    if ('elapsed' in this.base) return (this.base as SchedulerWithElapsed).elapsed();
    const time = this.base.now();
    const elapsed = Math.floor(performance.now());
    if (!(Math.abs(time - elapsed - this.#distance) <= 1)) {
      if (!isTimeOfDay(this.base)) return time;
      this.#distance = time - elapsed;
    }
    // Only fake timers of a test set elapsed time back. Then earlier due times have no meaning.
    if (elapsed < this.#elapsed) this.#latestDue = -Infinity;
    this.#elapsed = elapsed;
    return Math.max(origin + elapsed, this.#latestDue);
  }

  schedule<T>(work: Work<T>, delay = 0, state?: T): Subscription {
    if (delay > maxTimer) return this.#scheduleFar(work, delay, state);
    if (delay <= 0) return this.base.schedule(work, delay, state);
    const due = this.now() + delay;
    const keepTime = (): void => {
      this.#latestDue = Math.max(this.#latestDue, due);
    };
    return this.base.schedule<T>(
      function (this: SchedulerAction<T>, latest?: T) {
        keepTime();
        work.call(this, latest);
      },
      delay,
      state,
    );
  }

  /** Splits a long delay into delays that a timer supports. */
  #scheduleFar<T>(work: Work<T>, delay: number, state?: T): Subscription {
    const whole = new Subscription();
    whole.add(
      this.base.schedule(() => {
        whole.add(this.schedule(work, delay - maxTimer, state));
      }, maxTimer),
    );
    return whole;
  }
}

/**
 * Returns true if the scheduler uses the clock of the machine. The result may change, because a
 * `TestScheduler` replaces the clock of `asyncScheduler`.
 */
function isTimeOfDay(scheduler: SchedulerLike): boolean {
  // The comparison is tried twice, because the clock may be set between two readings.
  return isBetweenReadings(scheduler) || isBetweenReadings(scheduler);
}

function isBetweenReadings(scheduler: SchedulerLike): boolean {
  const before = Date.now();
  const now = scheduler.now();
  return before <= now && now <= Date.now();
}

/**
 * The longest time that one timer of an alarm waits, in milliseconds. If timers stood still, for
 * example while the machine slept, an alarm is late by at most this time (W5).
 */
const heartbeat = 10_000;

/**
 * One timer for the earliest of several times. Moving it to a later time costs only a comparison,
 * because the timer reads the clock again when it fires. That is usual: each chunk moves the time
 * at which a connection counts as silent.
 */
export class Alarm {
  #at = Infinity;
  #firesAt = Infinity;
  #timer: Subscription | undefined;

  /**
   * @param longest the longest time that one timer waits before it reads the clock again
   */
  constructor(
    private readonly ring: () => void,
    private readonly scheduler: SchedulerLike,
    private readonly longest = heartbeat,
  ) {}

  /** Sets the time in milliseconds of the scheduler; `undefined` or `Infinity` stops it. */
  set(at = Infinity): void {
    if (at === this.#at) return;
    this.#at = at;
    if (at < Infinity && this.#firesAt <= at) return;
    this.#timer?.unsubscribe();
    this.#firesAt = Infinity;
    if (at < Infinity) this.#wait();
  }

  #wait(): void {
    const now = this.scheduler.now();
    const wait = Math.min(Math.max(0, this.#at - now), this.longest);
    this.#firesAt = now + wait;
    this.#timer = this.scheduler.schedule(() => {
      this.#firesAt = Infinity;
      if (this.scheduler.now() < this.#at) {
        this.#wait();
        return;
      }
      this.#at = Infinity;
      this.ring();
    }, wait);
  }
}

/**
 * Returns a scheduler whose pending timers let Node exit. They still fire if something else keeps
 * the process alive. In browsers, and for others than `asyncScheduler`, nothing differs.
 */
export function unreferenced(scheduler: SchedulerLike): SchedulerLike {
  return {
    now: () => scheduler.now(),
    schedule<T>(work: Work<T>, delay?: number, state?: T) {
      const action = scheduler.schedule<T>(work, delay, state as T);
      const { id } = action as { readonly id?: { readonly unref?: () => void } };
      if (typeof id === 'object') id.unref?.();
      return action;
    },
  };
}

/** Returns `milliseconds`. Throws `RXI_INVALID_OPTION` if a timer would fire at once instead. */
export function checkedDuration(name: string, milliseconds: number): number {
  if (milliseconds >= 0 && milliseconds <= maxTimer) return milliseconds;
  throw invalidOptionError(name, milliseconds, `between 0 and ${maxTimer} ms`);
}
