import type { SchedulerLike, Subscription } from 'rxjs';
import type { Steps } from '../store/steps.js';

/** For how long a task may keep everything else waiting, in milliseconds; a step longer is possible, and what is done in the end. */
const slice = 8;

/** Computes in steps, and gives what is then to be done, at once. */
export type Task = () => Steps<() => void>;

/**
 * Carries out tasks one after the other; one that takes long is computed in slices, between which the event loop is free.
 *
 * What fits into one slice is done before `run` returns, so that a small batch is applied when it comes, and what has no step at
 * all always is; while a long one is under way, later ones wait. Time is that of the scheduler: in virtual time, which stands still meanwhile, nothing is ever
 * interrupted.
 */
export class SlicedTasks {
  readonly #waiting: Task[] = [];
  #underway: Steps<() => void> | undefined;
  #continuation: Subscription | undefined;

  constructor(private readonly scheduler: SchedulerLike) {}

  run(task: Task): void {
    if (this.#isIdle()) this.#drive(task(), this.scheduler.now() + slice);
    else this.#waiting.push(task);
  }

  /** Does something that needs no computing, behind all that was given before. */
  inTurn(act: () => void): void {
    if (this.#isIdle()) act();
    else this.#waiting.push(() => nothingBefore(act));
  }

  /** Does everything that is under way or waits, now. */
  finish(): void {
    if (this.#underway !== undefined) this.#drive(this.#underway, Infinity);
  }

  /** Forgets what is under way and what waits. */
  clear(): void {
    this.#continuation?.unsubscribe();
    this.#continuation = undefined;
    this.#underway = undefined;
    this.#waiting.length = 0;
  }

  /** True also within what a task does in the end, unless others wait: what that causes itself is done at once. */
  #isIdle(): boolean {
    return this.#underway === undefined && this.#waiting.length === 0;
  }

  #drive(first: Steps<() => void>, until: number): void {
    this.#continuation?.unsubscribe();
    let steps: Steps<() => void> | undefined = first;
    try {
      for (; steps !== undefined; steps = this.#next()) {
        this.#underway = steps;
        let step = steps.next();
        while (!step.done && this.scheduler.now() < until) step = steps.next();
        if (!step.done) return this.#driveLater(steps);
        this.#underway = undefined;
        step.value();
      }
    } catch (error) {
      // Whatever failed is over, and those that wait must not wait for ever.
      if (this.#underway === steps) this.#underway = undefined;
      const next = this.#next();
      if (next) this.#driveLater(next);
      throw error;
    }
  }

  /** None where the end of the last task has begun another one that is under way now: it goes on by itself. */
  #next(): Steps<() => void> | undefined {
    return this.#underway === undefined ? this.#waiting.shift()?.() : undefined;
  }

  #driveLater(steps: Steps<() => void>): void {
    this.#underway = steps;
    this.#continuation = this.scheduler.schedule(() => {
      this.#drive(steps, this.scheduler.now() + slice);
    });
  }
}

function* nothingBefore(act: () => void): Steps<() => void> {
  yield;
  return act;
}
