import { RxInformersError } from '../../kubernetes/rx-informers-error.js';

/** Why an object cannot be owned; see `OwnerReferenceError`. */
export type OwnerReferenceProblem = 'no-name' | 'no-uid' | 'no-kind' | 'other-controller' | 'other-namespace';

/** An object cannot be given that owner; nothing was changed. */
export class OwnerReferenceError extends RxInformersError {
  static override readonly code = 'RXI_OWNER_REFERENCE';
  override readonly name = 'OwnerReferenceError';
  constructor(
    readonly problem: OwnerReferenceProblem,
    explanation: string,
  ) {
    super(explanation);
  }
}
