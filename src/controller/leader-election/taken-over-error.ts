import { RxInformersError } from '../../kubernetes/rx-informers-error.js';
import { leaseKey, type LeaseName } from '../lease/lease-name.js';

/** The lease says that somebody else holds it, or nobody, though this replica led: it was edited, or taken from a leader that slept. */
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
