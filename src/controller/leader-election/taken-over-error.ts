import { RxInformersError } from '../../kubernetes/rx-informers-error.js';
import { leaseKey, type LeaseName } from '../lease/lease-name.js';

/**
 * The Lease names another holder or none, although this replica was leading: the Lease was edited,
 * or another replica took it because this one did not run for a while.
 *
 * **What to do**: Let the process exit and restart, as a manager does. If it happens often, look
 * for a suspended machine or a blocked event loop.
 */
export class TakenOverError extends RxInformersError {
  static override readonly code = 'RXI_TAKEN_OVER';
  override readonly name = 'TakenOverError';
  constructor(
    readonly lease: LeaseName,
    readonly identity: string,
    /** Undefined is nobody. */
    readonly holder: string | undefined,
  ) {
    super(`lease ${leaseKey(lease)}: ${identity} led, and now ${holder ?? 'nobody'} holds it`);
  }
}
