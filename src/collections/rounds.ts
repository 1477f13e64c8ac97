import type { SchedulerLike, Subscription } from 'rxjs';
import { slice } from '../scheduling/sliced-tasks.js';
import { runSlices, type Slices } from '../scheduling/slices.js';
import { impureFunctionError } from './errors.js';

/**
 * Begins a round: one commit and the derived commits that follow from it. Runs the whole round, or
 * returns a computation in slices, whose result is a function that announces the round.
 */
export type Begin = () => Slices<() => void> | undefined;

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
  /** Replaced when the log is emptied. Rounds that were added before are then dropped. */
  epoch = {};

  /** @param scheduler the clock that measures slices */
  constructor(readonly scheduler: SchedulerLike) {}

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

  readonly #epoch: object;

  /**
   * @param own the queue of the log whose round it is
   * @param queues the queues of all logs that the round may change: its own log, and those derived
   *   from it
   * @param after other queues, whose present rounds are ahead of this one
   */
  constructor(
    private readonly own: RoundQueue,
    private readonly queues: ReadonlySet<RoundQueue>,
    private readonly begin: Begin,
    after: readonly RoundQueue[],
  ) {
    this.#epoch = own.epoch;
    for (const ahead of [...after, ...queues]) {
      if (ahead.last === undefined) continue;
      (ahead.last.#next ??= []).push(this);
      this.#ahead++;
    }
    for (const queue of queues) queue.last = this;
  }

  /** Runs the round. It is done when this returns, unless it has to wait or takes long. */
  release(): void {
    if (--this.#ahead === 0) runAll([this]);
  }

  /** Computes and announces the round now. */
  finish(): void {
    if (this.#isStepping)
      throw impureFunctionError(
        'addIndexers',
        'a function that computes rows called addIndexers; call it outside of the function',
      );
    this.#continuation?.unsubscribe();
    runAll([this], Infinity);
  }

  /**
   * Runs the round until `until`, and continues in a later task if it takes longer.
   *
   * @param ready receives the rounds that waited only for this one, once it is done
   */
  run(ready: QueuedRound[], until: number | undefined): void {
    let isLater = false;
    try {
      if (this.#steps === undefined && this.own.epoch === this.#epoch) {
        this.#steps = this.begin();
        if (this.#steps !== undefined) for (const queue of this.queues) queue.computing = this;
      }
      if (this.#steps !== undefined) isLater = this.#compute(this.#steps, until);
    } finally {
      if (isLater) {
        this.continueLater();
      } else {
        for (const queue of this.queues) if (queue.last === this) queue.last = undefined;
        for (const next of this.#next ?? []) if (--next.#ahead === 0) ready.push(next);
      }
    }
  }

  continueLater(): void {
    const { scheduler } = this.own;
    this.#continuation = scheduler.schedule(() => {
      runAll([this], scheduler.now() + slice);
    });
  }

  /** Returns true if `until` has passed. */
  isOver(until: number): boolean {
    return this.own.scheduler.now() >= until;
  }

  /** Computes and announces the round. Returns true if the rest is computed later. */
  #compute(steps: Slices<() => void>, until = this.own.scheduler.now() + slice): boolean {
    let announce: (() => void) | undefined;
    let isLater = false as boolean;
    const isEmptied = (): boolean => this.own.epoch !== this.#epoch;
    this.#isStepping = true;
    try {
      if (!isEmptied()) announce = runSlices(steps, () => isEmptied() || (isLater = this.isOver(until)));
    } finally {
      this.#isStepping = false;
      if (!isLater) for (const queue of this.queues) queue.computing = undefined;
    }
    if (!isEmptied()) announce?.();
    return isLater;
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
      isOver ||= until !== undefined && queued.isOver(until);
    }
  } finally {
    // If a round throws, the other rounds still run.
    if (ready.length > 0) runAll(ready, until);
  }
}
