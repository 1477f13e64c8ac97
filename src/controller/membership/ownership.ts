import { leaseKey } from '../lease/lease-record.js';
import { slotsClaimedBy } from './claim.js';
import type { MembershipStatus } from './membership-state.js';
import type { MembershipConfig, ObservedLease, State } from './protocol.js';
import { noSlots, shareOf, withoutSlots, type Slots } from './slots.js';

/**
 * Returns true if the holder must have given up its keys by now. A watch without a renewal is no
 * proof, as it may have stopped. The proof is `shownUntil`: the watch has shown a write that this
 * replica sent then, and so everything before it.
 */
export function hasExpired(config: MembershipConfig, { shownUntil }: State, lease: ObservedLease): boolean {
  return shownUntil >= lease.observedAt + (lease.reading.duration ?? config.leaseDuration);
}

/** Returns true if this replica holds its Lease, and has renewed it in time. */
export function isAlive({ holder }: State): boolean {
  return holder.renewed !== undefined;
}

/** Returns the Leases of the other replicas that are alive, as far as this replica knows. */
export function liveReplicas(config: MembershipConfig, state: State): readonly ObservedLease[] {
  return [...state.others.values()].filter(
    (other) =>
      !other.isGone && other.reading.isReplica && other.reading.identity !== '' && !hasExpired(config, state, other),
  );
}

/** Returns the slots to own once they are released, and the members that divide all slots. */
export function shareAmong(config: MembershipConfig, state: State): State['share'] {
  if (!state.hasListed) return state.share;
  const readable = liveReplicas(config, state).filter(({ reading }) => reading.claim !== undefined);
  const names = new Set([config.lease.name, ...readable.map(({ lease }) => lease.metadata.name)]);
  const members = [...names].sort();
  if (members.join() === state.share.members.join()) return state.share;
  return { members, slots: shareOf(config.lease.name, members) };
}

/**
 * Returns the slots on which work may begin: in this replica's share, not being released, and
 * claimed, as the watch has shown, by no other live replica.
 */
export function uncontested(config: MembershipConfig, state: State): Slots {
  const { shown, claimedFrom, claimed, share, others } = state;
  if (shown === undefined || shown.sequence < claimedFrom) return noSlots;
  const contested = [...others.values()]
    .filter((other) => !hasExpired(config, state, other))
    .reduce((slots, { reading }) => slots | slotsClaimedBy(reading), noSlots);
  return withoutSlots(shown.slots & claimed & share.slots, contested | slotsInRelease(state));
}

function slotsInRelease({ releasing }: State): Slots {
  return releasing.reduce((slots, release) => slots | release.slots, noSlots);
}

/** Returns the slots to claim: those to own, and those that cannot be released yet. */
export function claimsToWrite(state: State): Slots {
  return state.share.slots | state.owned | slotsInRelease(state);
}

/** Why a member owns no slots until the watch of the group has shown its claim. */
export const unseenClaim = 'this replica has not seen its own claim yet';

export function membershipStatus(config: MembershipConfig, state: State): MembershipStatus {
  const error = state.requestFailure ?? state.watchFailure;
  if (!isAlive(state)) return { state: 'joining', reason: reasonToJoin(config, state), error };
  const isSettled = state.owned === state.share.slots && state.releasing.length === 0;
  if (isSettled) return { state: 'settled', reason: undefined, error };
  return { state: 'balancing', reason: reasonToBalance(config, state), error };
}

/** Returns true if two statuses are equal, so that the second status need not be emitted. */
export function isSameStatus(a: MembershipStatus, b: MembershipStatus): boolean {
  return a.state === b.state && a.reason === b.reason && a.error === b.error;
}

function reasonToJoin(config: MembershipConfig, state: State): string {
  const error = state.requestFailure ?? state.watchFailure;
  if (error !== undefined) return error.message;
  const { known, seen } = state.holder;
  if (known !== undefined || seen === undefined) return 'this replica has not joined the group yet';
  return `Lease ${leaseKey(config.lease)} was left by an earlier process with this identity and has not expired yet`;
}

function reasonToBalance(config: MembershipConfig, state: State): string {
  if (state.watchFailure !== undefined) return state.watchFailure.message;
  if (state.releasing.length > 0) return 'work on keys that this replica has lost has not ended yet';
  const missing = withoutSlots(state.share.slots, state.owned | slotsInRelease(state));
  const holders = [...state.others.values()].filter(
    (other) => !hasExpired(config, state, other) && (slotsClaimedBy(other.reading) & missing) !== noSlots,
  );
  if (holders.length === 0) return unseenClaim;
  return `keys of its share are still claimed by ${holders.map(leaseName).join(', ')}`;
}

function leaseName({ lease, reading, isGone }: ObservedLease): string {
  if (reading.claim === undefined) return `Lease ${lease.metadata.name}, which cannot be read`;
  return isGone ? `${reading.identity}, whose lease was deleted` : reading.identity;
}
