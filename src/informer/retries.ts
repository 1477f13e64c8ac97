import { timer, type SchedulerLike, type Subscription } from 'rxjs';
import { exponentialBackoff, type Backoff, guardedBackoff, guardedRandom } from '../sources/model/backoff.js';
import type { UnexpectedSourceError } from '../sources/model/errors.js';
import { IndexFunctionError } from '../store/errors.js';

/** Options of everything that an informer tries again. */
export interface RetryOptions {
  readonly relistBackoff?: Backoff | undefined;
  readonly random: () => number;
  readonly scheduler: SchedulerLike;
}

/** The default of `relistBackoff`: longer waits than those of a connection, because one broken object is the reason. */
export const defaultRelistBackoff = /*#__PURE__*/ exponentialBackoff({ cap: 300_000 });

/** The waits between attempts, by a backoff that may throw or return nonsense. */
export class GrowingWaits {
  readonly #backoff: Backoff;
  readonly #random: () => number;
  #attempt = 0;

  /** @param failed receives what `relistBackoff` or `random` threw; it may stop the informer */
  constructor(
    { relistBackoff = defaultRelistBackoff, random }: RetryOptions,
    failed: (error: UnexpectedSourceError) => void,
  ) {
    this.#backoff = guardedBackoff('relistBackoff', relistBackoff, failed, defaultRelistBackoff);
    this.#random = guardedRandom(random, failed);
  }

  /** Returns the next attempt, and how long to wait before it, in milliseconds. */
  next(): { readonly attempt: number; readonly wait: number } {
    const attempt = ++this.#attempt;
    const wait = this.#backoff(attempt, this.#random());
    // A wait of 0 costs requests, but an invalid wait must not stop the source (see `Backoff`).
    return { attempt, wait: wait > 0 && wait < Infinity ? wait : 0 };
  }

  reset(): void {
    this.#attempt = 0;
  }
}

/**
 * Calls index functions again for the objects for which one failed, with growing waits for as long as
 * it fails (G4). The store holds these objects as the server has them, so no list is needed.
 */
export class IndexRetries {
  readonly #keys = new Set<string>();
  readonly #waits: GrowingWaits;
  readonly #scheduler: SchedulerLike;
  #waiting: Subscription | undefined;
  /** Another object after each `clear`. */
  #run = {};

  /** @param indexAgain calls the index functions for some keys, and `done` with the errors unless it was stopped meanwhile */
  constructor(
    private readonly indexAgain: (keys: readonly string[], done: (errors: readonly unknown[]) => void) => void,
    options: RetryOptions,
    failed: (error: UnexpectedSourceError) => void,
  ) {
    this.#waits = new GrowingWaits(options, failed);
    this.#scheduler = options.scheduler;
  }

  /** Schedules a retry for the objects of index function errors. A retry that is scheduled already stays as it is. */
  add(errors: readonly unknown[]): void {
    for (const error of errors) if (error instanceof IndexFunctionError) this.#keys.add(error.key);
    if (this.#keys.size === 0 || this.#waiting?.closed === false) return;
    const run = this.#run;
    const { wait } = this.#waits.next();
    if (this.#run !== run) return;
    this.#waiting = timer(wait, this.#scheduler).subscribe(() => {
      this.#waiting = undefined;
      const keys = [...this.#keys];
      this.#keys.clear();
      this.indexAgain(keys, (failures) => {
        if (failures.length === 0) this.#waits.reset();
        this.add(failures);
      });
    });
  }

  clear(): void {
    this.#run = {};
    this.#waiting?.unsubscribe();
    this.#waiting = undefined;
    this.#keys.clear();
    this.#waits.reset();
  }
}
