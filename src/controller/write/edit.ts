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
  /** `status`: the status is edited, and nothing else; default: everything but the status, where the kind keeps that apart. */
  readonly subresource?: 'status' | undefined;
}

/**
 * Changes an object as if it could be changed, and sends what is different: an immer recipe on a cached object becomes a JSON Patch.
 *
 * | the recipe | what happens |
 * | --- | --- |
 * | changes something | one PATCH with a `test` of uid and resourceVersion, and the server's answer |
 * | changes nothing | nothing is sent; the object as it is |
 * | throws, is asynchronous, gives something back, changes name, uid or what only the server writes | `RecipeError`; nothing is sent |
 *
 * | the server | what happens |
 * | --- | --- |
 * | has a newer version | the recipe runs again on that one (GET), after 10 ms, up to 5 tries; then `EditConflictError` |
 * | has no such object, or another one of that name | `ObjectDeletedError` |
 * | refuses the new object | `StatusError` (422); `fieldErrors` says which fields |
 *
 * The patch names only what was changed: `add` for what was not there, `remove` for what is gone or `undefined`, array items inserted, removed and
 * moved one by one where that is shorter than the array.
 *
 * **Guarantees**: the object is never changed, frozen or not; what another writer changed is never overwritten unseen; a recipe runs only on
 * the object that it was meant for, never on another of that name.
 * **Does not guarantee**: that the recipe runs once: it must not do anything besides changing its draft; nor that parents survive which a
 * `transform` of the cache has dropped (`managedFields` do): edit what `get` gives, where you write into such.
 * **Errors**: besides those above `StatusIgnoredError`, `InvalidObjectError` for an object that never was on a server, and those of
 * `resourceClient`.
 *
 * @param object as the cache has it; it may be stale
 * @param recipe changes its draft, at once, and gives nothing back
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
