import { RxInformersError } from '../../kubernetes/rx-informers-error.js';
import { leaseKey, type LeaseName } from './lease-name.js';

/**
 * The Lease of this replica has expired, and the replica did not notice, because its timers do not
 * fire (L7).
 *
 * **What to do**: Restart the process, as a health check that includes the election does. Look for
 * a blocked event loop.
 */
export class LeaseExpiredError extends RxInformersError {
  static override readonly code = 'RXI_LEASE_EXPIRED';
  override readonly name = 'LeaseExpiredError';
  constructor(
    readonly lease: LeaseName,
    readonly identity: string,
    /** Milliseconds since the last renewal that succeeded was sent. */
    readonly age: number,
  ) {
    super(
      `lease ${leaseKey(lease)}: ${identity} renewed it ${age} ms ago and did not notice that it has expired; restart the process`,
    );
  }
}

/**
 * Milliseconds by which a lease may have expired unnoticed before a replica counts as unhealthy, as
 * in client-go.
 */
export const healthTolerance = 20_000;

/**
 * Returns the error of a replica whose lease expired more than `tolerance` milliseconds ago; `age`
 * is undefined if it holds none.
 */
export function expiredLease(
  lease: LeaseName,
  { identity, leaseDuration }: { readonly identity: string; readonly leaseDuration: number },
  age: number | undefined,
  tolerance: number,
): LeaseExpiredError | undefined {
  if (age === undefined || age <= leaseDuration + tolerance) return undefined;
  return new LeaseExpiredError(lease, identity, age);
}
