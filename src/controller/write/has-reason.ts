import { splitMetaNamespaceKey } from '../../kubernetes/key.js';
import { StatusError } from '../../sources/source-error.js';

/** Whether the server refused with this code for this reason. */
export function hasReason(error: unknown, code: number, reason: string): error is StatusError {
  return error instanceof StatusError && error.code === code && error.reason === reason;
}

/** Whether there is no object of that key. A 404 may also be about the kind, its namespace, or a subresource that it does not have. */
export function isNotFound(error: unknown, key: string): boolean {
  return hasReason(error, 404, 'NotFound') && error.status.details?.name === splitMetaNamespaceKey(key).name;
}
