import type { InformerError } from '../../collections/errors.js';
import { isRxInformersError, RxInformersError } from '../../kubernetes/errors.js';
import { unexpectedSourceError } from '../../sources/model/errors.js';
import { leaseKey, type LeaseName } from './lease-record.js';

/** `RXI_STATUS` has a `statusCode`, for example 403, or 404 if the namespace does not exist. */
export type LeaseError = RxInformersError<(typeof leaseErrorCodes)[number]>;

export function malformedLeaseError(
  lease: LeaseName,
  problems: readonly string[],
): RxInformersError<'RXI_MALFORMED_LEASE'> {
  const message = `Lease ${leaseKey(lease)} is malformed: ${problems.join('; ')}; delete it, or choose another name`;
  return new RxInformersError('RXI_MALFORMED_LEASE', message, { lease, problems });
}

function leaseExpiredError(lease: LeaseName, identity: string, age: number): RxInformersError<'RXI_LEASE_EXPIRED'> {
  const message = `Lease ${leaseKey(lease)} has expired: ${identity} last renewed it ${age} ms ago and did not notice; restart the process`;
  return new RxInformersError('RXI_LEASE_EXPIRED', message, { lease, identity, age });
}

/** Milliseconds after expiry until a replica counts as unhealthy, as in client-go. */
export const healthTolerance = 20_000;

/**
 * Returns an error if the lease of a replica expired more than `tolerance` milliseconds ago. `age`
 * counts from the last renewal, and is undefined if the replica holds no lease.
 */
export function expiredLease(
  lease: LeaseName,
  { identity, leaseDuration }: { readonly identity: string; readonly leaseDuration: number },
  age: number | undefined,
  tolerance: number,
): RxInformersError<'RXI_LEASE_EXPIRED'> | undefined {
  if (age === undefined || age <= leaseDuration + tolerance) return undefined;
  return leaseExpiredError(lease, identity, age);
}

export function renewDeadlineError(
  lease: LeaseName,
  identity: string,
  renewDeadline: number,
  cause: LeaseError | undefined,
): RxInformersError<'RXI_RENEW_DEADLINE'> {
  const why = cause === undefined ? 'the last attempt was not answered' : cause.message;
  return new RxInformersError(
    'RXI_RENEW_DEADLINE',
    `${identity} could not renew Lease ${leaseKey(lease)} within ${renewDeadline} ms: ${why}`,
    { lease, identity, renewDeadline, cause },
  );
}

export function takenOverError(
  lease: LeaseName,
  identity: string,
  holder: string | undefined,
): RxInformersError<'RXI_TAKEN_OVER'> {
  const message = `${identity} lost the leadership: Lease ${leaseKey(lease)} is now held by ${holder ?? 'no replica'}`;
  return new RxInformersError('RXI_TAKEN_OVER', message, { lease, identity, holder });
}

/** Reported in `MembershipState.errors`; the membership continues. */
export type MembershipError =
  | InformerError
  | RxInformersError<
      | 'RXI_IDENTITY_IN_USE'
      | 'RXI_LEASE_DELETED'
      | 'RXI_LEASE_REQUEST'
      | 'RXI_RELEASE_TIMEOUT'
      | 'RXI_RENEW_DEADLINE'
      | 'RXI_STALE_WATCH'
      | 'RXI_UNREADABLE_LEASE'
    >;

export function identityInUseError(identity: string, lease: LeaseName): RxInformersError<'RXI_IDENTITY_IN_USE'> {
  const message = `identity ${JSON.stringify(identity)} is in use: another replica renews Lease ${leaseKey(lease)}; give each replica its own identity`;
  return new RxInformersError('RXI_IDENTITY_IN_USE', message, { identity, lease });
}

export function leaseDeletedError(lease: LeaseName): RxInformersError<'RXI_LEASE_DELETED'> {
  const message = `Lease ${leaseKey(lease)} was deleted by another client; this replica gives up its keys and joins again`;
  return new RxInformersError('RXI_LEASE_DELETED', message, { lease });
}

export function leaseRequestError(
  lease: LeaseName,
  operation: 'read' | 'create' | 'update',
  cause: LeaseError,
): RxInformersError<'RXI_LEASE_REQUEST'> {
  const message = `cannot ${operation} Lease ${leaseKey(lease)}: ${cause.message}`;
  return new RxInformersError('RXI_LEASE_REQUEST', message, { lease, operation, cause });
}

export function releaseTimeoutError(timeout: number): RxInformersError<'RXI_RELEASE_TIMEOUT'> {
  const message = `work on lost keys did not end within ${timeout} ms; the keys were handed over anyway`;
  return new RxInformersError('RXI_RELEASE_TIMEOUT', message, { timeout });
}

export function staleWatchError(waited: number): RxInformersError<'RXI_STALE_WATCH'> {
  const message = `the watch of the Leases has not shown a renewal of this replica for ${waited} ms; listing the Leases again`;
  return new RxInformersError('RXI_STALE_WATCH', message, { waited });
}

export function unreadableLeaseError(lease: LeaseName, problem: string): RxInformersError<'RXI_UNREADABLE_LEASE'> {
  const message = `Lease ${leaseKey(lease)} is not the Lease of a member: ${problem}`;
  return new RxInformersError('RXI_UNREADABLE_LEASE', message, { lease, problem });
}

export function keyLostError(key: string): RxInformersError<'RXI_KEY_LOST'> {
  const message = `the run of ${key} was aborted, because this replica no longer owns the key`;
  return new RxInformersError('RXI_KEY_LOST', message, { key });
}

/** Wraps an error that is no `LeaseError` in an `RXI_UNEXPECTED_SOURCE`. */
export function toLeaseError(error: unknown): LeaseError {
  return leaseErrorCodes.some((code) => isRxInformersError(error, code))
    ? (error as LeaseError)
    : unexpectedSourceError(error);
}

const leaseErrorCodes = [
  'RXI_STATUS',
  'RXI_CONNECTION',
  'RXI_CREDENTIALS',
  'RXI_RESPONSE',
  'RXI_CALL_TIMEOUT',
  'RXI_MALFORMED_LEASE',
  'RXI_UNEXPECTED_SOURCE',
] as const;
