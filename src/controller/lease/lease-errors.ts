import {
  ConnectionError,
  CredentialsError,
  ResponseError,
  StatusError,
  UnexpectedSourceError,
} from '../../sources/model/errors.js';
import { CallTimeoutError } from '../api/errors.js';
import { RxInformersError } from '../../kubernetes/errors.js';
import { leaseKey, type LeaseName } from './lease-record.js';
import type { InformerError } from '../../informer/errors.js';

/**
 * Says why a Lease could not be read, written or understood. `StatusError` has the `statusCode`:
 * 403, 404 for a namespace that does not exist, …
 */
export type LeaseError =
  | StatusError
  | ConnectionError
  | CredentialsError
  | ResponseError
  | CallTimeoutError
  | MalformedLeaseError
  | UnexpectedSourceError;

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

/**
 * The Lease could not be renewed in time, so this replica stopped leading, or gave up its keys,
 * before another replica may take over.
 *
 * **What to do**: Nothing: the replica competes or joins again, unless a manager ends the process.
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
    /** Milliseconds since the last renewal that succeeded was sent. */
    readonly renewDeadline: number,
    /** Why the last attempt failed; undefined if it has no answer yet. */
    override readonly cause: LeaseError | undefined,
  ) {
    const why = cause === undefined ? 'the last attempt had no answer' : cause.message;
    super(`lease ${leaseKey(lease)}: ${identity} could not renew it within ${renewDeadline} ms: ${why}`, { cause });
  }
}

/**
 * The Lease names another holder or none, although this replica was leading: the Lease was edited,
 * or another replica took it because this one did not run for a while.
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
    /** Undefined if there is none. */
    readonly holder: string | undefined,
  ) {
    super(`lease ${leaseKey(lease)}: ${identity} led, and now ${holder ?? 'no replica'} holds it`);
  }
}

/**
 * Says what failed in a membership. `MembershipState.errors` reports it, and the membership goes
 * on.
 */
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
 * Another replica renews the Lease of this identity: two replicas were given the same one. This
 * replica owns nothing meanwhile.
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
      `identity ${JSON.stringify(identity)} is in use: lease ${leaseKey(lease)} is renewed by another replica; identities must differ`,
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
    super(
      `lease ${leaseKey(lease)} was deleted while its replica lives; the replica gives up its keys and joins again`,
    );
  }
}

/**
 * A request for the Lease of this replica failed; it is tried again.
 *
 * **What to do**: Nothing for a single one. If it lasts, look at `cause`, and at the RBAC rules
 * for Leases.
 */
export class LeaseRequestError extends RxInformersError {
  static override readonly code = 'RXI_LEASE_REQUEST';
  override readonly name = 'LeaseRequestError';
  constructor(
    readonly lease: LeaseName,
    readonly operation: 'read' | 'create' | 'update',
    override readonly cause: LeaseError,
  ) {
    super(`cannot ${operation} lease ${leaseKey(lease)}: ${cause.message}`, { cause });
  }
}

/**
 * Work on keys that this replica lost did not end in time; the keys were handed over all the same.
 *
 * **What to do**: Stop work when the signal of the run aborts, or allow more time for the release.
 */
export class ReleaseTimeoutError extends RxInformersError {
  static override readonly code = 'RXI_RELEASE_TIMEOUT';
  override readonly name = 'ReleaseTimeoutError';
  constructor(
    /** Milliseconds. */
    readonly timeout: number,
  ) {
    super(`work on lost keys was not over within ${timeout} ms; they are handed over all the same`);
  }
}

/**
 * The watch of the group does not show what this replica wrote; the group is listed again.
 *
 * **What to do**: Nothing for a single one. If it lasts, look for an overloaded API server.
 */
export class StaleWatchError extends RxInformersError {
  static override readonly code = 'RXI_STALE_WATCH';
  override readonly name = 'StaleWatchError';
  constructor(
    /** Milliseconds for which the replica waited to see its own renewal. */
    readonly waited: number,
  ) {
    super(`the watch of the leases has not shown a renewal of this replica for ${waited} ms; they are listed again`);
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
    /** What is wrong with it, and what follows. */
    readonly problem: string,
  ) {
    super(`lease ${leaseKey(lease)}: ${problem}`);
  }
}

/**
 * The reason with which the signal of a run was aborted: this replica does not own the key any
 * more. The run ends as skipped; it has not failed.
 *
 * **What to do**: Stop work when the signal aborts.
 *
 * **Expected**: whenever replicas join or leave.
 */
export class KeyLostError extends RxInformersError {
  static override readonly code = 'RXI_KEY_LOST';
  override readonly name = 'KeyLostError';
  constructor(readonly key: string) {
    super(`key ${JSON.stringify(key)} is no longer owned by this replica; its run was aborted`);
  }
}

/** Returns what a request threw as one of the errors that a caller can tell apart. */
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
