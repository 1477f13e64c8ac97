import { defer, retry, throwError, type ObservableInput, timer, type Observable, type SchedulerLike } from 'rxjs';
import { apiCall, type ApiCall } from '../api/api-call.js';
import { isConflict } from '../api/errors.js';
import { steady } from '../../time/clock.js';
import { exponentialBackoff, type Backoff } from '../../sources/model/backoff.js';

/** Options of `retryOnConflict`. */
export interface RetryOnConflictOptions extends ConflictRetryOptions {
  /** Aborts the call, also while it waits for its next try. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Calls, and calls again while the answer is a conflict (U1: client-go's RetryOnConflict). `edit` does so by itself.
 *
 * | the call | what happens |
 * | --- | --- |
 * | succeeds | its values |
 * | fails with a conflict (see `isConflict`) | it is made again after 10 ms and up to a tenth more, 5 times in all |
 * | fails with a conflict for the fifth time | that error, as it is |
 * | fails with anything else | that error, at once |
 *
 * **Guarantees**: `call` runs anew for each try, so what it reads it reads again; unsubscribing ends what is going on.
 * **Does not guarantee**: success where `call` writes what was read outside of it: it will be a conflict each time.
 *
 * @example
 * import { configMaps, type KubeClient } from 'rx-informers';
 * import { resourceClient, retryOnConflict } from 'rx-informers/controller';
 *
 * declare const client: KubeClient;
 *
 * const settingsClient = resourceClient(client, configMaps);
 * await retryOnConflict(async () => {
 *   const settings = await settingsClient.get('web/settings');
 *   return settingsClient.update({ ...settings, data: { ...settings.data, mode: 'dark' } });
 * });
 */
export function retryOnConflict<T>(call: () => ObservableInput<T>, options: RetryOnConflictOptions = {}): ApiCall<T> {
  const { tries, waitAfter } = conflictRetry(options);
  const delay = (error: unknown, attempt: number) =>
    isConflict(error) && attempt < tries ? waitAfter(attempt) : throwError(() => error);
  return apiCall(defer(call).pipe(retry({ delay })), options.signal);
}

/** How often, and how fast, something is tried again that somebody else got ahead of (U1: client-go's DefaultRetry). */
export interface ConflictRetryOptions {
  /** How often it is tried, the first time included (default 5). 1 gives up at once; more asks a contended object more often. */
  readonly tries?: number | undefined;
  /** The wait before each further try in milliseconds (default 10 to 11, each time); a longer one lets the others finish. */
  readonly backoff?: Backoff | undefined;
  /** Default: that of the `ResourceClient`; of `retryOnConflict`, which has none, `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
  /** Gives numbers in [0, 1) for the backoff. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
}

export interface ConflictRetry {
  readonly tries: number;
  /** Emits when it is time for the try after this one; 1 is the first. */
  readonly waitAfter: (attempt: number) => Observable<unknown>;
}

/** The options with their defaults; throws a `RangeError` for a number of tries that is none. */
export function conflictRetry(options: ConflictRetryOptions): ConflictRetry {
  const { tries = 5, backoff = defaultBackoff, random = Math.random } = options;
  if (!Number.isInteger(tries) || tries < 1) throw new RangeError(`tries must be a whole number from 1, not ${tries}`);
  return { tries, waitAfter: (attempt) => timer(senseOf(backoff(attempt, random())), steady(options.scheduler)) };
}

const defaultBackoff = /*#__PURE__*/ exponentialBackoff({ initial: 10, factor: 1, cap: 10, jitter: 0.1 });

/** A policy that gives nonsense costs requests, as everywhere (see `Backoff`). */
function senseOf(wait: number): number {
  return wait > 0 && wait < Infinity ? wait : 0;
}
