import { slotsInRelease, hasExpired, isAlive } from './ownership.js';
import type { MembershipConfig, State, ObservedLease } from './protocol.js';
import type { MembershipError } from '../lease/lease-errors.js';
import { slotsClaimedBy } from './claim.js';
import { noSlots, without } from './slots.js';

/** How far a replica is, and what keeps it from owning its share. */
export interface MembershipStatus {
  /**
   * | `joining` | the replica has no valid Lease in the group, and owns nothing |
   * | --- | --- |
   * | `balancing` | it is a member; some keys of its share still belong to other replicas, or it is still releasing keys |
   * | `settled` | it owns its whole share |
   */
  readonly state: 'joining' | 'balancing' | 'settled';
  /** Why it is not `settled`, in a sentence; undefined if it is. */
  readonly reason: string | undefined;
  /**
   * The failure that lasts: the Lease cannot be read or written, the group cannot be watched.
   * Undefined while all succeeds.
   */
  readonly error: MembershipError | undefined;
}

/** The reason of a member until the watch of the group has shown what it claims. */
export const unseenClaim = 'this replica has not seen its own claim yet';

/** Returns the status of a replica at `at`. Pure. */
export function statusOf(config: MembershipConfig, state: State, at: number): MembershipStatus {
  const error = state.requestFailure ?? state.watchFailure;
  if (!isAlive(config, state, at)) return { state: 'joining', reason: reasonToJoin(config, state), error };
  const isSettled = state.owned === state.share.slots && state.releasing.length === 0;
  if (isSettled) return { state: 'settled', reason: undefined, error };
  return { state: 'balancing', reason: reasonToBalance(config, state), error };
}

/** Returns true if two statuses say the same, so that the second need not be emitted. */
export function isSameStatus(a: MembershipStatus, b: MembershipStatus): boolean {
  return a.state === b.state && a.reason === b.reason && a.error === b.error;
}

function reasonToJoin(config: MembershipConfig, state: State): string {
  const error = state.requestFailure ?? state.watchFailure;
  if (error !== undefined) return error.message;
  if (state.usurper === undefined) return 'this replica has not joined the group yet';
  return `lease ${config.namespace}/${config.leaseName} was left by an earlier process with this identity and has not expired yet`;
}

function reasonToBalance(config: MembershipConfig, state: State): string {
  if (state.watchFailure !== undefined) return state.watchFailure.message;
  if (state.releasing.length > 0) return 'work on keys that this replica has lost is not over yet';
  const missing = without(state.share.slots, state.owned | slotsInRelease(state));
  const holders = [...state.others.values()].filter(
    (other) => !hasExpired(config, state, other) && (slotsClaimedBy(other.reading) & missing) !== noSlots,
  );
  if (holders.length === 0) return unseenClaim;
  return `keys of its share are still claimed by ${holders.map(nameOf).join(', ')}`;
}

function nameOf({ lease, reading, isGone }: ObservedLease): string {
  if (reading.claim === undefined) return `lease ${lease.metadata.name}, which cannot be read`;
  return isGone ? `${reading.identity}, whose lease was deleted` : reading.identity;
}
