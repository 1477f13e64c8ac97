import { filter, map, pipe, type OperatorFunction } from 'rxjs';
import { type RxInformersError } from '../../kubernetes/errors.js';

/** The events of `workqueue`, in their order. Times are milliseconds of the scheduler. */
export type WorkqueueEvent<Result = unknown, Key extends string = string, Reason = unknown> =
  /** A run begins. */
  | {
      readonly type: 'started';
      readonly key: Key;
      /** The number of the attempt: 1, plus the failures in a row before it. */
      readonly attempt: number;
      readonly priority: number;
      readonly reasons: readonly Reason[];
      /** How long the key waited, for a worker and for the end of its previous run. */
      readonly waited: number;
    }
  /** A run emitted a value. The run may emit more values. */
  | { readonly type: 'emitted'; readonly key: Key; readonly value: Result }
  /** A run succeeded. */
  | {
      readonly type: 'succeeded';
      readonly key: Key;
      readonly attempt: number;
      /** The last value that the run emitted; `undefined` if it emitted no value. */
      readonly result: Result | undefined;
      readonly took: number;
      /** When the key will run again, if the run requested that (`requeueAfter`). */
      readonly requeueAt: number | undefined;
    }
  /** A run threw, rejected, errored, took too long, or the drain was ended. */
  | {
      readonly type: 'failed';
      readonly key: Key;
      readonly attempt: number;
      /** The thrown value, which need not be an `Error`. */
      readonly error: unknown;
      readonly took: number;
      /** Not before the server allows it (`Retry-After`); `undefined` if there is no retry. */
      readonly retryAt: number | undefined;
      /** `retry`, or why not: a `TerminalError`, `maxRetries`, or the end of the source. */
      readonly outcome: 'retry' | 'terminal' | 'retries-exhausted' | 'stopping';
    }
  /**
   * A run did no work, or was given up, because its key belongs to another replica. The failures of
   * the key are forgotten. The key runs again when it is added again.
   */
  | {
      readonly type: 'skipped';
      readonly key: Key;
      readonly attempt: number;
      /** The reason, for logs. */
      readonly because: string;
      readonly took: number;
    }
  /** A key cannot run again; its worker is free. Emitted at most once after each run. */
  | {
      readonly type: 'held';
      readonly key: Key;
      /**
       * The reason. `unsettled`: the run was timed out, aborted or unsubscribed from ten seconds
       * ago, but its promise or async iterable has not ended. Stop the work when its signal aborts.
       */
      readonly because: 'unsettled';
      /** For how long the key has been held, in milliseconds. */
      readonly heldFor: number;
    }
  /** A key that was reported as `held` is free again. If the key was added meanwhile, it runs. */
  | { readonly type: 'released'; readonly key: Key; readonly because: 'unsettled'; readonly heldFor: number }
  /** Will not run: delayed when the source completed, or waiting when the drain was ended. */
  | { readonly type: 'dropped'; readonly key: Key; readonly reasons: readonly Reason[] }
  /** A function in an option threw: of a logger, of metrics hooks, or of a rate limiter. */
  | {
      readonly type: 'hook-failed';
      /** For example `logger.info`, `metrics.started` or `rateLimiter.forget`. */
      readonly hook: string;
      /** The thrown value. Later errors of the same hook are not reported. */
      readonly error: unknown;
    }
  /** An input is not a valid key or request, and was ignored. The queue continues. */
  | {
      readonly type: 'refused';
      readonly input: unknown;
      readonly error: RxInformersError<'RXI_INVALID_QUEUE_INPUT'>;
    };

/**
 * Emits only the results of runs. Use it if the retries handle all failures.
 *
 * | in | out |
 * | --- | --- |
 * | `emitted` | the value of the event |
 * | any other event | nothing |
 *
 * @returns an operator on the events of {@link workqueue} or {@link controller}
 * @example
 * declare const reconcile: (key: string) => Promise<number>;
 *
 * podInformer.changes$
 *   .pipe(changedKeys(), workqueue(reconcile), resultsOf())
 *   .subscribe((result) => console.log(result));
 */
export function resultsOf<Result>(): OperatorFunction<WorkqueueEvent<Result>, Result> {
  return pipe(
    filter((event) => event.type === 'emitted'),
    map(({ value }) => value),
  );
}

/** The event that reports a failed run. */
export type RunFailed = Extract<WorkqueueEvent, { readonly type: 'failed' }>;
