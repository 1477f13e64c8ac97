import { RxInformersError } from '../../kubernetes/rx-informers-error.js';

/** The object that was to be written has been deleted; perhaps another one stands under its name now. */
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
