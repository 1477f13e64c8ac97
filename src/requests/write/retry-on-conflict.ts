import { defer, retry, throwError, timer, type Observable, type ObservableInput, type SchedulerLike } from 'rxjs';
import { invalidOptionError } from '../../kubernetes/errors.js';
import { steady } from '../../scheduling/clock.js';
import { randomOf } from '../../sources/client/kube-client.js';
import { exponentialBackoff, type Backoff } from '../../sources/model/backoff.js';
import { apiCall, type ApiCall } from '../resource-client/api-call.js';
import { isConflict } from '../resource-client/errors.js';
import type { ResourceClient } from '../resource-client/resource-client.js';

/** How often and how fast a write is repeated after a conflict (U1: client-go's DefaultRetry). */
export interface ConflictRetryOptions {
  /** Tries in all (default 5; 1: no retry). More may send more requests. */
  readonly tries?: number | undefined;
  /** The wait before each further try. Default: 10 to 11 ms. Longer: others can finish. */
  readonly backoff?: Backoff | undefined;
  /** Default: the scheduler of the `ResourceClient`; for `retryOnConflict`, `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
  /** Numbers in [0, 1). Default: `random` of the client; for `retryOnConflict`, `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** Options of `retryOnConflict`. */
export interface RetryOnConflictOptions extends ConflictRetryOptions {
  /** Aborts the call, even while the call waits for its next try. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Calls a function, and calls it again if it fails with a conflict (U1: client-go's
 * RetryOnConflict). `edit` and `createOrUpdate` already do this.
 *
 * | the call | result |
 * | --- | --- |
 * | succeeds | the values of the call |
 * | fails with a conflict (see `isConflict`) | the call is repeated after 10 to 11 ms, 5 calls in all |
 * | fails with a conflict for the fifth time | the error of the conflict |
 * | fails with another error | this error, at once |
 *
 * **Guarantees**: unsubscribing ends the current call or wait. **Does not guarantee**: success if
 * `call` writes an object that was read outside of `call`: each try then conflicts again.
 *
 * @param call called for each try; it must read the object again before it writes
 * @param options the number of tries and the clock
 * @returns a call that is sent when it is awaited or subscribed to
 * @throws `RXI_INVALID_OPTION` if `tries` is not a whole number of at least 1
 * @example
 * import { configMaps, type KubeClient } from 'rx-informers';
 * import { resourceClient, retryOnConflict } from 'rx-informers/requests';
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

/** The checked options. */
export interface ConflictRetry {
  readonly tries: number;
  /** Emits when the next try is due, after try `attempt`; the first try is 1. */
  readonly waitAfter: (attempt: number) => Observable<unknown>;
}

/** Adds defaults. Throws `RXI_INVALID_OPTION` for an invalid number of tries. */
export function conflictRetry(
  options: ConflictRetryOptions,
  client?: Pick<ResourceClient<unknown>, 'client' | 'scheduler'>,
): ConflictRetry {
  const { tries = 5, backoff = defaultBackoff } = options;
  const random = randomOf(client?.client ?? {}, options);
  const scheduler = steady(options.scheduler ?? client?.scheduler);
  if (!Number.isInteger(tries) || tries < 1) throw invalidOptionError('tries', tries, 'a whole number of at least 1');
  return { tries, waitAfter: (attempt) => timer(durationOf(backoff(attempt, random())), scheduler) };
}

const defaultBackoff = /*#__PURE__*/ exponentialBackoff({ initial: 10, factor: 1, cap: 10, jitter: 0.1 });

/** Returns a valid wait: none for an invalid duration (see `Backoff`). */
function durationOf(wait: number): number {
  return wait > 0 && wait < Infinity ? wait : 0;
}
