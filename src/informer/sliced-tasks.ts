import type { SchedulerLike, Subscription } from 'rxjs';
import type { Slices } from '../store/slices.js';

/** For how long a task may keep everything else waiting, in milliseconds; a step longer is possible, and what is done in the end. */
export const slice = 8;

/** Computes in steps, and gives what is then to be done, at once. */
export type Task = () => Slices<() => void>;

/**
 * Carries out tasks one after the other. A task that takes long is computed in slices; the event
 * loop is free between two of them.
 *
 * A task that fits into one slice is done before `run` returns, and one without a step always is.
 * Later tasks wait for a long one. Time is that of the scheduler: virtual time stands still while
 * tasks compute, so nothing is interrupted in it.
 *
 * Nothing is thrown: what a task throws goes to `failed`, and the next task goes on.
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

  /** Does something that needs no computing, after all that was given before. */
  inTurn(act: () => void): void {
    if (this.#isIdle()) this.#act(act);
    else this.#waiting.push(() => nothingBefore(act));
  }

  /**
   * Does everything that is under way or waits, now.
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

  /** Forgets what is under way and what waits, also if it is called by the computation itself. */
  clear(): void {
    this.#continuation?.unsubscribe();
    this.#continuation = undefined;
    this.#underway = undefined;
    this.#waiting.length = 0;
  }

  /** True also while a task does what it computed, unless others wait: what that causes is done at once. */
  #isIdle(): boolean {
    return this.#underway === undefined && this.#waiting.length === 0;
  }

  #drive(first: Slices<() => void>, until: number): void {
    this.#continuation?.unsubscribe();
    for (let steps: Slices<() => void> | undefined = first; steps !== undefined; steps = this.#next()) {
      this.#underway = steps;
      const act = this.#compute(steps, until);
      // Cleared by its own computation: what it computed is for a state that is over.
      if (this.#underway !== steps) return;
      if (act === undefined) return this.#driveLater(steps);
      this.#underway = undefined;
      this.#act(act);
    }
  }

  /** Returns what is to be done in the end, `undefined` if the time is over before. */
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

  /** Returns none if the end of the last task has begun another one that is under way now: it goes on by itself. */
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
