/** Names the Lease that an error is about. */
type OfLease = Readonly<{ lease: { readonly namespace: string; readonly name: string } }>;

/** Errors of leader election and of memberships. */
export interface LeaseErrorFields {
  /**
   * A Lease contains values that are not valid, or the server returned an object that is not a
   * Lease.
   *
   * **What to do**: Delete the Lease, or choose another name if another program uses it.
   */
  RXI_MALFORMED_LEASE: OfLease & {
    /** What is wrong with the Lease; one sentence for each problem. */
    readonly problems: readonly string[];
  };

  /**
   * The Lease of this replica has expired, but the replica did not notice, because its timers do
   * not fire (L7).
   *
   * **What to do**: Restart the process; a liveness probe that includes the election does it for
   * you. Find out what blocks the event loop.
   */
  RXI_LEASE_EXPIRED: OfLease & {
    readonly identity: string;
    /** Milliseconds since the last renewal that succeeded was sent. */
    readonly age: number;
  };

  /**
   * The Lease could not be renewed in time. This replica stopped leading, or gave up its keys,
   * before another replica could take over.
   *
   * **What to do**: Nothing. The replica competes or joins again, unless a manager ends the
   * process. If it happens often, raise `leaseDuration`, or look for a blocked event loop or a slow
   * API server.
   *
   * **Expected**: while the API server is unreachable.
   */
  RXI_RENEW_DEADLINE: OfLease & {
    readonly identity: string;
    /** The limit for the time since the last successful renewal was sent, in milliseconds. */
    readonly renewDeadline: number;
    /** Why the last attempt failed; undefined if the server has not responded to it yet. */
    readonly cause: Error | undefined;
  };

  /**
   * The Lease names another holder, or none, although this replica was leading. Either a client
   * edited the Lease, or another replica took it because this process did not run for a while.
   *
   * **What to do**: Let the process exit and restart, as a manager does. If it happens often, look
   * for a suspended machine or a blocked event loop.
   */
  RXI_TAKEN_OVER: OfLease & {
    readonly identity: string;
    /** The new holder; undefined if there is none. */
    readonly holder: string | undefined;
  };

  /**
   * Another replica renews the Lease of this identity, so two replicas have the same identity. This
   * replica owns no keys until the other replica stops.
   *
   * **What to do**: Give each replica its own identity, for example the name of its pod.
   */
  RXI_IDENTITY_IN_USE: OfLease & { readonly identity: string };

  /**
   * The Lease of this replica was deleted by another client. The replica gives up its keys and
   * joins again.
   *
   * **What to do**: Nothing. If it happens often, find the client that deletes Leases.
   */
  RXI_LEASE_DELETED: OfLease;

  /**
   * A request for the Lease of this replica failed. The replica tries again.
   *
   * **What to do**: Nothing if it happens once. If it continues, look at `cause`, and at the RBAC
   * rules for Leases.
   */
  RXI_LEASE_REQUEST: OfLease & { readonly operation: 'read' | 'create' | 'update'; readonly cause: Error };

  /**
   * Work on keys that this replica lost did not end in time. The keys were handed over
   * nevertheless.
   *
   * **What to do**: Stop work when the signal of the run aborts, or raise `releaseTimeout`.
   */
  RXI_RELEASE_TIMEOUT: {
    /** The `releaseTimeout` in milliseconds. */
    readonly timeout: number;
  };

  /**
   * The watch of the group does not show a renewal that this replica wrote. The group is listed
   * again.
   *
   * **What to do**: Nothing if it happens once. If it continues, look for an overloaded API server.
   */
  RXI_STALE_WATCH: {
    /** Milliseconds for which the replica waited to see its own renewal. */
    readonly waited: number;
  };

  /**
   * A Lease has the label of the group, but not the fields of a member.
   *
   * **What to do**: Remove the label from Leases of other programs, or choose another group name.
   */
  RXI_UNREADABLE_LEASE: OfLease & {
    /** What is wrong with the Lease, and what this replica does about it. */
    readonly problem: string;
  };

  /**
   * This replica no longer owns the key. The signal of a run on the key is aborted with this error
   * as its reason. The run counts as skipped, not as failed.
   *
   * **What to do**: Stop work when the signal aborts.
   *
   * **Expected**: whenever replicas join or leave.
   */
  RXI_KEY_LOST: { readonly key: string };
}
