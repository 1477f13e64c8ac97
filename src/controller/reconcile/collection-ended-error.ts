import { RxInformersError } from '../../kubernetes/rx-informers-error.js';

/** A key was about to be reconciled when one of the controller's collections had been stopped: an empty cache says nothing of the cluster. */
export class CollectionEndedError extends RxInformersError {
  static override readonly code = 'RXI_COLLECTION_ENDED';
  override readonly name = 'CollectionEndedError';
  constructor(
    readonly key: string,
    /** Which one: `for`, `owns[0]`, `watches[2]`. */
    readonly trigger: string,
  ) {
    super(`${key} was not reconciled, because the collection of ${trigger} was stopped`);
  }
}
