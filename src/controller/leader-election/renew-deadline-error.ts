import { RxInformersError } from '../../kubernetes/rx-informers-error.js';
import { leaseKey, type LeaseName } from '../lease/lease-name.js';
import type { LeaseError } from '../lease/lease-error.js';

/**
 * The Lease could not be renewed in time, so this replica stopped leading before another one may
 * begin.
 *
 * **What to do**: Let the process exit and restart, as a manager does. If it happens often, raise
 * `leaseDuration`, or look for a blocked event loop or a slow API server.
 *
 * **Expected**: while the API server is unreachable.
 */
export class RenewDeadlineError extends RxInformersError {
  static override readonly code = 'RXI_RENEW_DEADLINE';
  override readonly name = 'RenewDeadlineError';
  constructor(
    readonly lease: LeaseName,
    readonly identity: string,
    /** Milliseconds since the last renewal that succeeded was sent. */
    readonly renewDeadline: number,
    /** Why the last attempt failed; undefined where it had no answer yet. */
    override readonly cause: LeaseError | undefined,
  ) {
    const why = cause === undefined ? 'the last attempt had no answer' : cause.message;
    super(`lease ${leaseKey(lease)}: ${identity} could not renew it within ${renewDeadline} ms: ${why}`, { cause });
  }
}
