import type { Lease } from '../../kubernetes/resources/everyday.js';
import type { ChangeSet } from '../../store/change.js';
import type { MembershipError } from '../lease/lease-errors.js';
import {
  initialHolder,
  type Effect as HolderEffect,
  type HolderConfig,
  type Input as HolderInput,
  type State as HolderState,
} from '../lease/lease-protocol.js';
import type { ClockTimes } from '../lease/lease-record.js';
import { nothingWritten, type WrittenVersions } from '../lease/written-versions.js';
import type { LeaseReading } from './claim.js';
import { nothingPublished, type HandedOverSlots, type MembershipNews, type Published } from './membership-state.js';
import { noSlots, type Slots } from './slots.js';

export interface MembershipConfig extends HolderConfig {
  readonly group: string;
  /** Differs between two processes with the same identity. */
  readonly incarnation: string;
  readonly releaseTimeout: number;
}

/** The Leases read, the requests, and the slots of this replica. Times are of its clock. */
export interface State {
  /** False until the group was listed. While it is false, nothing is written. */
  readonly hasListed: boolean;
  /** The other Leases by name, as last watched; also its own if another process holds it. */
  readonly others: ReadonlyMap<string, ObservedLease>;
  /** The claim in this replica's own Lease, as the watch last showed it. */
  readonly shown: { readonly sequence: number; readonly slots: Slots } | undefined;
  /** The watch has shown everything up to this time: that of the newest own write it has shown. */
  readonly shownUntil: number;
  /** When writes were sent, by sequence number: those not yet shown, and the last shown one. */
  readonly sent: ReadonlyMap<number, number>;
  /** Since when the watch lacks a successful write; `Infinity` if it has shown all. */
  readonly unshownSince: number;

  /** How this replica holds its own Lease, and the request under way. */
  readonly holder: HolderState;
  /** Why this replica has no valid Lease, or may soon have none. Cleared when a write succeeds. */
  readonly requestFailure: MembershipError | undefined;
  /** Why the group cannot be watched. Cleared when the watch shows something. */
  readonly watchFailure: MembershipError | undefined;
  /** The sequence number of the last write. */
  readonly sequence: number;
  /** The sequence number of the last write that succeeded. */
  readonly renewedSequence: number;

  /** The slots that the last write claims. */
  readonly claimed: Slots;
  /** The first write whose claims count: since then none was withdrawn, and the Lease was held. */
  readonly claimedFrom: number;
  readonly owned: Slots;
  /** The versions that all replicas of the group have written, as far as their Leases show them. */
  readonly written: WrittenVersions;
  /** The owned slots that had another owner, with the versions that were known when they came. */
  readonly handedOver: readonly HandedOverSlots[];
  /** Slots that are lost, but stay claimed until the work on them has ended. */
  readonly releasing: readonly Release[];
  readonly nextRelease: number;
  /** The members among which all slots are divided, and the slots that this replica should own. */
  readonly share: { readonly members: readonly string[]; readonly slots: Slots };
  readonly published: Published;
}

/** A Lease of the group that another process holds, as the watch last showed it. */
export interface ObservedLease {
  readonly lease: Lease;
  readonly reading: LeaseReading;
  /** When this replica last saw the Lease change. */
  readonly observedAt: number;
  /** Deleted without a release. Its claims count until the Lease would have expired. */
  readonly isGone: boolean;
  /** When this replica last requested the deletion of the Lease; `-Infinity` if it never did. */
  readonly sweptAt: number;
}

/** Slots that this replica has lost, and on which work may still be under way. */
interface Release {
  readonly id: number;
  readonly slots: Slots;
  /** When this replica gives up the slots, even if work on them is still running. */
  readonly until: number;
}

/**
 * The inputs of a replica, with their time; `random` is a number in [0, 1). `written` has the
 * versions that this replica leaves to the next owners of its slots.
 */
export type Input = { readonly written?: WrittenVersions } & (
  | HolderInput
  | (ClockTimes & { readonly random: number } & (
        | { readonly type: 'changes'; readonly set: ChangeSet<Lease> }
        | { readonly type: 'watch-failed'; readonly error: MembershipError }
        | { readonly type: 'released'; readonly id: number }
      ))
);

export type Effect =
  | HolderEffect
  | { readonly type: 'tell'; readonly news: MembershipNews }
  /** Lists the group again, because the watch of the group is stale. */
  | { readonly type: 'relist' }
  /** Deletes the Lease of a replica that died. */
  | { readonly type: 'delete'; readonly lease: Lease };

export const initialMembership: State = {
  hasListed: false,
  others: new Map(),
  shown: undefined,
  shownUntil: -Infinity,
  sent: new Map(),
  unshownSince: Infinity,
  holder: initialHolder,
  requestFailure: undefined,
  watchFailure: undefined,
  sequence: 0,
  renewedSequence: 0,
  claimed: noSlots,
  claimedFrom: 1,
  owned: noSlots,
  written: nothingWritten,
  handedOver: [],
  releasing: [],
  nextRelease: 1,
  share: { members: [], slots: noSlots },
  published: nothingPublished,
};

/** The state after one part of a step, and the errors so far. */
export interface Taken {
  readonly state: State;
  readonly errors: readonly MembershipError[];
}

/** Loses all slots at once. Others may own them by now, so earlier claims no longer count. */
export function giveUp(state: State): State {
  return { ...state, owned: noSlots, releasing: [], claimedFrom: state.sequence + 1 };
}
