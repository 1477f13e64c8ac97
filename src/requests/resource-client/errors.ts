import { of } from 'rxjs';
import { RxInformersError, isRxInformersError } from '../../kubernetes/errors.js';
import { splitMetaNamespaceKey } from '../../kubernetes/keys.js';
import { type RequestLine, StatusError } from '../../sources/model/errors.js';
import { ApiCall } from './api-call.js';

/**
 * Returns true if the server responded that something does not exist (404, reason `NotFound`).
 *
 * The object may not exist, or its kind, its namespace or a subresource; `error.status.details`
 * names the missing part. If the error has no reason that Kubernetes defines, for example the 404
 * of a proxy, only the status code is compared, as in client-go.
 *
 * @param error any value, for example a caught error
 * @returns true for a `StatusError` with 404 `NotFound`
 * @example
 * import { configMaps, type KubeClient } from 'rx-informers';
 * import { isNotFound, resourceClient } from 'rx-informers/requests';
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
 * Returns true if an object to create exists already (409, reason `AlreadyExists`).
 *
 * @param error any value, for example a caught error
 * @returns true for a `StatusError` with 409 `AlreadyExists`, not for an {@link isConflict}
 */
export function isAlreadyExists(error: unknown): error is StatusError {
  return error instanceof StatusError && error.statusCode === 409 && error.reason === 'AlreadyExists';
}

/**
 * Returns true if a write failed because the object was changed after it was read: the server
 * responded with 409 `Conflict`, or {@link edit} gave up with an `RXI_EDIT_CONFLICT`. If you
 * read the object again and repeat the write, it may succeed; {@link retryOnConflict} does this.
 *
 * Returns false if an object to create exists already; see {@link isAlreadyExists}.
 *
 * @param error any value, for example a caught error
 * @returns true if the error is a conflict
 */
export function isConflict(error: unknown): error is StatusError | RxInformersError<'RXI_EDIT_CONFLICT'> {
  return isRxInformersError(error, 'RXI_EDIT_CONFLICT') || isRefusal(error, 409, 'Conflict');
}

/**
 * Returns true if the sender or an admission rule forbids a request (403, reason `Forbidden`).
 *
 * @param error any value, for example a caught error
 * @returns true for a `StatusError` with 403 `Forbidden`
 */
export function isForbidden(error: unknown): error is StatusError {
  return isRefusal(error, 403, 'Forbidden');
}

/**
 * Ignores an error for which {@link isNotFound} returns true, and throws any other error. Use it
 * for objects that may have been deleted already.
 *
 * The function works in the `catch` of a promise and in `catchError` of RxJS, because it returns an
 * {@link ApiCall}.
 *
 * @param error the error that a call failed with
 * @returns a call that emits `undefined` at once, without a request
 * @throws `error`, if `isNotFound` returns false for it
 * @example
 * import { configMaps, type KubeClient } from 'rx-informers';
 * import { ignoreNotFound, resourceClient } from 'rx-informers/requests';
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

/** Returns true if the object is missing; false if its kind, namespace or a subresource is. */
export function isObjectNotFound(error: unknown, key: string): boolean {
  return isNotFound(error) && error.status.details?.name === splitMetaNamespaceKey(key).name;
}

/** Compares the code, and the reason if Kubernetes defines the reason of the error. */
function isRefusal(error: unknown, code: number, reason: string): error is StatusError {
  if (!(error instanceof StatusError) || error.statusCode !== code) return false;
  return error.reason === reason || !knownReasons.has(error.reason);
}

/** The reasons that Kubernetes defines: `knownReasons` in k8s.io/apimachinery/pkg/api/errors. */
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

/** One field that the server did not accept. */
export interface FieldError {
  /** For example `spec.containers[0].image`; empty if the server does not report it. */
  readonly field: string;
  /** For example `FieldValueInvalid`, `FieldValueRequired` or `FieldValueDuplicate`. */
  readonly reason: string;
  /** A text for people, for example `Invalid value: -1: must be greater than or equal to 0`. */
  readonly message: string;
}

/**
 * Returns the fields that made the server refuse an object (422), in the order of the response,
 * without duplicates.
 *
 * The message of the error contains these fields, too. Use this function to show the fields in a
 * status condition or a form, or to check them in a test.
 *
 * @param error any value, for example a caught error
 * @returns a field and a message for each refused field; empty for any other error
 * @example
 * import { fieldErrors } from 'rx-informers/requests';
 *
 * declare const error: unknown;
 *
 * const message = fieldErrors(error)
 *   .map(({ field, message }) => `${field}: ${message}`)
 *   .join('; ');
 */
export function fieldErrors(error: unknown): readonly FieldError[] {
  if (!(error instanceof StatusError) || error.statusCode !== 422) return [];
  const found = (error.status.details?.causes ?? []).map(({ field = '', reason = '', message = '' }) => ({
    field,
    reason,
    message,
  }));
  // The server validates metadata twice, and reports the same field error twice.
  const once = new Map(found.map((fieldError) => [JSON.stringify(Object.values(fieldError)), fieldError]));
  return [...once.values()];
}

export function callTimeoutError(request: RequestLine, timeout: number): RxInformersError<'RXI_CALL_TIMEOUT'> {
  const message = `${request.method} ${request.url}: no answer within ${timeout} ms, so the request was aborted; raise timeout if the API server is slow`;
  return new RxInformersError('RXI_CALL_TIMEOUT', message, { request, timeout });
}
