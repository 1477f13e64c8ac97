import type { Lease } from '../../kubernetes/resources/everyday.js';
import type { ChangeSet } from '../../store/change.js';
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
import { nothingTold, type MembershipNews, type Told } from './membership-state.js';

/** What the protocol needs to know. Durations are milliseconds. */
export interface MembershipConfig extends HolderConfig {
  readonly group: string;
  /** Differs between two processes with the same identity. */
  readonly incarnation: string;
  readonly releaseTimeout: number;
}

/**
 * What this replica knows, does and owns. Times are those of its own clock; nothing that another
 * clock says is compared with them.
 */
export interface State {
  /** False until the group was listed; before that nothing is written. */
  readonly hasListed: boolean;
  /**
   * The Leases of the group by name, as the watch showed them last. Its own is among them only
   * while another replica holds it.
   */
  readonly others: ReadonlyMap<string, ObservedLease>;
  /** Its own Lease, as the watch showed it last. */
  readonly shown: { readonly sequence: number; readonly slots: Slots } | undefined;
  /**
   * Up to when the watch is known to have shown everything: when the write was sent that it showed
   * last.
   */
  readonly shownUntil: number;
  /**
   * When the writes were sent that the watch has not shown yet, and the last that it has, by
   * sequence.
   */
  readonly sent: ReadonlyMap<number, number>;
  /** Since when a write that succeeded has not been shown. */
  readonly unshownSince: number;

  /** Its own Lease: what is known of it, and which request is under way. */
  readonly holder: HolderState;
  /** Why it has no valid Lease, or soon will not; until a write succeeds. */
  readonly requestFailure: MembershipError | undefined;
  /** Why the group cannot be watched; until the watch shows something. */
  readonly watchFailure: MembershipError | undefined;
  /** That of the last write. */
  readonly sequence: number;
  /** That of the last write that succeeded. */
  readonly renewedSequence: number;

  /** What the last write claims. */
  readonly claimed: Slots;
  /**
   * The first write from which on all that it claims has been claimed without a break, by a replica
   * that was alive without one.
   */
  readonly claimedFrom: number;
  readonly owned: Slots;
  /** Lost, and still claimed until work on them is over. */
  readonly releasing: readonly Release[];
  /** That of the next release. */
  readonly nextRelease: number;
  /** Its part of the slots, as long as the members are these. */
  readonly share: { readonly members: readonly string[]; readonly slots: Slots };
  readonly told: Told;
}

/** A Lease of the group that is not this replica's, as the watch showed it last. */
export interface ObservedLease {
  readonly lease: Lease;
  readonly reading: LeaseReading;
  /** When this replica saw it change last. */
  readonly observedAt: number;
  /** It was deleted without having been released; what it claimed is claimed until it expires. */
  readonly isGone: boolean;
  /** When its deletion was asked for. */
  readonly sweptAt: number;
}

export interface Release {
  readonly id: number;
  readonly slots: Slots;
  /** When it is over, whatever still works. */
  readonly until: number;
}

/** What happens to a replica, and when; `random` is a number in [0, 1). */
export type Input =
  | HolderInput
  | (Moment & { readonly random: number } & (
        | { readonly type: 'changes'; readonly set: ChangeSet<Lease> }
        | { readonly type: 'watch-failed'; readonly error: MembershipError }
        | { readonly type: 'released'; readonly id: number }
      ));

export type Effect =
  | HolderEffect
  | { readonly type: 'tell'; readonly news: MembershipNews }
  /** Lists the group again, because its watch is stale. */
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
  releasing: [],
  nextRelease: 1,
  share: { members: [], slots: noSlots },
  told: nothingTold,
};

/** A state, and what went wrong on the way to it. */
export interface Taken {
  readonly state: State;
  readonly errors: readonly MembershipError[];
}

/**
 * Returns the state in which everything is lost, at once. Another replica may own by now what this
 * one claimed, so only what a later write claims counts as claimed.
 */
export function giveUp(state: State): State {
  return { ...state, owned: noSlots, releasing: [], claimedFrom: state.sequence + 1 };
}
