import { asyncScheduler, defer, Subscription, timer, type SchedulerLike } from 'rxjs';
import { exponentialBackoff, type Backoff } from '../sources/backoff.js';
import type { Source } from '../sources/source.js';
import { UnexpectedSourceError } from '../sources/source-error.js';
import { toBatch } from '../sources/to-batch.js';
import type { WatchEvent } from '../sources/watch-event.js';

/** What a runner tells of the source it runs. */
export interface SourceObserver<T> {
  batch(batch: readonly WatchEvent<T>[]): void;
  /** The source itself ended with an error, which sources should not do; it is subscribed to again after a wait. */
  failed(error: UnexpectedSourceError, wait: { readonly until: number; readonly attempt: number }): void;
  complete(): void;
}

export interface SourceRunnerOptions {
  readonly backoff?: Backoff | undefined;
  readonly scheduler?: SchedulerLike | undefined;
  readonly random?: (() => number) | undefined;
}

/** Waits between two subscriptions for the sake of one broken object grow longer than those for the sake of a connection. */
const DEFAULT_BACKOFF = exponentialBackoff({ cap: 300_000 });

/**
 * Keeps exactly one subscription to a source, and replaces it when a new list is needed.
 *
 * A relist is a new subscription, which works with any source. The old one goes on during the wait, so the cache stays current.
 */
export class SourceRunner<T> {
  readonly #backoff: Backoff;
  readonly #scheduler: SchedulerLike;
  readonly #random: () => number;
  #running: Subscription | undefined;
  #waiting: Subscription | undefined;
  #attempt = 0;

  constructor(
    private readonly source: Source<T>,
    private readonly observer: SourceObserver<T>,
    { backoff = DEFAULT_BACKOFF, scheduler = asyncScheduler, random = Math.random }: SourceRunnerOptions,
  ) {
    this.#backoff = backoff;
    this.#scheduler = scheduler;
    this.#random = random;
  }

  start(): void {
    this.#waiting = undefined;
    this.#running?.unsubscribe();
    const running = new Subscription();
    this.#running = running;
    // A source that emits on subscription may make a subscriber stop this runner before `subscribe` returns.
    running.add(
      defer(() => this.source).subscribe({
        next: (emitted) => {
          if (!running.closed) this.observer.batch(toBatch(emitted));
        },
        error: (cause: unknown) => {
          if (running.closed) return;
          const wait = this.#restartLater();
          this.observer.failed(new UnexpectedSourceError(cause), wait);
        },
        complete: () => {
          if (!running.closed && this.#waiting === undefined) this.observer.complete();
        },
      }),
    );
  }

  stop(): void {
    this.#waiting?.unsubscribe();
    this.#waiting = undefined;
    this.#running?.unsubscribe();
    this.#running = undefined;
    this.#attempt = 0;
  }

  /** G4: something could not be stored as the server has it; list again, later and later as long as it stays so. */
  relist(): void {
    if (this.#waiting === undefined) this.#restartLater();
  }

  /** A whole list was stored without an error. */
  listSucceeded(): void {
    this.#attempt = 0;
  }

  #restartLater(): { readonly until: number; readonly attempt: number } {
    this.#attempt++;
    const attempt = this.#attempt;
    const wait = this.#backoff(attempt, this.#random());
    this.#waiting?.unsubscribe();
    this.#waiting = timer(wait, this.#scheduler).subscribe(() => {
      this.start();
    });
    return { until: this.#scheduler.now() + wait, attempt };
  }
}
