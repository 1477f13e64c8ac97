import type { SchedulerLike, Subscription } from 'rxjs';
import { runSlices, type Slices } from './slices.js';

/**
 * The time in milliseconds for which a task may block the event loop. The last step of a slice, and
 * applying the result, may take additional time.
 */
export const slice = 8;

/** A scheduler that decides when a task yields, in virtual time, in which no slice takes time. */
export interface SchedulerWithSlices extends SchedulerLike {
  /** Returns for how many milliseconds a task waits before its next slice; 0 if it does not. */
  readonly yieldFor: () => number;
}

/** A computation in slices. It returns the function `act`, which applies the result. */
export type Task = () => Slices<() => void>;

/**
 * Runs tasks one after the other. Long tasks are computed in slices, between which the event loop
 * is free, and later tasks wait; others are done before `run` returns. The scheduler measures
 * slices, so no task is interrupted in virtual time, unless the scheduler decides it (`yieldFor`).
 *
 * If a task throws, `failed` receives the error, and the next task runs.
 */
export class SlicedTasks {
  readonly #waiting: Task[] = [];
  #underway: Slices<() => void> | undefined;
  #stepping: Slices<() => void> | undefined;
  #continuation: Subscription | undefined;

  constructor(
    private readonly scheduler: SchedulerLike,
    private readonly failed: (error: unknown) => void,
  ) {}

  run(task: Task): void {
    if (this.#isIdle()) this.#drive(task(), this.scheduler.now() + slice);
    else this.#waiting.push(task);
  }

  /** Finishes all tasks and this one. Called by a running computation, it only returns false. */
  runNow(task: Task): boolean {
    if (!this.finish()) return false;
    this.#drive(task(), Infinity);
    return true;
  }

  /** Calls `act` after all tasks that were added before. */
  inTurn(act: () => void): void {
    if (this.#isIdle()) this.#act(act);
    else this.#waiting.push(() => nothingBefore(act));
  }

  /**
   * Runs the current task and all waiting tasks to their end.
   *
   * @returns false if the running computation itself calls this method, because it cannot finish
   *   itself
   */
  finish(): boolean {
    if (this.#stepping !== undefined && this.#stepping === this.#underway) return false;
    const steps = this.#underway ?? this.#next();
    if (steps !== undefined) this.#drive(steps, Infinity);
    return true;
  }

  /** Drops all tasks. The running computation itself may call this method. */
  clear(): void {
    this.#continuation?.unsubscribe();
    this.#continuation = undefined;
    this.#underway = undefined;
    this.#waiting.length = 0;
  }

  /**
   * Returns true if no task runs or waits. A task does not run during its `act`, so tasks that
   * `act` adds run at once, unless others wait.
   */
  #isIdle(): boolean {
    return this.#underway === undefined && this.#waiting.length === 0;
  }

  #drive(first: Slices<() => void>, until: number): void {
    this.#continuation?.unsubscribe();
    for (let steps: Slices<() => void> | undefined = first; steps !== undefined; steps = this.#next()) {
      this.#underway = steps;
      const wait =
        until < Infinity && 'yieldFor' in this.scheduler ? (this.scheduler as SchedulerWithSlices).yieldFor() : 0;
      if (wait > 0) return this.#driveLater(steps, wait);
      const act = this.#compute(steps, until);
      // The computation itself has called `clear`, so its result is dropped.
      if (this.#underway !== steps) return;
      if (act === undefined) return this.#driveLater(steps);
      this.#underway = undefined;
      this.#act(act);
    }
  }

  /** Returns the `act` of a task, or `undefined` if the slice ended first. */
  #compute(steps: Slices<() => void>, until: number): (() => void) | undefined {
    const outer = this.#stepping;
    this.#stepping = steps;
    try {
      return runSlices(steps, () => this.#underway !== steps || this.scheduler.now() >= until);
    } catch (error) {
      return () => {
        this.failed(error);
      };
    } finally {
      this.#stepping = outer;
    }
  }

  #act(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.failed(error);
    }
  }

  /**
   * Returns the next waiting task, or `undefined` if no task waits. Also returns `undefined` if the
   * last `act` started a task that is still running, because that task continues by itself.
   */
  #next(): Slices<() => void> | undefined {
    return this.#underway === undefined ? this.#waiting.shift()?.() : undefined;
  }

  #driveLater(steps: Slices<() => void>, wait = 0): void {
    this.#continuation = this.scheduler.schedule(() => {
      this.#drive(steps, this.scheduler.now() + slice);
    }, wait);
  }
}

function* nothingBefore(act: () => void): Slices<() => void> {
  yield;
  return act;
}

/**
 * Returns a function that calls `deliver` for one value at a time. A value that is added during a
 * delivery is delivered afterwards, so all receivers get the values in the same order.
 */
export function inOrder<T>(deliver: (value: T) => void): (value: T) => void {
  const waiting: T[] = [];
  let isDelivering = false;
  return (value) => {
    waiting.push(value);
    if (isDelivering) return;
    isDelivering = true;
    try {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) deliver(next);
    } finally {
      isDelivering = false;
    }
  };
}
