import { StatusError } from '../../sources/source-error.js';

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
