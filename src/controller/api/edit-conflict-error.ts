import { RxInformersError } from '../../kubernetes/rx-informers-error.js';
import type { StatusError } from '../../sources/source-error.js';

/** Each time that an edit was sent, somebody else had changed the object first; nothing was changed. */
export class EditConflictError extends RxInformersError {
  static override readonly code = 'RXI_EDIT_CONFLICT';
  override readonly name = 'EditConflictError';
  constructor(
    readonly key: string,
    readonly tries: number,
    /** The server's last answer: a 409, or the 422 for a `test` that failed. */
    override readonly cause: StatusError,
  ) {
    super(`${key} was changed by somebody else before each of ${tries} tries to edit it: ${cause.message}`, { cause });
  }
}
