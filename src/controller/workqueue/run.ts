import { defer, map, merge, NEVER, takeUntil, tap, timer, type Observable, type SchedulerLike } from 'rxjs';
import { DrainEndedError } from './drain-ended-error.js';
import { valuesOf, type ValueOf } from './output.js';
import type { RequeueAfter } from './requeue-after.js';
import { RunStoppedError } from './run-stopped-error.js';
import { RunTimeoutError } from './run-timeout-error.js';

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
export type ResultOfValue<Value> = Exclude<Exclude<Value, void>, RequeueAfter>;

export interface RunOptions {
  readonly timeout: number;
  readonly scheduler: SchedulerLike;
  /** Says that the run has to end, because the drain does. */
  readonly drainEnded$: Observable<void>;
}

/** One run: what it gives, until it is over. Errors where it fails, takes too long, or has to end; unsubscribing aborts it. */
export function run(
  key: string,
  project: (signal: AbortSignal) => unknown,
  { timeout, scheduler, drainEnded$ }: RunOptions,
): Observable<unknown> {
  return defer(() => {
    const abort = new AbortController();
    const timeIsUp$ = timeout === Infinity ? NEVER : timer(timeout, scheduler);
    const mustEnd$ = merge(
      timeIsUp$.pipe(map(() => new RunTimeoutError(key, timeout))),
      drainEnded$.pipe(map(() => new DrainEndedError(key))),
    );
    return defer(() => valuesOf(project(abort.signal))).pipe(
      // Of several reasons to abort, a signal keeps the first.
      tap({
        unsubscribe: () => {
          abort.abort(new RunStoppedError(key));
        },
      }),
      // The timer stands before the work begins, and its error is the run's.
      takeUntil(
        mustEnd$.pipe(
          map((error) => {
            abort.abort(error);
            throw error;
          }),
        ),
      ),
    );
  });
}
