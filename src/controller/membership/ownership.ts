import type { MembershipConfig, State, ObservedLease } from './protocol.js';
import { shareOf, noSlots, without, type Slots } from './slots.js';
import { slotsClaimedBy } from './claim.js';

/**
 * Whether the holder of a Lease has given up its keys for want of a renewal.
 *
 * That nothing of it was seen is no proof: the watch may have stopped. `shownUntil` is: a write of this replica that was sent then has
 * come back through the watch, and so has everything before it.
 */
export function hasExpired(config: MembershipConfig, { shownUntil }: State, lease: ObservedLease): boolean {
  return shownUntil >= lease.observedAt + (lease.reading.duration ?? config.leaseDuration);
}

/** Whether this replica has renewed its Lease in time. */
export function isAlive(config: MembershipConfig, { renewedAt }: State, at: number): boolean {
  return at < renewedAt + config.renewDeadline;
}

/** The other replicas that live, as far as this one knows. */
export function liveReplicas(config: MembershipConfig, state: State): readonly ObservedLease[] {
  return [...state.others.values()].filter(
    (other) =>
      !other.isGone && other.reading.isReplica && other.reading.identity !== '' && !hasExpired(config, state, other),
  );
}

/** The slots that are to be this replica's, once their owners have let go of them. */
export function shareAmong(config: MembershipConfig, state: State): State['share'] {
  if (!state.hasListed) return state.share;
  const readable = liveReplicas(config, state).filter(({ reading }) => reading.claim !== undefined);
  const names = new Set([config.leaseName, ...readable.map(({ lease }) => lease.metadata.name)]);
  const members = [...names].sort();
  if (members.join() === state.share.members.join()) return state.share;
  return { members, slots: shareOf(config.leaseName, members) };
}

/** What work may begin on: of its share what the watch has shown as claimed by this replica, and by no other that lives. */
export function uncontested(config: MembershipConfig, state: State): Slots {
  const { shown, claimedFrom, claimed, share, others } = state;
  if (shown === undefined || shown.sequence < claimedFrom) return noSlots;
  const contested = [...others.values()]
    .filter((other) => !hasExpired(config, state, other))
    .reduce((slots, { reading }) => slots | slotsClaimedBy(reading), noSlots);
  return without(shown.slots & claimed & share.slots, contested | slotsInRelease(state));
}

export function slotsInRelease({ releasing }: State): Slots {
  return releasing.reduce((slots, release) => slots | release.slots, noSlots);
}

/** What its Lease should claim: what it is to own, and what it cannot let go of yet. */
export function claimsToWrite(state: State): Slots {
  return state.share.slots | state.owned | slotsInRelease(state);
}
