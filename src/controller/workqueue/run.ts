import { EMPTY, Observable, tap, timer, type SchedulerLike } from 'rxjs';
import { runStoppedError, runTimeoutError, drainEndedError } from '../queue/errors.js';
import type { RequeueAfter, Skipped } from './outcome.js';
import { workOf, type ValueOf } from './with-settled.js';

/** The second argument of the work of `workqueue`. */
export interface RunContext<Reason = unknown> {
  /** Aborted by a timeout, the end of the drain or unsubscribing. Pass it to all awaited work. */
  readonly signal: AbortSignal;
  /** The number of the attempt: 1, plus the failures in a row before it. */
  readonly attempt: number;
  readonly priority: number;
  /**
   * The reasons of the additions that led to this run, oldest first, each once. Use them for logs
   * only: a run must decide from the current state, not from events.
   */
  readonly reasons: readonly Reason[];
}

/** What a run returns, without `undefined`, `requeueAfter` and `Skipped`. */
export type ResultOf<Output> = Exclude<Exclude<ValueOf<Output>, void>, RequeueAfter | Skipped>;

export interface RunOptions {
  readonly timeout: number;
  readonly scheduler: SchedulerLike;
  /** Emits when the run has to end, because the drain ends. */
  readonly drainEnded$: Observable<void>;
  /**
   * Called when the run ends, with an Observable that completes when its work has ended: before the
   * run errors or completes, but after `project` has returned.
   */
  readonly continues: (settled$: Observable<never>) => void;
}

/**
 * Runs `project` for one key, and emits values until its work ends. Fails with its error, a
 * `RXI_RUN_TIMEOUT` or an `RXI_DRAIN_ENDED`. Unsubscribing aborts the signal.
 */
export function run(
  key: string,
  project: (signal: AbortSignal) => unknown,
  { timeout, scheduler, drainEnded$, continues }: RunOptions,
): Observable<unknown> {
  return new Observable((subscriber) => {
    const abort = new AbortController();
    const run = { settled$: EMPTY, hasEnded: false };
    const end = (): void => {
      if (run.hasEnded) return;
      run.hasEnded = true;
      if (run.settled$ !== EMPTY) continues(run.settled$);
    };
    const stop = (reason: () => Error): void => {
      if (run.hasEnded) return;
      abort.abort(reason());
      end();
    };
    const fail = (error: Error): void => {
      stop(() => error);
      subscriber.error(error);
    };

    // Teardown runs in this order: the signal is aborted before the work is unsubscribed from.
    subscriber.add(() => stop(() => runStoppedError(key)));
    // The timer starts before the work; it ends the run with an `RXI_RUN_TIMEOUT`.
    if (timeout !== Infinity) {
      subscriber.add(timer(timeout, scheduler).subscribe(() => fail(runTimeoutError(key, timeout))));
    }
    subscriber.add(drainEnded$.subscribe(() => fail(drainEndedError(key))));
    if (subscriber.closed) return;

    try {
      const work = workOf(project(abort.signal));
      run.settled$ = work.settled$;
      const valuesEnded = work.outlivesValues ? end : (): void => void (run.hasEnded = true);
      // If the run was ended during the call of `project`, its values are not subscribed to.
      if (run.hasEnded) continues(work.settled$);
      else work.values$.pipe(tap({ error: valuesEnded, complete: valuesEnded })).subscribe(subscriber);
    } catch (error) {
      end();
      subscriber.error(error);
    }
  });
}
