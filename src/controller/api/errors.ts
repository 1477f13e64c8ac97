import { of } from 'rxjs';
import { splitMetaNamespaceKey } from '../../kubernetes/object.js';
import { StatusError, type RequestLine } from '../../sources/model/errors.js';
import { ApiCall } from './api-call.js';
import { RxInformersError } from '../../kubernetes/errors.js';

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

/** One field that the server did not accept. */
export interface FieldError {
  /** Where it stands, for example `spec.containers[0].image`; empty where the server does not say. */
  readonly field: string;
  /** Machine-readable, for example `FieldValueInvalid`, `FieldValueRequired`, `FieldValueDuplicate`. */
  readonly reason: string;
  /** For people, for example `Invalid value: -1: must be greater than or equal to 0`. */
  readonly message: string;
}

/**
 * The fields for which the server refused an object (422), each said once, in its order; none for any other error.
 *
 * They are in the error's message already: this is for a status condition, a form, or a test.
 *
 * @example
 * import { fieldErrors } from 'rx-informers/controller';
 *
 * declare const error: unknown;
 *
 * const message = fieldErrors(error).map(({ field, message }) => `${field}: ${message}`).join('; ');
 */
export function fieldErrors(error: unknown): readonly FieldError[] {
  if (!(error instanceof StatusError) || error.statusCode !== 422) return [];
  const found = (error.status.details?.causes ?? []).map(({ field = '', reason = '', message = '' }) => ({
    field,
    reason,
    message,
  }));
  // The server validates metadata twice, and says so twice.
  const once = new Map(found.map((fieldError) => [JSON.stringify(Object.values(fieldError)), fieldError]));
  return [...once.values()];
}

/**
 * The API server did not answer in time, and the request was aborted. A write may still have been
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
    /** Milliseconds. */
    readonly timeout: number,
  ) {
    super(`${request.method} ${request.url}: no answer within ${timeout} ms; the request was aborted`);
  }
}

/**
 * Each time that an edit was sent, the object had been changed by another writer in the meantime;
 * nothing was changed.
 *
 * **What to do**: Try again later: a controller does so if the run fails. If it happens often, use
 * server-side apply, or give each writer fields of its own.
 *
 * **Expected**: if several writers change one object.
 */
export class EditConflictError extends RxInformersError {
  static override readonly code = 'RXI_EDIT_CONFLICT';
  override readonly name = 'EditConflictError';
  constructor(
    readonly key: string,
    readonly tries: number,
    /** The server's last answer: a 409, or the 422 for a `test` that failed. */
    override readonly cause: StatusError,
  ) {
    super(`${key} was changed by another writer before each of ${tries} tries to edit it: ${cause.message}`, { cause });
  }
}

/**
 * The object to be written has been deleted; another object may have its name by now.
 *
 * **What to do**: Stop working on the object. A controller that is triggered by deletions does
 * nothing more.
 *
 * **Expected**: whenever objects are deleted while they are reconciled.
 */
export class ObjectDeletedError extends RxInformersError {
  static override readonly code = 'RXI_OBJECT_DELETED';
  override readonly name = 'ObjectDeletedError';
  constructor(
    readonly key: string,
    /** Of the object that was deleted. */
    readonly uid: string,
    /** The uid of the object that has its name now. */
    readonly replacedBy: string | undefined,
    options?: ErrorOptions,
  ) {
    super(
      `${key} (uid ${uid}) has been deleted` +
        (replacedBy === undefined ? '' : `; what has its name now is another object (uid ${replacedBy})`),
      options,
    );
  }
}

/**
 * The object is being deleted, so it accepts no new finalizer.
 *
 * **What to do**: Do not create anything for this object any more; run its cleanup.
 *
 * **Expected**: if an object is deleted before its first reconcile.
 */
export class ObjectTerminatingError extends RxInformersError {
  static override readonly code = 'RXI_OBJECT_TERMINATING';
  override readonly name = 'ObjectTerminatingError';
  constructor(
    readonly key: string,
    readonly finalizer: string,
  ) {
    super(`${key} is being deleted; the finalizer ${finalizer} cannot be added any more`);
  }
}

/** What a recipe did that cannot be sent; see `RecipeError`. */
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
    /** Of the object that was to be edited. */
    readonly key: string,
    /**
     * | problem | what the recipe did |
     * | --- | --- |
     * | `threw` | threw; `cause` is what |
     * | `asynchronous` | gave a promise back: what it does later comes too late |
     * | `returned-a-value` | gave something back, as reducers do |
     * | `not-json` | put something into the object that JSON cannot say |
     * | `read-only-field` | changed what identifies the object, or what only the server writes |
     * | `outside-of-subresource` | changed something besides `status` while it edits the status, which the server would ignore |
     */
    readonly problem: RecipeProblem,
    explanation: string,
    options?: ErrorOptions,
  ) {
    super(`the recipe for ${key} cannot be used: ${explanation}`, options);
  }
}

/**
 * A recipe changed the status, and the server ignored that: the status of this kind is a
 * subresource, or the kind has none. Other changes of the recipe were written.
 *
 * **What to do**: Set `subresource: 'status'` to write the status, and leave it alone in other
 * edits.
 */
export class StatusIgnoredError extends RxInformersError {
  static override readonly code = 'RXI_STATUS_IGNORED';
  override readonly name = 'StatusIgnoredError';
  constructor(readonly key: string) {
    super(
      `the server ignored what was changed in the status of ${key}; edit it with { subresource: 'status' } if its kind has one`,
    );
  }
}
