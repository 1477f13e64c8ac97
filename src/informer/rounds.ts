import type { SchedulerLike, Subscription } from 'rxjs';
import { slice } from '../operators/sliced-tasks.js';
import type { Slices } from '../store/slices.js';

/** One commit and all that follows from it. */
export interface Round {
  /** The log whose commit it is; `drop` of the log drops the round. */
  readonly owner: object;
  /** Its clock measures slices. */
  readonly scheduler: SchedulerLike;
  /** Does the round, or returns a computation that returns the function that announces it. */
  readonly begin: () => Slices<() => void> | undefined;
}

/**
 * The queue of the rounds of one log, or of several that have a derived collection in common.
 *
 * One round is announced before the next one begins, so a subscriber that causes a commit never makes
 * two streams show different rounds (G3). A round that takes long to compute is computed in slices;
 * the rounds behind it wait.
 */
export class Rounds {
  /** Set when this queue has become part of another one. */
  #joined: Rounds | undefined;
  #waiting: Round[] = [];
  /** How many callers hold the queue: a round is computed or announced, or a subscriber is welcomed. */
  #holders = 0;
  #computing = new Set<Computing>();

  /** Adds a round. It is done before this returns, unless another one is under way or it takes long to compute. */
  add(round: Round): void {
    this.#current.#waiting.push(round);
    this.#drain();
  }

  /** Calls `act`; rounds that it adds begin when it has returned. */
  hold(act: () => void): void {
    this.#current.#holders++;
    try {
      act();
    } finally {
      this.#current.#holders--;
      this.#drain();
    }
  }

  /** Makes one queue of two. They stay one: what has been joined once is likely to be joined again. */
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
   * Computes what is being computed to its end, and announces it; also the rounds that begin then.
   *
   * @throws if that computation itself calls it
   */
  finish(): void {
    for (let computing = this.#underway(); computing !== undefined; computing = this.#underway()) {
      if (computing.isStepping) throw new Error('a function that computes rows called addIndexers: call it elsewhere');
      computing.continuation?.unsubscribe();
      this.#continue(computing, Infinity);
    }
  }

  /** Drops the rounds of an owner, also one that is being computed. */
  drop(owner: object): void {
    const current = this.#current;
    current.#waiting = current.#waiting.filter((round) => round.owner !== owner);
    for (const computing of current.#computing) if (computing.round.owner === owner) computing.isDropped = true;
  }

  /** The queue that this one has become part of; what lies between is skipped the next time. */
  get #current(): Rounds {
    if (this.#joined === undefined) return this;
    this.#joined = this.#joined.#current;
    return this.#joined;
  }

  #underway(): Computing | undefined {
    return this.#current.#computing.values().next().value;
  }

  #drain(): void {
    if (this.#current.#holders > 0) return;
    this.#current.#holders++;
    let isDone = true;
    try {
      for (let round = this.#next(); round !== undefined; round = this.#next()) {
        isDone = this.#run(round);
        if (!isDone) return;
      }
    } finally {
      if (isDone) this.#current.#holders--;
    }
  }

  /** Returns `undefined` also if two queues were joined and the other one is held: its holder goes on. */
  #next(): Round | undefined {
    const current = this.#current;
    return current.#holders === 1 ? current.#waiting.shift() : undefined;
  }

  /** Returns false if the round is computed further later. */
  #run(round: Round): boolean {
    const steps = round.begin();
    if (steps === undefined) return true;
    const computing: Computing = { round, steps, isStepping: false, isDropped: false, continuation: undefined };
    this.#current.#computing.add(computing);
    return this.#compute(computing, round.scheduler.now() + slice);
  }

  #compute(computing: Computing, until: number): boolean {
    const { round, steps } = computing;
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
    if (isLater) {
      computing.continuation = round.scheduler.schedule(() => {
        this.#continue(computing, round.scheduler.now() + slice);
      });
      return false;
    }
    if (!computing.isDropped) announce?.();
    return true;
  }

  #continue(computing: Computing, until: number): void {
    let isDone = true;
    try {
      isDone = this.#compute(computing, until);
    } finally {
      if (isDone) {
        this.#current.#holders--;
        this.#drain();
      }
    }
  }
}

/** A round while it is computed. */
interface Computing {
  readonly round: Round;
  readonly steps: Slices<() => void>;
  isStepping: boolean;
  /** True when its log was emptied: nothing of it is announced. */
  isDropped: boolean;
  continuation: Subscription | undefined;
}
