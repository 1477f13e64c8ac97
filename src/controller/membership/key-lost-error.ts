import { RxInformersError } from '../../kubernetes/rx-informers-error.js';

/**
 * The reason with which the signal of a run was aborted: this replica does not own the key any
 * more. The run ends as skipped; it has not failed.
 *
 * **What to do**: Stop work when the signal aborts.
 *
 * **Expected**: whenever replicas join or leave.
 */
export class KeyLostError extends RxInformersError {
  static override readonly code = 'RXI_KEY_LOST';
  override readonly name = 'KeyLostError';
  constructor(readonly key: string) {
    super(`key ${JSON.stringify(key)} is no longer owned by this replica; its run was aborted`);
  }
}
