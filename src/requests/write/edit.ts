import { of, tap, type Observable, catchError, defer, switchMap, throwError } from 'rxjs';
import { objectKey } from '../../kubernetes/keys.js';
import { resourceName } from '../../kubernetes/resource.js';
import { StatusError } from '../../sources/model/errors.js';
import { apiCall, type ApiCall } from '../resource-client/api-call.js';
import type { WriteOptions, Target } from '../resource-client/call-options.js';
import { isConflict, isObjectNotFound } from '../resource-client/errors.js';
import type { ResourceClient } from '../resource-client/resource-client.js';
import { statusIgnoredError, objectDeletedError, editConflictError } from './errors.js';
import { diff } from './json-patch/diff.js';
import type { Json } from './json-patch/json.js';
import { guarded, type Stored, storedIdentity } from './preconditions.js';
import { isStatus, planEdit, type Recipe } from './recipe.js';
import { type ConflictRetryOptions, conflictRetry } from './retry-on-conflict.js';

/** Options of `edit`. */
export interface EditOptions extends ConflictRetryOptions, Omit<WriteOptions, 'subresource'> {
  /** `status`: only the status. Default: the object, without the status if it is a subresource. */
  readonly subresource?: 'status' | undefined;
}

/**
 * Edits an object: runs an immer recipe on a draft of the object, and sends the difference as a
 * JSON Patch.
 *
 * | the recipe | what happens |
 * | --- | --- |
 * | changes something | one PATCH with a `test` of uid and resourceVersion; returns the server's response |
 * | changes nothing | nothing is sent; returns the object as it is |
 * | throws, is asynchronous, returns a value, or changes the name, the uid or fields that only the server writes | `RXI_RECIPE`; nothing is sent |
 *
 * | the server | what happens |
 * | --- | --- |
 * | has a newer version | the recipe runs again on that version (GET), after 10 ms, up to 5 attempts; then `RXI_EDIT_CONFLICT` |
 * | no longer has the object, or has another object of that name | `RXI_OBJECT_DELETED` |
 * | refuses the edited object | `StatusError` (422); `fieldErrors` returns the fields |
 *
 * The patch has only the changes: `add` for new fields, `remove` for fields that were deleted or
 * set to `undefined`. Array items are inserted, removed and moved one by one if that is shorter
 * than the array.
 *
 * **Guarantees**: `object` is never changed, whether it is frozen or not. If another writer has
 * changed the object, the recipe runs again on the new version, so the recipe sees the new values
 * before it overwrites them. The recipe never runs on a new object that has the same name.
 *
 * **Does not guarantee**: that the recipe runs only once, so the recipe must do nothing but change
 * its draft. It also does not guarantee that you can edit inside a field that a `transform` of the
 * cache has dropped, such as `managedFields`: the patch may replace the whole field. To edit such a
 * field, pass the object that `get` returns.
 *
 * **Errors**: the errors in the tables, `RXI_STATUS_IGNORED`, `RXI_INVALID_OBJECT` for an
 * object that was never on a server, and the errors of {@link resourceClient}.
 *
 * @param client the client of the kind, made by {@link resourceClient}
 * @param object the object from the cache; it may be stale
 * @param recipe changes its draft synchronously, and returns nothing
 * @param options the subresource, the number of attempts, and options of the write; see
 *   {@link EditOptions}
 * @returns a call with the object as stored on the server
 * @example
 * import { deployments, type Deployment, type KubeClient } from 'rx-informers';
 * import { resourceClient, edit } from 'rx-informers/requests';
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
  const { kind } = client.resource;
  const write = (base: T, stored: Stored): Observable<T> => {
    const operations = planEdit(base, recipe, subresource);
    if (operations.length === 0) return of(base);
    const touchesStatus = subresource === undefined && operations.some(isStatus);
    return client.patch(base as Target, guarded(stored, operations), writing).pipe(
      tap((answer) => {
        if (touchesStatus && hasSameStatus(base, answer)) throw statusIgnoredError(stored.key, kind);
      }),
    );
  };
  const describe = (): string => `edit of ${resourceName(client.resource)} ${objectKey(object) ?? 'without a name'}`;
  return apiCall(onNewest(client, object, write, options), signal, describe);
}

function hasSameStatus(before: object, after: object): boolean {
  return diff(statusPart(before), statusPart(after)).length === 0;
}

export function statusPart(object: object): Json {
  return (object as { readonly status?: Json }).status ?? null;
}

/**
 * Writes an object, if it still has the same version. After a conflict, reads the newest version
 * and tries again, until a write succeeds or no attempt is left.
 *
 * **Errors**: the errors of `write`; an `RXI_OBJECT_DELETED` if the object was deleted, or another
 * object has its name; an `RXI_EDIT_CONFLICT` after the last attempt.
 *
 * @param object the object to write; it may be stale
 * @param write sends the operations that `guarded` returns; it is called again with each newer
 *   version
 */
export function onNewest<T extends object, R>(
  client: ResourceClient<T>,
  object: T,
  write: (base: T, stored: Stored) => Observable<R>,
  options: ConflictRetryOptions,
): Observable<R> {
  const { tries, waitAfter } = conflictRetry(options, client);
  const { kind } = client.resource;

  const attempt = (base: T, number: number): Observable<R> =>
    defer(() => {
      const stored = storedIdentity(base);
      return write(base, stored).pipe(
        catchError((error: unknown) =>
          mayBeStale(error) ? again(base, stored, error, number) : throwError(() => deletionOr(error, stored, kind)),
        ),
      );
    });

  const again = (base: T, stored: Stored, error: StatusError, number: number): Observable<R> => {
    const isLast = number === tries;
    return (isLast ? of(undefined) : waitAfter(number)).pipe(
      switchMap(() => client.get(base as Target)),
      catchError((reason: unknown) => throwError(() => deletionOr(reason, stored, kind))),
      switchMap((newest) => {
        const { uid, resourceVersion } = storedIdentity(newest);
        if (uid !== stored.uid) throw objectDeletedError(stored.key, stored.uid, uid, { cause: error, kind });
        // The tests succeeded, so the patch itself cannot be applied.
        if (isFailedTest(error) && resourceVersion === stored.resourceVersion) throw error;
        if (isLast) throw editConflictError(stored.key, tries, error, kind);
        return attempt(newest, number + 1);
      }),
    );
  };

  return attempt(object, 1);
}

function mayBeStale(error: unknown): error is StatusError {
  return error instanceof StatusError && (isConflict(error) || isFailedTest(error));
}

/** True for the response to an inapplicable JSON Patch, which names no operation or field. */
function isFailedTest({ statusCode, reason, status }: StatusError): boolean {
  return statusCode === 422 && reason === 'Invalid' && (status.details?.causes ?? []).length === 0;
}

function deletionOr(error: unknown, { key, uid }: Stored, kind: string | undefined): unknown {
  return isObjectNotFound(error, key) ? objectDeletedError(key, uid, undefined, { cause: error, kind }) : error;
}
