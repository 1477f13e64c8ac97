import { RxInformersError } from '../../kubernetes/rx-informers-error.js';
import { leaseKey, type LeaseName } from './lease-name.js';

/**
 * A Lease holds values that no Lease can hold, or the server returned something that is not a
 * Lease.
 *
 * **What to do**: Delete the Lease, or choose another name if another program uses it.
 */
export class MalformedLeaseError extends RxInformersError {
  static override readonly code = 'RXI_MALFORMED_LEASE';
  override readonly name = 'MalformedLeaseError';
  constructor(
    readonly lease: LeaseName,
    /** A sentence each. */
    readonly problems: readonly string[],
  ) {
    super(`lease ${leaseKey(lease)}: ${problems.join('; ')}`);
  }
}
