import { asyncScheduler, Subscription, VirtualTimeScheduler, type SchedulerAction, type SchedulerLike } from 'rxjs';

type Work<T> = (this: SchedulerAction<T>, state?: T) => void;

/** A scheduler that knows elapsed time itself, next to the time of day that its `now()` returns. */
export interface SchedulerWithElapsed extends SchedulerLike {
  /** Milliseconds that only ever grow, and do not jump when the clock is set. */
  elapsed(): number;
}

/** The longest delay of `setTimeout`; a longer one fires at once, in Node and in browsers. */
export const longestTimer = 2 ** 31 - 1;

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

/**
 * Ends what is over by the clock. Returns false if it is over and cannot end within this call.
 */
export type HeedDeadline = () => boolean;

/**
 * All that may end by the clock in this process. Global, because work that has to ask does not know
 * what it depends on: an operator subscribed to it, perhaps through others.
 */
const deadlines = new Set<HeedDeadline>();

/**
 * Adds a deadline that has to be heeded before work begins, although its timer has not fired: timers
 * are late after the event loop was blocked or the process was stopped, and stand still while the
 * machine sleeps.
 *
 * @returns a subscription that removes it
 */
export function addDeadline(heed: HeedDeadline): Subscription {
  deadlines.add(heed);
  return new Subscription(() => {
    deadlines.delete(heed);
  });
}

/**
 * Ends everything that is over by the clock. Call it before work begins, and look afterwards whether
 * that work is still wanted: its own subscription may have ended within the call.
 *
 * Costs two readings of the clock for each leadership of this process.
 *
 * @returns false if something is over and could not end within the call; begin nothing before the
 *   next microtask
 */
export function heedDeadlines(): boolean {
  let isHeeded = true;
  for (const heed of deadlines) if (!heed()) isHeeded = false;
  return isHeeded;
}

/**
 * The longest time that one timer of an alarm waits, in milliseconds: an alarm that is late because
 * timers stood still is late by no more than this (W5).
 */
export const heartbeat = 10_000;

/**
 * One timer, set to whatever moment is the next one. A moment that moves later, as the end of a
 * silence does with each chunk of a response, costs a comparison: the running timer is kept, and
 * looks at the clock again when it fires.
 */
export class Alarm {
  #at = Infinity;
  #firesAt = Infinity;
  #timer: Subscription | undefined;

  /** @param longest the longest time that one timer waits before it looks at the clock again */
  constructor(
    private readonly ring: () => void,
    private readonly scheduler: SchedulerLike,
    private readonly longest = heartbeat,
  ) {}

  /** Sets the alarm to another moment, in milliseconds of the scheduler; `undefined` or `Infinity` stops it. */
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
 * Returns `milliseconds` if a timer can wait that long.
 *
 * @throws RangeError if the timer would fire at once instead
 */
export function checkedDuration(name: string, milliseconds: number): number {
  if (milliseconds >= 0 && milliseconds <= longestTimer) return milliseconds;
  throw new RangeError(`${name} must be between 0 and ${longestTimer} ms, not ${milliseconds}`);
}
