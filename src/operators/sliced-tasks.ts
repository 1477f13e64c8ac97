import type { SchedulerLike, Subscription } from 'rxjs';
import type { Slices } from '../store/slices.js';

/** How long a task may block the event loop, in milliseconds. The last part of a slice, and the act of a task, come on top. */
export const slice = 8;

/** Computes in slices, and returns the act that applies the result. */
export type Task = () => Slices<() => void>;

/**
 * Runs tasks one after the other. A task that takes long is computed in slices, and the event loop is
 * free between two of them.
 *
 * A task that fits into one slice is done before `run` returns; one that never yields always is.
 * Later tasks wait for a long one. Time is that of the scheduler: virtual time stands still while a
 * task computes, so in virtual time nothing is interrupted.
 *
 * If a task throws, `failed` receives the error, and the next task goes on.
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

  /**
   * Finishes all tasks, and runs this one to its end.
   *
   * @returns false, and does nothing, if it was called by the computation that is under way
   */
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
   * Runs the task that is under way, and all that wait, to their end.
   *
   * @returns false if it was called by the computation that is under way, which cannot be finished
   * from within
   */
  finish(): boolean {
    if (this.#stepping !== undefined && this.#stepping === this.#underway) return false;
    const steps = this.#underway ?? this.#next();
    if (steps !== undefined) this.#drive(steps, Infinity);
    return true;
  }

  /** Drops the task that is under way and all that wait, also if that computation itself calls it. */
  clear(): void {
    this.#continuation?.unsubscribe();
    this.#continuation = undefined;
    this.#underway = undefined;
    this.#waiting.length = 0;
  }

  /** True also during an act, unless tasks wait: a task that an act adds is run at once. */
  #isIdle(): boolean {
    return this.#underway === undefined && this.#waiting.length === 0;
  }

  #drive(first: Slices<() => void>, until: number): void {
    this.#continuation?.unsubscribe();
    for (let steps: Slices<() => void> | undefined = first; steps !== undefined; steps = this.#next()) {
      this.#underway = steps;
      const act = this.#compute(steps, until);
      // Its own computation has cleared it: the result is for a content that was dropped.
      if (this.#underway !== steps) return;
      if (act === undefined) return this.#driveLater(steps);
      this.#underway = undefined;
      this.#act(act);
    }
  }

  /** Returns the act of a task, or `undefined` if its slice ended before. */
  #compute(steps: Slices<() => void>, until: number): (() => void) | undefined {
    const outer = this.#stepping;
    this.#stepping = steps;
    try {
      let step = steps.next();
      while (!step.done && this.#underway === steps && this.scheduler.now() < until) step = steps.next();
      return step.done ? step.value : undefined;
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

  /** Returns `undefined` also if the last act has begun a task that is under way: that one continues by itself. */
  #next(): Slices<() => void> | undefined {
    return this.#underway === undefined ? this.#waiting.shift()?.() : undefined;
  }

  #driveLater(steps: Slices<() => void>): void {
    this.#continuation = this.scheduler.schedule(() => {
      this.#drive(steps, this.scheduler.now() + slice);
    });
  }
}

function* nothingBefore(act: () => void): Slices<() => void> {
  yield;
  return act;
}

/**
 * Returns `deliver`, called for one value at a time: a value that is added while another one is being
 * delivered is delivered after it. So all receivers get values in the same order.
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
