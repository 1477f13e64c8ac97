import type { HookFailed } from '../contained.js';
import type { InvalidQueueInputError } from '../queue/errors.js';
import { filter, map, pipe, type OperatorFunction } from 'rxjs';

/** The events of `workqueue`, in the order in which they happen. Times are in milliseconds of the scheduler. */
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
  /** 1, or one more than the failures in a row before it. */
  readonly attempt: number;
  readonly priority: number;
  readonly reasons: readonly Reason[];
  /** For how long the key waited for a worker. */
  readonly waited: number;
}

/** A run emitted a value. It may emit more. */
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
  /** The last value that it emitted, `undefined` if it emitted none. */
  readonly result: Result | undefined;
  readonly took: number;
  /** When it will run again, because it requested that (`requeueAfter`). */
  readonly requeueAt: number | undefined;
}

/** A run failed: it threw, its promise rejected, its Observable errored, it took too long, or the drain was ended. */
export interface RunFailed<Key extends string = string> {
  readonly type: 'failed';
  readonly key: Key;
  readonly attempt: number;
  /** Whatever was thrown; it need not be an `Error`. */
  readonly error: unknown;
  readonly took: number;
  /** When it is retried, not before the server allows it (`Retry-After`); `undefined` if it is not retried. */
  readonly retryAt: number | undefined;
  /** What follows: another try, or why there is none: a `TerminalError`, `maxRetries`, or the end of the source. */
  readonly outcome: 'retry' | 'terminal' | 'retries-exhausted' | 'stopping';
}

/**
 * A run did no work, or was given up, because its key is not for this replica. The failures of the
 * key are forgotten. It runs again when it is added again.
 */
export interface RunSkipped<Key extends string = string> {
  readonly type: 'skipped';
  readonly key: Key;
  readonly attempt: number;
  /** Why, for logs. */
  readonly because: string;
  readonly took: number;
}

/** A key is still held, so that it cannot run again: its worker is free, and what is added for it waits. Emitted once for each hold. */
export interface KeyHeld<Key extends string = string> {
  readonly type: 'held';
  readonly key: Key;
  /**
   * Why. `unsettled`: its run was timed out, aborted or unsubscribed from ten seconds ago, and its promise or async iterable has not
   * ended; let the work heed its signal.
   */
  readonly because: 'unsettled';
  /** For how long it has been held. */
  readonly heldFor: number;
}

/** A key of which `held` was emitted is free again; if it was added meanwhile, it runs. */
export interface KeyReleased<Key extends string = string> extends Omit<KeyHeld<Key>, 'type'> {
  readonly type: 'released';
}

/** A key was waiting for its time when the source completed, or for a worker when the drain was ended, and will not run. */
export interface KeyDropped<Key extends string = string, Reason = unknown> {
  readonly type: 'dropped';
  readonly key: Key;
  readonly reasons: readonly Reason[];
}

/** Something came in that cannot be queued; everything else goes on. */
export interface InputRefused {
  readonly type: 'refused';
  readonly input: unknown;
  readonly error: InvalidQueueInputError;
}

/**
 * Emits the results of runs only. For consumers that leave failures to the retries.
 *
 * | in | out |
 * | --- | --- |
 * | `emitted` | its value |
 * | anything else | nothing |
 *
 * @example
 * declare const reconcile: (key: string) => Promise<number>;
 *
 * podInformer.changes$.pipe(changedKeys(), workqueue(reconcile), resultsOf()).subscribe((result) => console.log(result))
 */
export function resultsOf<Result>(): OperatorFunction<WorkqueueEvent<Result>, Result> {
  return pipe(
    filter((event): event is RunEmitted<Result> => event.type === 'emitted'),
    map(({ value }) => value),
  );
}
