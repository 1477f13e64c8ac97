import { leaseKey, type LeaseName } from '../lease/lease-name.js';

/** A leader whose lease has run out still believes that it leads: its timers do not fire (L7). The process should be restarted. */
export class LeaseExpiredError extends Error {
  override readonly name = 'LeaseExpiredError';
  constructor(
    readonly lease: LeaseName,
    readonly identity: string,
    /** Milliseconds since the last renewal that succeeded was sent. */
    readonly age: number,
  ) {
    super(`lease ${leaseKey(lease)}: ${identity} believes that it leads, but renewed the lease ${age} ms ago`);
  }
}
