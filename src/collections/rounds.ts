import type { SchedulerLike, Subscription } from 'rxjs';
import { slice } from '../scheduling/sliced-tasks.js';
import type { Slices } from '../scheduling/slices.js';

/** One commit and the derived commits that follow from it. */
export interface Round {
  /** The log of the commit. `drop` with this log drops the round. */
  readonly owner: object;
  /** The clock that measures slices. */
  readonly scheduler: SchedulerLike;
  /**
   * Runs the whole round, or returns a computation in slices. The result of the computation is a
   * function that announces the round.
   */
  readonly begin: () => Slices<() => void> | undefined;
}

/**
 * The queue of rounds of one log, or of several logs that have a derived collection in common.
 *
 * One round is announced before the next one begins, so all streams show the same round even if a
 * subscriber causes a commit (G3). A long round is computed in slices, and later rounds wait for
 * it. The waiting rounds are also run in slices, because many may have arrived meanwhile.
 */
export class Rounds {
  /** The queue that this queue has become part of; `undefined` if there is none. */
  #joined: Rounds | undefined;
  #waiting: Round[] = [];
  /**
   * The number of callers that hold the queue, because they compute or announce a round, or call a
   * new subscriber.
   */
  #holders = 0;
  #computing = new Set<Computing>();

  /**
   * Adds a round. When this method returns, the round is done, unless another round is running or
   * this round takes long to compute.
   */
  add(round: Round): void {
    this.#current.#waiting.push(round);
    this.#drain();
  }

  /** Calls `act`. Rounds that `act` adds begin when `act` has returned. */
  hold(act: () => void): void {
    this.#current.#holders++;
    try {
      act();
    } finally {
      this.#current.#holders--;
      this.#drain();
    }
  }

  /**
   * Merges two queues into one. They are never separated, because they would probably be joined
   * again.
   */
  join(other: Rounds): void {
    const one = this.#current;
    const two = other.#current;
    if (one === two) return;
    two.#joined = one;
    one.#waiting.push(...two.#waiting);
    one.#holders += two.#holders;
    for (const computing of two.#computing) one.#computing.add(computing);
    two.#waiting = [];
  }

  /**
   * Finishes the current computation and announces its round. Does the same with rounds that begin
   * meanwhile.
   *
   * @throws if the computation itself calls it
   */
  finish(): void {
    for (let computing = this.#underway(); computing !== undefined; computing = this.#underway()) {
      if (computing.isStepping)
        throw new Error('a function that computes rows called addIndexers; call it outside of the function');
      computing.continuation?.unsubscribe();
      this.#continue(computing, Infinity);
    }
  }

  /** Drops all rounds of an owner, including one that is being computed. */
  drop(owner: object): void {
    const current = this.#current;
    current.#waiting = current.#waiting.filter((round) => round.owner !== owner);
    for (const computing of current.#computing) if (computing.round.owner === owner) computing.isDropped = true;
  }

  /**
   * The queue that this queue has become part of, or this queue itself. The path to it is shortened
   * for later calls.
   */
  get #current(): Rounds {
    if (this.#joined === undefined) return this;
    this.#joined = this.#joined.#current;
    return this.#joined;
  }

  #underway(): Computing | undefined {
    return this.#current.#computing.values().next().value;
  }

  /** Runs the waiting rounds. Once `isOver` returns true, the next round begins in a later task. */
  #drain(isOver: () => boolean = isNever): void {
    if (this.#current.#holders > 0) return;
    this.#current.#holders++;
    let isDone = true;
    try {
      for (let round = this.#next(); round !== undefined; round = this.#next()) {
        isDone = isOver() ? this.#postpone(round) : this.#run(round);
        if (!isDone) return;
      }
    } finally {
      if (isDone) this.#current.#holders--;
    }
  }

  /**
   * Returns the next round. Returns `undefined` if no round waits, or if this queue was joined with
   * a queue that another caller holds. In the second case, that caller runs the rounds.
   */
  #next(): Round | undefined {
    const current = this.#current;
    return current.#holders === 1 ? current.#waiting.shift() : undefined;
  }

  /** Returns false if the rest of the round is computed later. */
  #run(round: Round, until?: number): boolean {
    const steps = round.begin();
    if (steps === undefined) return true;
    return this.#compute(this.#track(round, steps), until ?? round.scheduler.now() + slice);
  }

  /** Begins a round in a later task. Returns false. */
  #postpone(round: Round): false {
    return this.#continueLater(this.#track(round, undefined));
  }

  /** Adds a round to the rounds under way. */
  #track(round: Round, steps: Computing['steps']): Computing {
    const computing: Computing = { round, steps, isStepping: false, isDropped: false, continuation: undefined };
    this.#current.#computing.add(computing);
    return computing;
  }

  #compute(computing: Computing, until: number): boolean {
    const { round, steps } = computing;
    if (steps === undefined) {
      this.#current.#computing.delete(computing);
      return computing.isDropped || this.#run(round, until);
    }
    let announce: (() => void) | undefined;
    let isLater = false;
    computing.isStepping = true;
    try {
      while (announce === undefined && !computing.isDropped && !isLater) {
        const step = steps.next();
        if (step.done) announce = step.value;
        else isLater = round.scheduler.now() >= until;
      }
    } finally {
      computing.isStepping = false;
      if (!isLater) this.#current.#computing.delete(computing);
    }
    if (isLater) return this.#continueLater(computing);
    if (!computing.isDropped) announce?.();
    return true;
  }

  #continueLater(computing: Computing): false {
    const { scheduler } = computing.round;
    computing.continuation = scheduler.schedule(() => {
      this.#continue(computing, scheduler.now() + slice);
    });
    return false;
  }

  #continue(computing: Computing, until: number): void {
    let isDone = true;
    try {
      isDone = this.#compute(computing, until);
    } finally {
      if (isDone) {
        this.#current.#holders--;
        this.#drain(() => computing.round.scheduler.now() >= until);
      }
    }
  }
}

function isNever(): boolean {
  return false;
}

/** A round while it is computed. */
interface Computing {
  readonly round: Round;
  /** `undefined` until the round begins. */
  readonly steps: Slices<() => void> | undefined;
  isStepping: boolean;
  /** True if the log of the round was emptied. Then the round is not announced. */
  isDropped: boolean;
  continuation: Subscription | undefined;
}
