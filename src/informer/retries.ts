import { timer, type SchedulerLike, type Subscription } from 'rxjs';
import { isRxInformersError, type RxInformersError } from '../kubernetes/errors.js';
import { safely, safeRandom } from '../scheduling/safely.js';
import { exponentialBackoff, type Backoff } from '../sources/model/backoff.js';
import { optionThrew } from '../sources/model/errors.js';

/** Options for the retries of an informer. */
export interface RetryOptions {
  readonly relistBackoff?: Backoff | undefined;
  readonly random: () => number;
  readonly scheduler: SchedulerLike;
}

/**
 * The default of `relistBackoff`. Its waits are longer than those of a connection, because the
 * cause is usually a single broken object.
 */
const defaultRelistBackoff = /*#__PURE__*/ exponentialBackoff({ cap: 300_000 });

/** Computes the waits between attempts. The backoff may throw or return an invalid wait. */
export class GrowingWaits {
  readonly #backoff: Backoff;
  readonly #random: () => number;
  #attempt = 0;

  /**
   * @param failed receives errors of `relistBackoff` and `random`; it may stop the informer
   */
  constructor(
    { relistBackoff = defaultRelistBackoff, random }: RetryOptions,
    failed: (error: RxInformersError<'RXI_UNEXPECTED_SOURCE'>) => void,
  ) {
    const call = safely((option, cause) => failed(optionThrew(option, cause)));
    this.#backoff = (...args) => call('relistBackoff', () => relistBackoff(...args), defaultRelistBackoff(...args));
    this.#random = safeRandom(random, call);
  }

  /** Returns the number of the next attempt, and the wait before it in milliseconds. */
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
 * If an index function failed for objects, indexes them again with growing waits, until the
 * function succeeds (G4). The store has the current state of these objects, so no list is needed.
 */
export class IndexRetries {
  readonly #keys = new Set<string>();
  readonly #waits: GrowingWaits;
  readonly #scheduler: SchedulerLike;
  #waiting: Subscription | undefined;
  /** Identifies the retries since the last `clear`, which replaces it by another object. */
  #run = {};

  /**
   * @param indexAgain calls the index functions for some keys, and then `done` with their errors.
   *   If the informer was stopped meanwhile, it does not call `done`
   */
  constructor(
    private readonly indexAgain: (keys: readonly string[], done: (errors: readonly unknown[]) => void) => void,
    options: RetryOptions,
    failed: (error: RxInformersError<'RXI_UNEXPECTED_SOURCE'>) => void,
  ) {
    this.#waits = new GrowingWaits(options, failed);
    this.#scheduler = options.scheduler;
  }

  /** Schedules a retry for objects whose index functions failed, unless one is scheduled. */
  add(errors: readonly unknown[]): void {
    for (const error of errors) if (isRxInformersError(error, 'RXI_INDEX_FUNCTION')) this.#keys.add(error.key);
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
