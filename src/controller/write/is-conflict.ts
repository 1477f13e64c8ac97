import { EditConflictError } from './edit-conflict-error.js';
import { hasReason } from './has-reason.js';

/** Whether somebody else changed the object first, so that it is worth reading it again: a 409 `Conflict`, or an edit that gave up. */
export function isConflict(error: unknown): boolean {
  return error instanceof EditConflictError || hasReason(error, 409, 'Conflict');
}
