import { of, tap, type Observable, catchError, defer, switchMap, throwError } from 'rxjs';
import { apiCall, type ApiCall } from '../api/api-call.js';
import type { WriteOptions, Target } from '../api/call-options.js';
import type { ResourceClient } from '../api/resource-client.js';
import { type ConflictRetryOptions, conflictRetry } from './retry-on-conflict.js';
import { diff } from './json-patch/diff.js';
import type { Json } from './json-patch/json.js';
import { guarded, isStatus, planEdit, type Stored, storedIdentity, type Recipe } from './recipe.js';
import {
  StatusIgnoredError,
  EditConflictError,
  isConflict,
  isObjectNotFound,
  ObjectDeletedError,
} from '../api/errors.js';
import { StatusError } from '../../sources/model/errors.js';

/** Options of `edit`. */
export interface EditOptions extends ConflictRetryOptions, Omit<WriteOptions, 'subresource'> {
  /**
   * The part of the object to edit. `status`: only the status. Default: everything but the status,
   * for kinds with a subresource `status`.
   */
  readonly subresource?: 'status' | undefined;
}

/**
 * Edits an object: runs an immer recipe on a draft of it, and sends the difference as a JSON Patch.
 *
 * | the recipe | what happens |
 * | --- | --- |
 * | changes something | one PATCH with a `test` of uid and resourceVersion; returns the server's response |
 * | changes nothing | nothing is sent; returns the object as it is |
 * | throws, is asynchronous, returns something, or changes name, uid or fields that only the server writes | `RecipeError`; nothing is sent |
 *
 * | the server | what happens |
 * | --- | --- |
 * | has a newer version | the recipe runs again on that version (GET), after 10 ms, up to 5 attempts; then `EditConflictError` |
 * | has no such object, or another one of that name | `ObjectDeletedError` |
 * | refuses the new object | `StatusError` (422); `fieldErrors` returns the fields |
 *
 * The patch has only the changes: `add` for new fields, `remove` for fields that were deleted or
 * set to `undefined`. Array items are inserted, removed and moved one by one if that is shorter
 * than the array.
 *
 * **Guarantees**: the object is never changed, whether it is frozen or not. A change of another
 * writer is never overwritten unseen. A recipe runs only on the object for which it was passed,
 * never on another one of that name. **Does not guarantee**: that the recipe runs once, so it must
 * do nothing but change its draft. That parents survive which a `transform` of the cache has
 * dropped (such as `managedFields`): to write into such fields, edit the object that `get` returns.
 * **Errors**: besides those above `StatusIgnoredError`, `InvalidObjectError` for an object that was
 * never on a server, and those of `resourceClient`.
 *
 * @param object the object from the cache; it may be stale
 * @param recipe changes its draft synchronously, and returns nothing
 * @returns a call with the object as the server has it
 * @example
 * import { deployments, type Deployment, type KubeClient } from 'rx-informers';
 * import { edit, resourceClient } from 'rx-informers/controller';
 *
 * declare const client: KubeClient;
 * declare const shop: Deployment;
 *
 * await edit(resourceClient(client, deployments), shop, (draft) => {
 *   if (draft.spec !== undefined) draft.spec.replicas = 3;
 *   draft.metadata.labels ??= {};
 *   draft.metadata.labels['example.com/size'] = 'large';
 * });
 */
export function edit<T extends object>(
  client: ResourceClient<T>,
  object: T,
  recipe: Recipe<T>,
  options: EditOptions = {},
): ApiCall<T> {
  const { signal, ...writing } = options;
  const { subresource } = options;
  const write = (base: T, stored: Stored): Observable<T> => {
    const operations = planEdit(base, recipe, subresource);
    if (operations.length === 0) return of(base);
    const touchesStatus = subresource === undefined && operations.some(isStatus);
    return client.patch(base as Target, guarded(stored, operations), writing).pipe(
      tap((answer) => {
        if (touchesStatus && hasSameStatus(base, answer)) throw new StatusIgnoredError(stored.key);
      }),
    );
  };
  return apiCall(onNewest(client, object, write, options), signal);
}

function hasSameStatus(before: object, after: object): boolean {
  return diff(statusOf(before), statusOf(after)).length === 0;
}

export function statusOf(object: object): Json {
  return (object as { readonly status?: Json }).status ?? null;
}

/**
 * Writes an object with a test of its version. After a conflict it writes the newest version, until
 * that succeeds or no attempt is left.
 *
 * **Errors**: those of `write`; `ObjectDeletedError` if the object is gone or another one has its
 * name; `EditConflictError` after the last attempt.
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
  const { tries, waitAfter } = conflictRetry(options, client);

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
        // The tests succeeded, so the patch itself cannot be applied.
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

/**
 * Returns true for the response to a JSON Patch that cannot be applied. It names neither the
 * operation nor a field.
 */
function isFailedTest({ statusCode, reason, status }: StatusError): boolean {
  return statusCode === 422 && reason === 'Invalid' && (status.details?.causes ?? []).length === 0;
}

function deletionOr(error: unknown, { key, uid }: Stored): unknown {
  return isObjectNotFound(error, key) ? new ObjectDeletedError(key, uid, undefined, { cause: error }) : error;
}
