import type { Lease } from '../../kubernetes/resources/everyday.js';
import type { ChangeSet } from '../../store/change.js';
import type { Moment } from '../lease/lease-record.js';
import type { LeaseReading } from './claim.js';
import type { MembershipError } from '../lease/lease-errors.js';
import type { MembershipStatus } from './membership-status.js';
import { noSlots, type Slots } from './slots.js';

/** Durations are milliseconds. */
export interface MembershipConfig {
  readonly namespace: string;
  readonly group: string;
  readonly identity: string;
  readonly leaseName: string;
  /** Tells this process from another one with the same identity. */
  readonly incarnation: string;
  readonly leaseDuration: number;
  readonly renewDeadline: number;
  readonly retryPeriod: number;
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

  /**
   * Its own Lease as the last answer said it: what the next update starts from. `undefined`: there
   * is none.
   */
  readonly known: Lease | undefined;
  /** Somebody else's Lease under the name of its own. */
  readonly usurper: { readonly record: string; readonly observedAt: number; readonly duration: number } | undefined;
  readonly mustRead: boolean;
  /** The request under way; there is at most one. */
  readonly request: OwnRequest | undefined;
  readonly nextRequestAt: number;
  /** How many requests have failed in a row. */
  readonly failures: number;
  /** Why it has no valid Lease, or soon will not; until a write succeeds. */
  readonly requestFailure: MembershipError | undefined;
  /** Why the group cannot be watched; until the watch shows something. */
  readonly watchFailure: MembershipError | undefined;
  /** That of the last write. */
  readonly sequence: number;
  /**
   * When the last write that succeeded was sent; minus infinity where the keys were given up since.
   */
  readonly renewedAt: number;
  /** The time of day then: time that passes while the machine sleeps counts too. */
  readonly renewedTime: number;
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

/** What those who follow the membership know. */
export interface Told {
  /** The identities of the replicas that live, in order. */
  readonly members: readonly string[];
  readonly owned: Slots;
  readonly status: MembershipStatus;
}

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

export interface OwnRequest {
  readonly operation: 'read' | 'create' | 'update';
  readonly sentAt: number;
  readonly sentTime: number;
  readonly sequence: number;
}

/** What happens to a replica, and when; `random` is a number in [0, 1). */
export type Input = Moment & { readonly random: number } & (
    | { readonly type: 'alarm' }
    | { readonly type: 'changes'; readonly set: ChangeSet<Lease> }
    | { readonly type: 'watch-failed'; readonly error: MembershipError }
    | { readonly type: 'read'; readonly lease: Lease | undefined }
    | { readonly type: 'written'; readonly lease: Lease }
    | { readonly type: 'request-failed'; readonly code: number | undefined; readonly cause: unknown }
    | { readonly type: 'released'; readonly id: number }
  );

/** What is to be done in the world, in this order. */
export type Effect =
  | { readonly type: 'tell'; readonly news: MembershipNews }
  | { readonly type: 'read' }
  | { readonly type: 'create'; readonly sequence: number; readonly slots: Slots }
  | { readonly type: 'update'; readonly sequence: number; readonly slots: Slots; readonly known: Lease }
  | { readonly type: 'relist' }
  | { readonly type: 'delete'; readonly lease: Lease };

/** What is told to whoever follows the membership. */
export interface MembershipNews extends Told {
  readonly gained: Slots;
  readonly lost: Slots;
  readonly errors: readonly MembershipError[];
  /** Whose end is to be reported by `released`. */
  readonly release: number | undefined;
}

/** What is known before anything has happened. */
export const nothingTold: Told = {
  members: [],
  owned: noSlots,
  status: { state: 'joining', reason: 'this replica has not joined the group yet', error: undefined },
};

export const initialMembership: State = {
  hasListed: false,
  others: new Map(),
  shown: undefined,
  shownUntil: -Infinity,
  sent: new Map(),
  unshownSince: Infinity,
  known: undefined,
  usurper: undefined,
  mustRead: true,
  request: undefined,
  nextRequestAt: -Infinity,
  failures: 0,
  requestFailure: undefined,
  watchFailure: undefined,
  sequence: 0,
  renewedAt: -Infinity,
  renewedTime: -Infinity,
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
 * Everything is lost, at once. What was claimed may by now be another's: nothing counts as claimed
 * but what a later write claims.
 */
export function giveUp(state: State): State {
  return { ...state, owned: noSlots, releasing: [], renewedAt: -Infinity, claimedFrom: state.sequence + 1 };
}

/** The key of the Lease of this replica. */
export function leaseKey({ namespace, leaseName }: MembershipConfig): string {
  return `${namespace}/${leaseName}`;
}
