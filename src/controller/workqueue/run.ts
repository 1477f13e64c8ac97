import { EMPTY, Observable, tap, timer, type SchedulerLike } from 'rxjs';
import { DrainEndedError } from './drain-ended-error.js';
import type { RequeueAfter } from './requeue-after.js';
import type { Skipped } from './skipped.js';
import { RunStoppedError } from './run-stopped-error.js';
import { RunTimeoutError } from './run-timeout-error.js';
import { workOf, type ValueOf, type Work } from './work.js';

/** What a run is told besides its key. */
export interface RunContext<Reason = unknown> {
  /** Aborted when the run takes too long, the drain ends, or nobody is subscribed any more; hand it to whatever it waits for. */
  readonly signal: AbortSignal;
  /** 1, or one more than the failures in a row before it. */
  readonly attempt: number;
  readonly priority: number;
  /** What the additions said that this run serves, oldest first, each once. For logs: a run looks at the state, not at events. */
  readonly reasons: readonly Reason[];
}

/** What of that which a run gives is a result: `undefined` and the wish to run again are none. */
export type ResultOf<Output> = ResultOfValue<ValueOf<Output>>;

/** What of a value is a result. */
export type ResultOfValue<Value> = Exclude<Exclude<Value, void>, RequeueAfter | Skipped>;

export interface RunOptions {
  readonly timeout: number;
  readonly scheduler: SchedulerLike;
  /** Says that the run has to end, because the drain does. */
  readonly drainEnded$: Observable<void>;
  /**
   * Called with an Observable that completes when the work is over, if the work may go on after its
   * run: before the run errors or completes, or as soon as it is known what was begun.
   */
  readonly goesOn: (over$: Observable<never>) => void;
}

/**
 * Returns one run: it emits the values of its work, until the work ends or the run is aborted.
 *
 * **Errors**: what the work fails with, a `RunTimeoutError`, or a `DrainEndedError`. Unsubscribing aborts the signal.
 */
export function run(
  key: string,
  project: (signal: AbortSignal) => unknown,
  { timeout, scheduler, drainEnded$, goesOn }: RunOptions,
): Observable<unknown> {
  return new Observable((subscriber) => {
    const abort = new AbortController();
    const run: { work?: Work<unknown>; hasEnded: boolean } = { hasEnded: false };
    const end = (rest$ = EMPTY): void => {
      if (run.hasEnded) return;
      run.hasEnded = true;
      if (rest$ !== EMPTY) goesOn(rest$);
    };
    const stop = (reason: Error): void => {
      if (run.hasEnded) return;
      abort.abort(reason);
      end(run.work?.over$);
    };
    const fail = (error: Error): void => {
      stop(error);
      subscriber.error(error);
    };

    // Teardown runs in this order: the signal is aborted before the work is unsubscribed from.
    subscriber.add(() => {
      stop(new RunStoppedError(key));
    });
    // The timer stands before the work begins, and its error is the run's.
    if (timeout !== Infinity) {
      const timeIsUp = timer(timeout, scheduler).subscribe(() => {
        fail(new RunTimeoutError(key, timeout));
      });
      subscriber.add(timeIsUp);
    }
    const drainEnded = drainEnded$.subscribe(() => {
      fail(new DrainEndedError(key));
    });
    subscriber.add(drainEnded);
    if (subscriber.closed) return;

    try {
      run.work = workOf(project(abort.signal));
    } catch (error) {
      end();
      subscriber.error(error);
      return;
    }
    const { values$, over$, rest$ } = run.work;
    if (run.hasEnded) {
      // It had to end within the call: what the call began is not subscribed to.
      goesOn(over$);
      return;
    }
    const ended = (): void => {
      end(rest$);
    };
    values$.pipe(tap({ error: ended, complete: ended })).subscribe(subscriber);
  });
}
