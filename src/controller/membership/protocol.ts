import type { Lease } from '../../kubernetes/resources/everyday.js';
import type { ChangeSet } from '../../store/change.js';
import { nothingWritten, type WrittenVersions } from '../lease/hand-over.js';
import {
  initialHolder,
  type Effect as HolderEffect,
  type HolderConfig,
  type Input as HolderInput,
  type State as HolderState,
} from '../lease/holder.js';
import type { MembershipError } from '../lease/lease-errors.js';
import type { Moment } from '../lease/lease-record.js';
import { type LeaseReading, noSlots, type Slots } from './claim.js';
import { nothingTold, type HandedOverSlots, type MembershipNews, type Told } from './membership-state.js';

/** The settings of the protocol. Durations are milliseconds. */
export interface MembershipConfig extends HolderConfig {
  readonly group: string;
  /** Differs between two processes with the same identity. */
  readonly incarnation: string;
  readonly releaseTimeout: number;
}

/**
 * The state of this replica: the Leases that it has read, the requests under way, and the slots
 * that it owns. All times are times of its own clock, and are never compared with times of another
 * clock.
 */
export interface State {
  /** False until the group was listed. While it is false, nothing is written. */
  readonly hasListed: boolean;
  /**
   * The other Leases of the group by name, as the watch last showed them. The Lease of this replica
   * is among them only while another process holds it.
   */
  readonly others: ReadonlyMap<string, ObservedLease>;
  /** The claim in this replica's own Lease, as the watch last showed it. */
  readonly shown: { readonly sequence: number; readonly slots: Slots } | undefined;
  /**
   * The watch is known to have shown everything up to this time. At this time, this replica sent
   * the write that the watch showed last.
   */
  readonly shownUntil: number;
  /**
   * The times at which this replica sent its writes, by sequence number. Contains all writes that
   * the watch has not shown yet, and the last write that it has shown.
   */
  readonly sent: ReadonlyMap<number, number>;
  /**
   * Since when the watch has not shown a write that succeeded; `Infinity` if the watch has shown
   * all such writes.
   */
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
  /**
   * The sequence number of the first write whose claims count. Earlier writes do not count, because
   * a claim was withdrawn after them, or the Lease was not held for a while.
   */
  readonly claimedFrom: number;
  readonly owned: Slots;
  /** The versions that all replicas of the group have written, as far as their Leases show them. */
  readonly written: WrittenVersions;
  /** The owned slots that had another owner, with the versions that were known when they came. */
  readonly handedOver: readonly HandedOverSlots[];
  /** Slots that are lost, but stay claimed until the work on them has ended. */
  readonly releasing: readonly Release[];
  /** The id of the next release. */
  readonly nextRelease: number;
  /** The members among which all slots are divided, and the slots that this replica should own. */
  readonly share: { readonly members: readonly string[]; readonly slots: Slots };
  readonly told: Told;
}

/** A Lease of the group that another process holds, as the watch last showed it. */
export interface ObservedLease {
  readonly lease: Lease;
  readonly reading: LeaseReading;
  /** When this replica last saw the Lease change. */
  readonly observedAt: number;
  /**
   * True if the Lease was deleted without being released. Its claims count until the Lease would
   * have expired.
   */
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
  | (Moment & { readonly random: number } & (
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
  told: nothingTold,
};

/** The state after one part of a step, and the errors so far. */
export interface Taken {
  readonly state: State;
  readonly errors: readonly MembershipError[];
}

/**
 * Returns the state after all slots were lost at once. Another replica may own these slots by now,
 * so the claims of earlier writes no longer count.
 */
export function giveUp(state: State): State {
  return { ...state, owned: noSlots, releasing: [], claimedFrom: state.sequence + 1 };
}
