import { RxInformersError } from '../../kubernetes/rx-informers-error.js';
import { leaseKey, type LeaseName } from './lease-name.js';

/** A lease says something that no lease can say, or the server answered with something that is no lease. */
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
