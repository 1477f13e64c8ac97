import type { InformerError } from '../../collections/errors.js';
import { RxInformersError } from '../../kubernetes/errors.js';
import {
  ConnectionError,
  CredentialsError,
  ResponseError,
  StatusError,
  UnexpectedSourceError,
} from '../../sources/model/errors.js';
import { CallTimeoutError } from '../api/errors.js';
import { leaseKey, type LeaseName } from './lease-record.js';

/** A `StatusError` has a `statusCode`, for example 403, or 404 if the namespace does not exist. */
export type LeaseError =
  | StatusError
  | ConnectionError
  | CredentialsError
  | ResponseError
  | CallTimeoutError
  | MalformedLeaseError
  | UnexpectedSourceError;

/**
 * A Lease contains values that are not valid, or the server returned an object that is not a Lease.
 *
 * **What to do**: Delete the Lease, or choose another name if another program uses it.
 */
export class MalformedLeaseError extends RxInformersError {
  static override readonly code = 'RXI_MALFORMED_LEASE';
  override readonly name = 'MalformedLeaseError';
  constructor(
    readonly lease: LeaseName,
    /** What is wrong with the Lease; one sentence for each problem. */
    readonly problems: readonly string[],
  ) {
    super(`Lease ${leaseKey(lease)} is malformed: ${problems.join('; ')}; delete it, or choose another name`);
  }
}

/**
 * The Lease of this replica has expired, but the replica did not notice, because its timers do not
 * fire (L7).
 *
 * **What to do**: Restart the process; a liveness probe that includes the election does it for you.
 * Find out what blocks the event loop.
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
      `Lease ${leaseKey(lease)} has expired: ${identity} last renewed it ${age} ms ago and did not notice; restart the process`,
    );
  }
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
): LeaseExpiredError | undefined {
  if (age === undefined || age <= leaseDuration + tolerance) return undefined;
  return new LeaseExpiredError(lease, identity, age);
}

/**
 * The Lease could not be renewed in time. This replica stopped leading, or gave up its keys, before
 * another replica could take over.
 *
 * **What to do**: Nothing. The replica competes or joins again, unless a manager ends the process.
 * If it happens often, raise `leaseDuration`, or look for a blocked event loop or a slow API
 * server.
 *
 * **Expected**: while the API server is unreachable.
 */
export class RenewDeadlineError extends RxInformersError {
  static override readonly code = 'RXI_RENEW_DEADLINE';
  override readonly name = 'RenewDeadlineError';
  constructor(
    readonly lease: LeaseName,
    readonly identity: string,
    /** The limit for the time since the last successful renewal was sent, in milliseconds. */
    readonly renewDeadline: number,
    /** Why the last attempt failed; undefined if the server has not responded to it yet. */
    override readonly cause: LeaseError | undefined,
  ) {
    const why = cause === undefined ? 'the last attempt was not answered' : cause.message;
    super(`${identity} could not renew Lease ${leaseKey(lease)} within ${renewDeadline} ms: ${why}`, { cause });
  }
}

/**
 * The Lease names another holder, or none, although this replica was leading. Either a client
 * edited the Lease, or another replica took it because this process did not run for a while.
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
    /** The new holder; undefined if there is none. */
    readonly holder: string | undefined,
  ) {
    super(`${identity} lost the leadership: Lease ${leaseKey(lease)} is now held by ${holder ?? 'no replica'}`);
  }
}

/** Reported in `MembershipState.errors`; the membership continues. */
export type MembershipError =
  | IdentityInUseError
  | InformerError
  | LeaseDeletedError
  | LeaseRequestError
  | ReleaseTimeoutError
  | RenewDeadlineError
  | StaleWatchError
  | UnreadableLeaseError;

/**
 * Another replica renews the Lease of this identity, so two replicas have the same identity. This
 * replica owns no keys until the other replica stops.
 *
 * **What to do**: Give each replica its own identity, for example the name of its pod.
 */
export class IdentityInUseError extends RxInformersError {
  static override readonly code = 'RXI_IDENTITY_IN_USE';
  override readonly name = 'IdentityInUseError';
  constructor(
    readonly identity: string,
    readonly lease: LeaseName,
  ) {
    super(
      `identity ${JSON.stringify(identity)} is in use: another replica renews Lease ${leaseKey(lease)}; give each replica its own identity`,
    );
  }
}

