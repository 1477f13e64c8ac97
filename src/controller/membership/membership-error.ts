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

/** The Lease of this replica was deleted by somebody else. It gives up its keys and joins again. */
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

/** A request for the Lease of this replica failed; it is tried again. */
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
 * No renewal succeeded in time: the replica has given up its keys, because others will soon take
 * them.
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

/** Work on keys that were lost was not over in time; they were handed over all the same. */
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

/** The watch of the group does not show what this replica wrote; the group is listed anew. */
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

/** A Lease with the label of the group does not say what a replica's does. */
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
