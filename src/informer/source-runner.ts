import { defer, Subject, Subscription, takeUntil, timer, type SchedulerLike } from 'rxjs';
import { steady, wallTime } from '../time/steady.js';
import { exponentialBackoff, type Backoff } from '../sources/backoff.js';
import { guardedBackoff, guardedRandom } from '../sources/guarded.js';
import type { Source } from '../sources/source.js';
import { UnexpectedSourceError } from '../sources/source-error.js';
import { toBatch } from '../sources/to-batch.js';
import type { WatchEvent } from '../sources/watch-event.js';

/** What a runner tells of the source it runs. */
export interface SourceObserver<T> {
  /** The source is about to be subscribed to, for the first time or again. */
  subscribing(): void;
  batch(batch: readonly WatchEvent<T>[]): void;
  /** The source itself ended with an error, which sources should not do; it is subscribed to again after a wait. */
  failed(error: UnexpectedSourceError, wait: { readonly until: number; readonly attempt: number }): void;
  /** `backoff` or `random` threw; the default is used. */
  callbackFailed(error: UnexpectedSourceError): void;
  complete(): void;
}

export interface SourceRunnerOptions {
  readonly backoff?: Backoff | undefined;
  readonly scheduler?: SchedulerLike | undefined;
  readonly random?: (() => number) | undefined;
}

/** Waits between two subscriptions for the sake of one broken object grow longer than those for the sake of a connection. */
export const defaultRelistBackoff = exponentialBackoff({ cap: 300_000 });

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
    { backoff = defaultRelistBackoff, scheduler, random = Math.random }: SourceRunnerOptions,
  ) {
    const failed = (error: UnexpectedSourceError): void => this.observer.callbackFailed(error);
    this.#backoff = guardedBackoff('relistBackoff', backoff, failed, defaultRelistBackoff);
    this.#scheduler = steady(scheduler);
    this.#random = guardedRandom(random, failed);
  }

  start(): void {
    this.#waiting = undefined;
    const before = this.#running;
    const stopped$ = new Subject<void>();
    const running = new Subscription(() => {
      stopped$.next();
    });
    this.#running = running;
    before?.unsubscribe();
    if (!running.closed) this.observer.subscribing();
    // The teardown of the last subscription, or an observer of the status, may have stopped this one.
    if (running.closed) return;
    // Not `running.add(source.subscribe(…))`: a source that emits on subscription may make a subscriber stop this runner, and has to
    // stop emitting, before `subscribe` returns.
    defer(() => this.source)
      .pipe(takeUntil(stopped$))
      .subscribe({
        next: (emitted) => {
          this.observer.batch(toBatch(emitted));
        },
        error: (cause: unknown) => {
          const error = new UnexpectedSourceError(cause);
          const wait = this.#restartLater();
          if (wait === undefined) this.observer.callbackFailed(error);
          else this.observer.failed(error, wait);
        },
        complete: () => {
          if (!running.closed && this.#waiting === undefined) this.observer.complete();
        },
      });
  }

  stop(): void {
    const running = this.#running;
    this.#waiting?.unsubscribe();
    this.#waiting = undefined;
    this.#running = undefined;
    this.#attempt = 0;
    // Last, because the teardown of the source may start this runner again.
    running?.unsubscribe();
  }

  /**
   * Lists again, because something could not be stored as the server has it (G4). The waits grow as long as that lasts. Does
   * nothing if the runner is stopped.
   */
  relist(): void {
    if (this.#running !== undefined && this.#waiting?.closed !== false) this.#restartLater();
  }

  /** A whole list was stored without an error. */
  listSucceeded(): void {
    this.#attempt = 0;
  }

  /** Returns `undefined` if a subscriber, told that `relistBackoff` threw, has stopped this runner. */
  #restartLater(): { readonly until: number; readonly attempt: number } | undefined {
    const running = this.#running;
    this.#attempt++;
    const attempt = this.#attempt;
    const wait = sensibleWait(this.#backoff(attempt, this.#random()));
    if (this.#running !== running) return undefined;
    this.#waiting?.unsubscribe();
    this.#waiting = timer(wait, this.#scheduler).subscribe(() => {
      this.start();
    });
    return { until: wallTime(this.#scheduler) + wait, attempt };
  }
}

/** A policy that gives nonsense costs requests; it must not stop the source (see `Backoff`). */
export function sensibleWait(wait: number): number {
  return wait > 0 && wait < Infinity ? wait : 0;
}
