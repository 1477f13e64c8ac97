import { asyncScheduler, Subscription, VirtualTimeScheduler, type SchedulerAction, type SchedulerLike } from 'rxjs';

type Work<T> = (this: SchedulerAction<T>, state?: T) => void;

/** A scheduler that knows elapsed time itself, next to the time of day that its `now()` returns. */
export interface SchedulerWithElapsed extends SchedulerLike {
  /** Milliseconds that only ever grow, and do not jump when the clock is set. */
  elapsed(): number;
}

/** The longest delay of `setTimeout`; a longer one fires at once, in Node and in browsers. */
const longestTimer = 2 ** 31 - 1;

/**
 * Returns a scheduler to decide by: when to retry, what has expired, how long something took.
 *
 * | `scheduler` | `now()` of the result |
 * | --- | --- |
 * | `asyncScheduler`, or any other that tells the time of day | elapsed time (`performance.now()`) |
 * | `TestScheduler`, `VirtualTimeScheduler`, or any other with a time of its own | its own |
 * | one with `elapsed()` | its `elapsed()` |
 *
 * A clock that is set back or forward changes nothing for what waits. `wallTime` returns the time
 * of day, for display.
 *
 * **Guarantees**: `now()` never goes back; when work runs, `now()` is not before the moment it was
 * scheduled for; a delay may be longer than 2^31-1 ms, and `Infinity` never ends. All callers with
 * the same `scheduler` share one time.
 * **Does not guarantee**: that time passes while the machine sleeps. A lease has to watch
 * `wallTime` as well.
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
 * Returns the time of day at the moment `at` of `steady(scheduler)`, by what the clock says now.
 */
export function wallTimeAt(scheduler: SchedulerLike, at: number): number {
  return wallTime(scheduler) + (at - scheduler.now());
}

const steadySchedulers = new WeakMap<SchedulerLike, SteadyScheduler>();

/** Makes elapsed times look like times of day, which they are until the clock is set. */
const origin = Date.now() - Math.floor(performance.now());

class SteadyScheduler implements SchedulerLike {
  /**
   * The latest moment at which something was due that has run: a timer may fire early by a fraction
   * of a millisecond.
   */
  #latestDue = -Infinity;
  #elapsed = 0;
  /**
   * Between the time of day and elapsed time. As long as it is the same, it need not be asked whose
   * time it is.
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
    // Only fake timers of a test make it go back: what was due before is of another time.
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

  /** In stretches that a timer can wait for. */
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
 * True if the scheduler's clock is the machine's. Asked each time, because a `TestScheduler`
 * replaces the clock of `asyncScheduler`.
 */
function tellsTimeOfDay(scheduler: SchedulerLike): boolean {
  // Twice, because the clock may be set between two readings of it.
  return isBetweenReadings(scheduler) || isBetweenReadings(scheduler);
}

function isBetweenReadings(scheduler: SchedulerLike): boolean {
  const before = Date.now();
  const now = scheduler.now();
  return before <= now && now <= Date.now();
}
