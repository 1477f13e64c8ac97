import { filter, map, pipe, type OperatorFunction } from 'rxjs';
import type { HookFailed } from '../contained.js';
import type { InvalidQueueInputError } from '../queue/errors.js';

/** The events of `workqueue`, in their order. Times are milliseconds of the scheduler. */
export type WorkqueueEvent<Result = unknown, Key extends string = string, Reason = unknown> =
  | RunStarted<Key, Reason>
  | RunEmitted<Result, Key>
  | RunSucceeded<Result, Key>
  | RunFailed<Key>
  | RunSkipped<Key>
  | KeyHeld<Key>
  | KeyReleased<Key>
  | KeyDropped<Key, Reason>
  | HookFailed
  | InputRefused;

/** A run begins. */
export interface RunStarted<Key extends string = string, Reason = unknown> {
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
export interface RunEmitted<Result = unknown, Key extends string = string> {
  readonly type: 'emitted';
  readonly key: Key;
  readonly value: Result;
}

/** A run succeeded. */
export interface RunSucceeded<Result = unknown, Key extends string = string> {
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
export interface RunFailed<Key extends string = string> {
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
export interface RunSkipped<Key extends string = string> {
  readonly type: 'skipped';
  readonly key: Key;
  readonly attempt: number;
  /** The reason, for logs. */
  readonly because: string;
  readonly took: number;
}

/** A key cannot run again; its worker is free. Emitted at most once after each run. */
export interface KeyHeld<Key extends string = string> {
  readonly type: 'held';
  readonly key: Key;
  /**
   * The reason. `unsettled`: the run was timed out, aborted or unsubscribed from ten seconds ago,
   * but its promise or async iterable has not ended. Stop the work when its signal aborts.
   */
  readonly because: 'unsettled';
  /** For how long the key has been held, in milliseconds. */
  readonly heldFor: number;
}

/** A key that was reported as `held` is free again. If the key was added meanwhile, it runs. */
export interface KeyReleased<Key extends string = string> extends Omit<KeyHeld<Key>, 'type'> {
  readonly type: 'released';
}

/** Will not run: delayed when the source completed, or waiting when the drain was ended. */
export interface KeyDropped<Key extends string = string, Reason = unknown> {
  readonly type: 'dropped';
  readonly key: Key;
  readonly reasons: readonly Reason[];
}

/** An input is not a valid key or request, and was ignored. The queue continues. */
export interface InputRefused {
  readonly type: 'refused';
  readonly input: unknown;
  readonly error: InvalidQueueInputError;
}

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
    filter((event): event is RunEmitted<Result> => event.type === 'emitted'),
    map(({ value }) => value),
  );
}
