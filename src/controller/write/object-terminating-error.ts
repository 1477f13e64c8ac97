import { RxInformersError } from '../../kubernetes/rx-informers-error.js';

/** The object is being deleted, so it takes no new finalizer. */
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
