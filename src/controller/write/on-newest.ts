import { catchError, defer, of, switchMap, throwError, type Observable } from 'rxjs';
import { StatusError } from '../../sources/source-error.js';
import { EditConflictError } from '../api/edit-conflict-error.js';
import type { Target } from '../api/object-types.js';
import { isConflict, isObjectNotFound } from '../api/refusals.js';
import type { ResourceClient } from '../api/resource-client.js';
import { conflictRetry, type ConflictRetryOptions } from './conflict-retry.js';
import { ObjectDeletedError } from './object-deleted-error.js';
import { storedIdentity, type Stored } from './plan-edit.js';

/**
 * Writes an object with a test of its version; after a conflict the newest version, until it succeeds
 * or all tries are used up.
 *
 * **Errors**: those of `write`; `ObjectDeletedError` if the object is gone or another one has its name;
 * `EditConflictError` after the last try.
 *
 * @param object may be stale
 * @param write sends what `guarded` tests; it is called again with each newer version
 */
export function onNewest<T extends object, R>(
  client: ResourceClient<T>,
  object: T,
  write: (base: T, stored: Stored) => Observable<R>,
  options: ConflictRetryOptions,
): Observable<R> {
  const { tries, waitAfter } = conflictRetry({ ...options, scheduler: options.scheduler ?? client.scheduler });

  const attempt = (base: T, number: number): Observable<R> =>
    defer(() => {
      const stored = storedIdentity(base);
      return write(base, stored).pipe(
        catchError((error: unknown) =>
          mayBeStale(error) ? again(base, stored, error, number) : throwError(() => deletionOr(error, stored)),
        ),
      );
    });

  const again = (base: T, stored: Stored, error: StatusError, number: number): Observable<R> => {
    const isLast = number === tries;
    return (isLast ? of(undefined) : waitAfter(number)).pipe(
      switchMap(() => client.get(base as Target)),
      catchError((reason: unknown) => throwError(() => deletionOr(reason, stored))),
      switchMap((newest) => {
        const { uid, resourceVersion } = storedIdentity(newest);
        if (uid !== stored.uid) throw new ObjectDeletedError(stored.key, stored.uid, uid, { cause: error });
        // The tests were true, so it is the patch that cannot be carried out.
        if (isFailedTest(error) && resourceVersion === stored.resourceVersion) throw error;
        if (isLast) throw new EditConflictError(stored.key, tries, error);
        return attempt(newest, number + 1);
      }),
    );
  };

  return attempt(object, 1);
}

function mayBeStale(error: unknown): error is StatusError {
  return error instanceof StatusError && (isConflict(error) || isFailedTest(error));
}

/** How the server answers a JSON Patch that cannot be carried out: no word about which operation, and none about a field. */
function isFailedTest({ statusCode, reason, status }: StatusError): boolean {
  return statusCode === 422 && reason === 'Invalid' && (status.details?.causes ?? []).length === 0;
}

function deletionOr(error: unknown, { key, uid }: Stored): unknown {
  return isObjectNotFound(error, key) ? new ObjectDeletedError(key, uid, undefined, { cause: error }) : error;
}
