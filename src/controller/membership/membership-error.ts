import { RxInformersError } from '../../kubernetes/rx-informers-error.js';
import { messageOf } from '../../kubernetes/message-of.js';
import type { InformerError } from '../../informer/errors.js';

/** Says what failed in a membership. `MembershipState.errors` reports it, and the membership goes on. */
export type MembershipError =
  | IdentityInUseError
  | InformerError
  | LeaseDeletedError
  | LeaseRequestError
  | ReleaseTimeoutError
  | ShardRenewDeadlineError
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
    /** The key of the Lease. */
    readonly lease: string,
  ) {
    super(
      `identity ${JSON.stringify(identity)} is in use: lease ${lease} is renewed by another replica; identities must differ`,
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
  constructor(
    /** The key of the Lease. */
    readonly lease: string,
  ) {
    super(`lease ${lease} was deleted while its replica lives; the replica gives up its keys and joins again`);
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
    /** The key of the Lease. */
    readonly lease: string,
    readonly operation: 'read' | 'create' | 'update',
    override readonly cause: unknown,
  ) {
    super(`cannot ${operation} lease ${lease}: ${messageOf(cause)}`, { cause });
  }
}

/**
 * No renewal succeeded in time. The replica has given up its keys, because other replicas will
 * soon take them.
 *
 * **What to do**: Nothing: the replica joins again. If it happens often, raise `leaseDuration`, or
 * look for a blocked event loop or a slow API server.
 *
 * **Expected**: while the API server is unreachable.
 */
export class ShardRenewDeadlineError extends RxInformersError {
  static override readonly code = 'RXI_SHARD_RENEW_DEADLINE';
  override readonly name = 'ShardRenewDeadlineError';
  constructor(
    /** The key of the Lease. */
    readonly lease: string,
    /** Milliseconds. */
    readonly deadline: number,
    /**
     * Why the last request failed; undefined if none failed, because there was no answer or the
     * process stood still.
     */
    override readonly cause: MembershipError | undefined,
  ) {
    const why = cause === undefined ? 'there was no answer in time' : cause.message;
    super(`lease ${lease} was not renewed within ${deadline} ms; the replica gives up its keys: ${why}`, { cause });
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
    super(`the watch of the leases has not shown a renewal of this replica for ${waited} ms; they are listed anew`);
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
    /** The key of the Lease. */
    readonly lease: string,
    /** What is wrong with it, and what follows. */
    readonly problem: string,
  ) {
    super(`lease ${lease}: ${problem}`);
  }
}
