import type { Lease } from '../../kubernetes/resources/everyday.js';
import type { Change, ChangeSet } from '../../store/change.js';
import { type MembershipError, leaseDeletedError, unreadableLeaseError } from '../lease/lease-errors.js';
import { readAgain } from '../lease/lease-protocol.js';
import { highest } from '../lease/written-versions.js';
import { readMemberLease, slotsClaimedBy, type Claim, type LeaseReading } from './claim.js';
import { giveUp, type MembershipConfig, type State, type ObservedLease, type Taken } from './protocol.js';
import { noSlots } from './slots.js';

/** Applies a change set of the group's watch to the state. */
export function observeLeases(config: MembershipConfig, state: State, set: ChangeSet<Lease>, at: number): Taken {
  const listed = set.reason === 'initial' ? forgetUnlisted(state, set) : state;
  return set.changes.reduce<Taken>(
    (taken, change) => {
      const next = observe(config, taken.state, change, at);
      return { state: next.state, errors: [...taken.errors, ...next.errors] };
    },
    { state: { ...listed, hasListed: true }, errors: [] },
  );
}

/** Marks Leases that are missing from a new list as gone. */
function forgetUnlisted(state: State, { changes }: ChangeSet<Lease>): State {
  const listed = new Set(changes.map(({ object }) => object.metadata.name));
  const others = new Map([...state.others].map(([name, other]) => [name, { ...other, isGone: !listed.has(name) }]));
  return { ...state, others, shown: undefined, shownUntil: -Infinity };
}

function observe(config: MembershipConfig, state: State, change: Change<Lease>, at: number): Taken {
  const reading = readMemberLease(change.object);
  const isOwnName = change.object.metadata.name === config.lease.name;
  if (isOwnName && reading.claim?.incarnation === config.incarnation) {
    return change.type === 'deleted'
      ? ownDeleted(config, state, change.object, at)
      : { state: ownShown(config, state, reading.claim, at), errors: [] };
  }
  const taken = otherObserved(config, state, change, reading, at);
  // The watch shows that another process held the Lease of this replica. Read the Lease, to find
  // out whether the other process still holds it.
  return isOwnName && state.holder.known !== undefined ? { ...taken, state: dueForRead(taken.state, at) } : taken;
}

function dueForRead(state: State, at: number): State {
  return { ...state, holder: readAgain(state.holder, at) };
}

function ownDeleted(config: MembershipConfig, state: State, lease: Lease, at: number): Taken {
  // Ignore the deletion of an older Lease that this replica has replaced in the meantime.
  if (state.holder.known?.metadata.uid !== lease.metadata.uid) return { state, errors: [] };
  const error = leaseDeletedError(config.lease);
  const without: State = {
    ...giveUp(state),
    holder: { ...state.holder, known: undefined, seen: undefined, renewed: undefined },
    shown: undefined,
    shownUntil: -Infinity,
    requestFailure: error,
  };
  return { state: dueForRead(without, at), errors: [error] };
}

function ownShown(config: MembershipConfig, state: State, claim: Claim, at: number): State {
  const { sequence, slots } = claim;
  const others = new Map(state.others);
  others.delete(config.lease.name);
  return {
    ...state,
    others,
    shown: { sequence, slots },
    shownUntil: state.sent.get(sequence) ?? -Infinity,
    sent: new Map([...state.sent].filter(([number]) => number >= sequence)),
    unshownSince: sequence >= state.renewedSequence ? Infinity : at,
  };
}

function otherObserved(
  config: MembershipConfig,
  state: State,
  change: Change<Lease>,
  reading: LeaseReading,
  at: number,
): Taken {
  const { name, namespace = config.lease.namespace } = change.object.metadata;
  const others = new Map(state.others);
  const before = others.get(name);
  const isGone = change.type === 'deleted';
  if (isGone && slotsClaimedBy(reading) === noSlots) others.delete(name);
  else others.set(name, observed(before, change.object, reading, isGone, at));
  const errors: MembershipError[] = [];
  if (!isGone && reading.problem !== undefined && reading.problem !== before?.reading.problem) {
    errors.push(unreadableLeaseError({ namespace, name }, reading.problem));
  }
  return { state: { ...state, others, written: highest(state.written, reading.written) }, errors };
}

/** The duration counts from when this replica saw the Lease change, by its own clock (L3). */
function observed(
  before: ObservedLease | undefined,
  lease: Lease,
  reading: LeaseReading,
  isGone: boolean,
  at: number,
): ObservedLease {
  if (before?.reading.record === reading.record && (isGone || !before.isGone)) return { ...before, lease, isGone };
  return { lease, reading, observedAt: at, isGone, sweptAt: -Infinity };
}
