import { of } from 'rxjs';
import { splitMetaNamespaceKey } from '../../kubernetes/key.js';
import { StatusError } from '../../sources/source-error.js';
import { ApiCall } from './api-call.js';
import { EditConflictError } from './edit-conflict-error.js';

/**
 * Returns true if the server answered that something is not there (404, reason `NotFound`).
 *
 * That is not always the object: its kind, its namespace or a subresource may be missing, too. `error.status.details` names what was not found.
 * As in client-go, an error whose reason Kubernetes does not define is judged by its code, as a proxy's 404 is.
 *
 * @example
 * import { configMaps, type KubeClient } from 'rx-informers';
 * import { isNotFound, resourceClient } from 'rx-informers/controller';
 *
 * declare const client: KubeClient;
 *
 * try {
 *   await resourceClient(client, configMaps).patch('web/settings', { data: { mode: 'dark' } });
 * } catch (error) {
 *   if (!isNotFound(error)) throw error;
 * }
 */
export function isNotFound(error: unknown): error is StatusError {
  return isRefusal(error, 404, 'NotFound');
}

/**
 * Returns true if the server refused to create an object because there is one of that name (409, reason `AlreadyExists`).
 */
export function isAlreadyExists(error: unknown): error is StatusError {
  return error instanceof StatusError && error.statusCode === 409 && error.reason === 'AlreadyExists';
}

/**
 * Returns true if the object has been changed since it was read: the server answered 409 `Conflict`, or `edit` gave up with an
 * `EditConflictError`. Reading it again and repeating the write may succeed; `retryOnConflict` does that.
 *
 * An object that exists already is no conflict: see `isAlreadyExists`.
 */
export function isConflict(error: unknown): error is StatusError | EditConflictError {
  return error instanceof EditConflictError || isRefusal(error, 409, 'Conflict');
}

/**
 * Returns true if the server refused a request because its sender lacks the right to make it, or an admission rule forbids it
 * (403, reason `Forbidden`).
 */
export function isForbidden(error: unknown): error is StatusError {
  return isRefusal(error, 403, 'Forbidden');
}

/**
 * Throws every error but one for which `isNotFound` returns true: for what may be gone already.
 *
 * It returns an `ApiCall` of `undefined`, which is a promise to `catch` and an Observable to `catchError`.
 *
 * @returns emits `undefined`, at once
 * @throws the error that it was called with, if it is anything else
 * @example
 * import { configMaps, type KubeClient } from 'rx-informers';
 * import { ignoreNotFound, resourceClient } from 'rx-informers/controller';
 * import { catchError } from 'rxjs';
 *
 * declare const client: KubeClient;
 *
 * const settings = resourceClient(client, configMaps);
 * await settings.delete('web/a').catch(ignoreNotFound);
 * settings.delete('web/b').pipe(catchError(ignoreNotFound)).subscribe();
 */
export function ignoreNotFound(error: unknown): ApiCall<undefined> {
  if (!isNotFound(error)) throw error;
  return nothing;
}

const nothing = /*#__PURE__*/ new ApiCall<undefined>((subscriber) => of(undefined).subscribe(subscriber));

/**
 * Returns true if there is no object of that key; false if the kind, the namespace or a subresource is missing.
 */
export function isObjectNotFound(error: unknown, key: string): boolean {
  return isNotFound(error) && error.status.details?.name === splitMetaNamespaceKey(key).name;
}

/** Returns true for this code, unless Kubernetes uses it for another reason than this one. */
function isRefusal(error: unknown, code: number, reason: string): error is StatusError {
  if (!(error instanceof StatusError) || error.statusCode !== code) return false;
  return error.reason === reason || !knownReasons.has(error.reason);
}

/** `knownReasons` of k8s.io/apimachinery/pkg/api/errors. */
const knownReasons: ReadonlySet<string> = /*#__PURE__*/ new Set([
  'Unauthorized',
  'Forbidden',
  'NotFound',
  'AlreadyExists',
  'Conflict',
  'Gone',
  'Invalid',
  'ServerTimeout',
  'StoreReadError',
  'Timeout',
  'TooManyRequests',
  'BadRequest',
  'MethodNotAllowed',
  'NotAcceptable',
  'RequestEntityTooLarge',
  'UnsupportedMediaType',
  'InternalError',
  'Expired',
  'ServiceUnavailable',
]);
