import type { SchedulerLike, Subscription } from 'rxjs';
import { slice } from '../scheduling/sliced-tasks.js';
import type { Slices } from '../scheduling/slices.js';

/** One commit and the derived commits that follow from it. */
export interface Round {
  /** The queue of each log that the round may change: its own log, and all logs derived from it. */
  readonly queues: ReadonlySet<RoundQueue>;
  /** The clock that measures slices. */
  readonly scheduler: SchedulerLike;
  /** Returns true once the log of the round was emptied. Then the round is not announced. */
  readonly isDropped: () => boolean;
  /**
   * Runs the whole round, or returns a computation in slices. The result of the computation is a
   * function that announces the round.
   */
  readonly begin: () => Slices<() => void> | undefined;
}

/**
 * The rounds that may change one log, in their order. The earlier one is announced before the later
 * one begins, so all streams show the same round even if a subscriber causes a commit (G3). Rounds
 * without a common log do not wait for each other (J8).
 */
export class RoundQueue {
  /** The last round; `undefined` if no round waits or runs. */
  last: QueuedRound | undefined;
  /** The round that is being computed. */
  computing: QueuedRound | undefined;

  /**
   * Finishes and announces the computed round, and those that begin meanwhile.
   *
   * @throws if the computation itself calls it
   */
  finish(): void {
    while (this.computing !== undefined) this.computing.finish();
  }
}

/**
 * A round that waits for all earlier ones in its queues, and for `release`. A long round, and those
 * that waited for it, which may be many, run in slices.
 */
export class QueuedRound {
  /** The number of calls of `release` to wait for. */
  #ahead = 1;
  /** The rounds that wait for this one, once for each queue. */
  #next: QueuedRound[] | undefined;
  #steps: Slices<() => void> | undefined;
  #isStepping = false;
  #continuation: Subscription | undefined;

  /** @param after other queues, whose present rounds are ahead of this one */
  constructor(
    private readonly round: Round,
    after: readonly RoundQueue[] = [],
  ) {
    for (const queue of after) this.#waitFor(queue);
    for (const queue of round.queues) {
      this.#waitFor(queue);
      queue.last = this;
    }
  }

  /** Runs the round. It is done when this returns, unless it has to wait or takes long. */
  release(): void {
    if (--this.#ahead === 0) runAll([this]);
  }

  /** Computes and announces the round now. */
  finish(): void {
    if (this.#isStepping)
      throw new Error('a function that computes rows called addIndexers; call it outside of the function');
    this.#continuation?.unsubscribe();
    runAll([this], Infinity);
  }

  /**
   * Runs the round until `until`, and continues in a later task if it takes longer.
   *
   * @param ready receives the rounds that waited only for this one, once it is done
   */
  run(ready: QueuedRound[], until: number | undefined): void {
    let isDone = true;
    try {
      isDone = this.#compute(until);
    } finally {
      if (isDone) this.#leave(ready);
      else this.continueLater();
    }
  }

  continueLater(): void {
    const { scheduler } = this.round;
    this.#continuation = scheduler.schedule(() => {
      runAll([this], scheduler.now() + slice);
    });
  }

  /** Returns true if `until` has passed. */
  isOver(until: number | undefined): boolean {
    return until !== undefined && this.round.scheduler.now() >= until;
  }

  /** Returns false if the rest of the round is computed later. */
  #compute(until: number | undefined): boolean {
    const { begin, isDropped, queues, scheduler } = this.round;
    if (this.#steps === undefined) {
      this.#steps = isDropped() ? undefined : begin();
      if (this.#steps === undefined) return true;
      for (const queue of queues) queue.computing = this;
    }
    const end = until ?? scheduler.now() + slice;
    let announce: (() => void) | undefined;
    let isLater = false;
    this.#isStepping = true;
    try {
      while (announce === undefined && !isDropped() && !isLater) {
        const step = this.#steps.next();
        if (step.done) announce = step.value;
        else isLater = this.isOver(end);
      }
    } finally {
      this.#isStepping = false;
      if (!isLater) for (const queue of queues) queue.computing = undefined;
    }
    if (isLater) return false;
    if (!isDropped()) announce?.();
    return true;
  }

  #waitFor({ last }: RoundQueue): void {
    if (last === undefined) return;
    (last.#next ??= []).push(this);
    this.#ahead++;
  }

  #leave(ready: QueuedRound[]): void {
    for (const queue of this.round.queues) if (queue.last === this) queue.last = undefined;
    if (this.#next === undefined) return;
    for (const next of this.#next) if (--next.#ahead === 0) ready.push(next);
  }
}

/**
 * Runs rounds that wait for no other, and then those that waited for them. Once `until` has passed,
 * the next round begins in a later task.
 */
function runAll(ready: QueuedRound[], until?: number): void {
  let isOver = false;
  try {
    for (let queued = ready.shift(); queued !== undefined; queued = ready.shift()) {
      if (isOver) queued.continueLater();
      else queued.run(ready, until);
      isOver ||= queued.isOver(until);
    }
  } finally {
    // If a round throws, the other rounds still run.
    if (ready.length > 0) runAll(ready, until);
  }
}
