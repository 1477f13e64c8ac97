import { of } from 'rxjs';
import { RxInformersError } from '../../kubernetes/errors.js';
import { splitMetaNamespaceKey } from '../../kubernetes/keys.js';
import { withKind } from '../../kubernetes/object.js';
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
 * responded with 409 `Conflict`, or {@link edit} gave up with an {@link EditConflictError}. If you
 * read the object again and repeat the write, it may succeed; {@link retryOnConflict} does this.
 *
 * Returns false if an object to create exists already; see {@link isAlreadyExists}.
 *
 * @param error any value, for example a caught error
 * @returns true if the error is a conflict
 */
export function isConflict(error: unknown): error is StatusError | EditConflictError {
  return error instanceof EditConflictError || isRefusal(error, 409, 'Conflict');
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
 * import { fieldErrors } from 'rx-informers/controller';
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

/**
 * The API server did not respond in time, and the request was aborted. A write may still have been
 * carried out.
 *
 * **What to do**: Read the object before you repeat a write that is not idempotent. Raise
 * `timeout` for a slow server.
 */
export class CallTimeoutError extends RxInformersError {
  static override readonly code = 'RXI_CALL_TIMEOUT';
  override readonly name = 'CallTimeoutError';
  constructor(
    readonly request: RequestLine,
    /** The timeout in milliseconds. */
    readonly timeout: number,
  ) {
    super(
      `${request.method} ${request.url}: no answer within ${timeout} ms, so the request was aborted; raise timeout if the API server is slow`,
    );
  }
}

/**
 * The edit was sent several times. Each time, another writer had changed the object in the
 * meantime, so the server refused the edit. The edit has changed nothing.
 *
 * **What to do**: Try again later. A controller tries again if the run fails. If this error is
 * frequent, use server-side apply, and let each writer apply different fields.
 *
 * **Expected**: if several writers change one object.
 */
export class EditConflictError extends RxInformersError {
  static override readonly code = 'RXI_EDIT_CONFLICT';
  override readonly name = 'EditConflictError';
  constructor(
    readonly key: string,
    readonly tries: number,
    /** The last response of the server: a 409, or a 422 for a failed `test` in the patch. */
    override readonly cause: StatusError,
    /** The kind of the object, for the message. */
    kind?: string,
  ) {
    super(
      `cannot edit ${withKind(key, kind)}: another writer changed it before each of ${tries} tries; try again later: ${cause.message}`,
      { cause },
    );
  }
}

/**
 * The object to be written has been deleted. Another object may have its name by now.
 *
 * **What to do**: Stop working on the object. A controller whose runs are triggered by deletions
 * needs to do nothing.
 *
 * **Expected**: whenever objects are deleted while they are reconciled.
 */
export class ObjectDeletedError extends RxInformersError {
  static override readonly code = 'RXI_OBJECT_DELETED';
  override readonly name = 'ObjectDeletedError';
  constructor(
    readonly key: string,
    /** The uid of the object that was deleted. */
    readonly uid: string,
    /** The uid of the object that has the name now; undefined if there is none, or unknown. */
    readonly replacedBy: string | undefined,
    /** The cause, and the kind of the object, for the message. */
    options?: ErrorOptions & { readonly kind?: string | undefined },
  ) {
    super(
      `${withKind(key, options?.kind)} (uid ${uid}) has been deleted` +
        (replacedBy === undefined ? '' : `; its name now belongs to another object (uid ${replacedBy})`),
      options,
    );
  }
}

/**
 * The object is being deleted, so it accepts no new finalizer.
 *
 * **What to do**: Create nothing more for this object, and run its cleanup.
 *
 * **Expected**: if an object is deleted before its first reconcile.
 */
export class ObjectTerminatingError extends RxInformersError {
  static override readonly code = 'RXI_OBJECT_TERMINATING';
  override readonly name = 'ObjectTerminatingError';
  constructor(
    readonly key: string,
    readonly finalizer: string,
    /** The kind of the object, for the message. */
    kind?: string,
  ) {
    super(`cannot add finalizer ${finalizer} to ${withKind(key, kind)}, because it is being deleted; run its cleanup`);
  }
}

/** What is wrong with a recipe; see {@link RecipeError}. */
export type RecipeProblem =
  'threw' | 'asynchronous' | 'returned-a-value' | 'not-json' | 'read-only-field' | 'outside-of-subresource';

/**
 * A recipe threw, or changed a field that it must not change. Nothing was sent.
 *
 * **What to do**: Correct the recipe; the message names the field.
 */
export class RecipeError extends RxInformersError {
  static override readonly code = 'RXI_RECIPE';
  override readonly name = 'RecipeError';
  constructor(
    /** The key of the object to edit. */
    readonly key: string,
    /**
     * | problem | what the recipe did |
     * | --- | --- |
     * | `threw` | threw an error, which is the `cause` |
     * | `asynchronous` | returned a promise; changes that are made after an `await` would be lost |
     * | `returned-a-value` | returned a value, as reducers do |
     * | `not-json` | put something into the object that JSON cannot express |
     * | `read-only-field` | changed a field that identifies the object, or that only the server writes |
     * | `outside-of-subresource` | changed a field other than `status` in an edit of the status; the server would ignore this change |
     */
    readonly problem: RecipeProblem,
    explanation: string,
    /** The cause, and the kind of the object, for the message. */
    options?: ErrorOptions & { readonly kind?: string | undefined },
  ) {
    super(`invalid recipe for ${withKind(key, options?.kind)}: ${explanation}`, options);
  }
}

/**
 * The recipe (the callback that changes the object) changed the status, and the server ignored
 * this change. The status of this kind is a subresource, or the kind has no status. Other changes
 * of the recipe were written.
 *
 * **What to do**: Set `subresource: 'status'` to write the status. In other edits, do not change
 * the status.
 */
export class StatusIgnoredError extends RxInformersError {
  static override readonly code = 'RXI_STATUS_IGNORED';
  override readonly name = 'StatusIgnoredError';
  constructor(
    readonly key: string,
    /** The kind of the object, for the message. */
    kind?: string,
  ) {
    super(
      `the API server ignored the change in the status of ${withKind(key, kind)}; if the kind has a status subresource, edit it with { subresource: 'status' }`,
    );
  }
}
