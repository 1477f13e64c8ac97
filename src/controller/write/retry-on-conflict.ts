import { defer, retry, throwError, type ObservableInput } from 'rxjs';
import { apiCall, type ApiCall } from '../api/api-call.js';
import { isConflict } from '../api/refusals.js';
import { conflictRetry, type ConflictRetryOptions } from './conflict-retry.js';

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
