import { AsyncSubject, catchError, concat, EMPTY, ignoreElements, type Observable, type SchedulerLike } from 'rxjs';

/** Work that goes on although its run has ended. */
export interface Unsettled {
  readonly key: string;
  /** When its run ended, in milliseconds of the scheduler. */
  readonly since: number;
  /** Completes when the work is over. */
  readonly over$: Observable<never>;
}

/**
 * The work that goes on although its run was timed out, aborted or unsubscribed from, by key.
 *
 * It belongs to one `workqueue(…)` and outlives its subscriptions: a promise settles when it likes.
 */
export class UnsettledWork {
  readonly #byKey = new Map<string, Unsettled>();

  constructor(private readonly scheduler: SchedulerLike) {}

  /** Keeps `key` until `over$` has completed or failed. */
  add(key: string, over$: Observable<unknown>): void {
    const known = this.#byKey.get(key);
    const over = new AsyncSubject<never>();
    const unsettled = { key, since: known?.since ?? this.scheduler.now(), over$: over };
    this.#byKey.set(key, unsettled);
    // Two subscriptions that run the same key may both leave work behind.
    concat(known?.over$ ?? EMPTY, over$)
      .pipe(
        ignoreElements(),
        catchError(() => EMPTY),
      )
      .subscribe({
        complete: () => {
          if (this.#byKey.get(key) === unsettled) this.#byKey.delete(key);
          over.complete();
        },
      });
  }

  get(key: string): Unsettled | undefined {
    return this.#byKey.get(key);
  }

  /** All that is going on now. */
  list(): readonly Unsettled[] {
    return [...this.#byKey.values()];
  }
}