/**
 * The Lease of this replica was deleted by another client. The replica gives up its keys and joins
 * again.
 *
 * **What to do**: Nothing. If it happens often, find the client that deletes Leases.
 */
export class LeaseDeletedError extends RxInformersError {
  static override readonly code = 'RXI_LEASE_DELETED';
  override readonly name = 'LeaseDeletedError';
  constructor(readonly lease: LeaseName) {
    super(`Lease ${leaseKey(lease)} was deleted by another client; this replica gives up its keys and joins again`);
  }
}

/**
 * A request for the Lease of this replica failed. The replica tries again.
 *
 * **What to do**: Nothing if it happens once. If it continues, look at `cause`, and at the RBAC
 * rules for Leases.
 */
export class LeaseRequestError extends RxInformersError {
  static override readonly code = 'RXI_LEASE_REQUEST';
  override readonly name = 'LeaseRequestError';
  constructor(
    readonly lease: LeaseName,
    readonly operation: 'read' | 'create' | 'update',
    override readonly cause: LeaseError,
  ) {
    super(`cannot ${operation} Lease ${leaseKey(lease)}: ${cause.message}`, { cause });
  }
}

/**
 * Work on keys that this replica lost did not end in time. The keys were handed over nevertheless.
 *
 * **What to do**: Stop work when the signal of the run aborts, or raise `releaseTimeout`.
 */
export class ReleaseTimeoutError extends RxInformersError {
  static override readonly code = 'RXI_RELEASE_TIMEOUT';
  override readonly name = 'ReleaseTimeoutError';
  constructor(
    /** The `releaseTimeout` in milliseconds. */
    readonly timeout: number,
  ) {
    super(`work on lost keys did not end within ${timeout} ms; the keys were handed over anyway`);
  }
}

/**
 * The watch of the group does not show a renewal that this replica wrote. The group is listed
 * again.
 *
 * **What to do**: Nothing if it happens once. If it continues, look for an overloaded API server.
 */
export class StaleWatchError extends RxInformersError {
  static override readonly code = 'RXI_STALE_WATCH';
  override readonly name = 'StaleWatchError';
  constructor(
    /** Milliseconds for which the replica waited to see its own renewal. */
    readonly waited: number,
  ) {
    super(`the watch of the Leases has not shown a renewal of this replica for ${waited} ms; listing the Leases again`);
  }
}

/**
 * A Lease has the label of the group, but not the fields of a member.
 *
 * **What to do**: Remove the label from Leases of other programs, or choose another group name.
 */
export class UnreadableLeaseError extends RxInformersError {
  static override readonly code = 'RXI_UNREADABLE_LEASE';
  override readonly name = 'UnreadableLeaseError';
  constructor(
    readonly lease: LeaseName,
    /** What is wrong with the Lease, and what this replica does about it. */
    readonly problem: string,
  ) {
    super(`Lease ${leaseKey(lease)} is not the Lease of a member: ${problem}`);
  }
}

/**
 * This replica no longer owns the key. The signal of a run on the key is aborted with this error as
 * its reason. The run counts as skipped, not as failed.
 *
 * **What to do**: Stop work when the signal aborts.
 *
 * **Expected**: whenever replicas join or leave.
 */
export class KeyLostError extends RxInformersError {
  static override readonly code = 'RXI_KEY_LOST';
  override readonly name = 'KeyLostError';
  constructor(readonly key: string) {
    super(`the run of ${key} was aborted, because this replica no longer owns the key`);
  }
}

/** Wraps an error that is no `LeaseError` in an `UnexpectedSourceError`. */
export function toLeaseError(error: unknown): LeaseError {
  return leaseErrors.some((type) => error instanceof type) ? (error as LeaseError) : new UnexpectedSourceError(error);
}

const leaseErrors = [
  StatusError,
  ConnectionError,
  CredentialsError,
  ResponseError,
  CallTimeoutError,
  MalformedLeaseError,
  UnexpectedSourceError,
] as const;
