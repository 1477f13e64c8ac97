import { asyncScheduler, Subscription, VirtualTimeScheduler, type SchedulerAction, type SchedulerLike } from 'rxjs';

type Work<T> = (this: SchedulerAction<T>, state?: T) => void;

/** A scheduler that provides elapsed time, besides the time of day that its `now()` returns. */
export interface SchedulerWithElapsed extends SchedulerLike {
  /**
   * Returns elapsed milliseconds. This time never goes back, and does not jump when the clock is
   * set.
   */
  elapsed(): number;
}

/**
 * The longest delay that `setTimeout` supports. In Node and in browsers, a longer delay fires at
 * once.
 */
export const longestTimer = 2 ** 31 - 1;

/**
 * Returns a scheduler whose `now()` is elapsed time. Use this scheduler for retries, expiry and
 * measurements.
 *
 * | `scheduler` | `now()` of the result |
 * | --- | --- |
 * | `asyncScheduler`, or any other scheduler whose `now()` is the time of day | elapsed time (`performance.now()`) |
 * | `TestScheduler`, `VirtualTimeScheduler`, or any other scheduler with its own time | its own time |
 * | a scheduler with `elapsed()` | the result of its `elapsed()` |
 *
 * Setting the clock back or forward does not affect timers. `wallTime` returns the time of day, for
 * display.
 *
 * **Guarantees**: `now()` never goes back; when work runs, `now()` is at or after the time for
 * which the work was scheduled; a delay may be longer than 2^31-1 ms, and after `Infinity` the work
 * never runs. All callers with the same `scheduler` share one time.
 * **Does not guarantee**: that time passes while the machine sleeps. A lease must check `wallTime`
 * as well.
 */
export function steady(scheduler: SchedulerLike = asyncScheduler): SchedulerLike {
  if (scheduler instanceof SteadyScheduler || scheduler instanceof VirtualTimeScheduler) return scheduler;
  const known = steadySchedulers.get(scheduler) ?? new SteadyScheduler(scheduler);
  steadySchedulers.set(scheduler, known);
  return known;
}

/**
 * Returns the time of day on the clock of `scheduler`, in milliseconds since 1970, for display and
 * for other machines.
 */
export function wallTime(scheduler: SchedulerLike): number {
  return scheduler instanceof SteadyScheduler ? scheduler.base.now() : scheduler.now();
}

/**
 * Converts the time `at` of `steady(scheduler)` into a time of day, as the clock of the machine is
 * set now.
 */
export function wallTimeAt(scheduler: SchedulerLike, at: number): number {
  return wallTime(scheduler) + (at - scheduler.now());
}

const steadySchedulers = new WeakMap<SchedulerLike, SteadyScheduler>();

/**
 * Added to elapsed times. They then equal the times of day, until the clock of the machine is set.
 */
const origin = Date.now() - Math.floor(performance.now());

class SteadyScheduler implements SchedulerLike {
  /**
   * The latest due time of work that has run. `now()` is never before it, although a timer may fire
   * a fraction of a millisecond early.
   */
  #latestDue = -Infinity;
  #elapsed = 0;
  /**
   * The difference between `base.now()` and elapsed time. While it does not change,
   * `tellsTimeOfDay` need not be called.
   */
  #distance = NaN;

  constructor(readonly base: SchedulerLike) {}

  now(): number {
    if ('elapsed' in this.base) return (this.base as SchedulerWithElapsed).elapsed();
    const time = this.base.now();
    const elapsed = Math.floor(performance.now());
    if (!(Math.abs(time - elapsed - this.#distance) <= 1)) {
      if (!tellsTimeOfDay(this.base)) return time;
      this.#distance = time - elapsed;
    }
    // Elapsed time goes back only when a test installs fake timers. Then earlier due times have no
    // meaning.
    if (elapsed < this.#elapsed) this.#latestDue = -Infinity;
    this.#elapsed = elapsed;
    return Math.max(origin + elapsed, this.#latestDue);
  }

  schedule<T>(work: Work<T>, delay = 0, state?: T): Subscription {
    if (delay > longestTimer) return this.#scheduleFar(work, delay, state);
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
        whole.add(this.schedule(work, delay - longestTimer, state));
      }, longestTimer),
    );
    return whole;
  }
}

/**
 * Returns true if the scheduler uses the clock of the machine. The result may change, because a
 * `TestScheduler` replaces the clock of `asyncScheduler`.
 */
function tellsTimeOfDay(scheduler: SchedulerLike): boolean {
  // The comparison is tried twice, because the clock may be set between two readings.
  return isBetweenReadings(scheduler) || isBetweenReadings(scheduler);
}

function isBetweenReadings(scheduler: SchedulerLike): boolean {
  const before = Date.now();
  const now = scheduler.now();
  return before <= now && now <= Date.now();
}

/**
 * Ends the work if its deadline has passed. Returns false if the deadline has passed and the work
 * cannot end within this call.
 */
export type HeedDeadline = () => boolean;

/**
 * All deadlines of this process. They are global, because the code that starts work does not know
 * which deadlines apply to it. A deadline may belong to an operator that subscribes to the work,
 * perhaps through other operators.
 */
const deadlines = new Set<HeedDeadline>();

/**
 * Adds a deadline that is checked before work starts, even if its timer has not fired. Timers are
 * late if the event loop was blocked or the process was stopped, and do not advance while the
 * machine sleeps.
 *
 * @returns a subscription that removes the deadline
 */
export function addDeadline(heed: HeedDeadline): Subscription {
  deadlines.add(heed);
  return new Subscription(() => {
    deadlines.delete(heed);
  });
}

/**
 * Ends all work whose deadline has passed. Call this function before new work starts. Afterwards,
 * check that the new work is still wanted, because the call may have ended its subscription.
 *
 * Costs two readings of the clock for each leadership of this process.
 *
 * @returns false if a deadline has passed and its work could not end within the call; start nothing
 *   before the next microtask
 */
export function heedDeadlines(): boolean {
  let isHeeded = true;
  for (const heed of deadlines) if (!heed()) isHeeded = false;
  return isHeeded;
}

/**
 * The longest time that one timer of an alarm waits, in milliseconds. If timers stood still, for
 * example while the machine slept, an alarm is late by at most this time (W5).
 */
const heartbeat = 10_000;

/**
 * One timer, which is set to the earliest of several times. Moving the alarm to a later time only
 * costs a comparison, because the running timer is kept and reads the clock again when it fires.
 * This is the usual case: each chunk of a response moves the time at which the connection counts as
 * silent.
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

  /**
   * Sets the alarm to another time, in milliseconds of the scheduler. `undefined` or `Infinity`
   * stops it.
   */
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
 * Returns a scheduler whose timers let Node exit while they are pending. A timer still fires if
 * something else keeps the process alive. In browsers, and with other schedulers than
 * `asyncScheduler`, there is no difference.
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

/**
 * Returns `milliseconds` if a timer supports this delay.
 *
 * @throws RangeError if the timer would fire at once instead
 */
export function checkedDuration(name: string, milliseconds: number): number {
  if (milliseconds >= 0 && milliseconds <= longestTimer) return milliseconds;
  throw new RangeError(`${name} must be between 0 and ${longestTimer} ms, not ${milliseconds}`);
}
