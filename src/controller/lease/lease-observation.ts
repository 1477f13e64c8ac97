import type { Lease } from '../../kubernetes/resources/coordination.js';
import { isSameRecord, readLease, type LeaseRecord } from './lease-record.js';

/** A lease as it was seen, and since when it says what it says. */
export interface LeaseObservation {
  readonly lease: Lease;
  readonly record: LeaseRecord;
  /** When this process saw the record for the first time, in milliseconds of its own scheduler: the only time that counts (L3). */
  readonly since: number;
}

/** What is known after the lease was seen at `now`: where it says what it said before, `since` and `record` are kept. */
export function observeLease(previous: LeaseObservation | undefined, lease: Lease, now: number): LeaseObservation {
  const record = readLease(lease);
  const isSame = previous?.lease.metadata.uid === lease.metadata.uid && isSameRecord(previous.record, record);
  return isSame ? { ...previous, lease } : { lease, record, since: now };
}
