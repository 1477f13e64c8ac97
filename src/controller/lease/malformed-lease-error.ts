import { leaseKey, type LeaseName } from './lease-name.js';

/** A lease says something that no lease can say, or the server answered with something that is no lease. */
export class MalformedLeaseError extends Error {
  override readonly name = 'MalformedLeaseError';
  constructor(
    readonly lease: LeaseName,
    /** A sentence each. */
    readonly problems: readonly string[],
  ) {
    super(`lease ${leaseKey(lease)}: ${problems.join('; ')}`);
  }
}
