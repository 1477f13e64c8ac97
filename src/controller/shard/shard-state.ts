import type { ObservableInput } from 'rxjs';
import type { MembershipNews } from './membership-state.js';
import type { ShardError } from './shard-error.js';
import type { ShardStatus } from './shard-status.js';
import { allSlots, countOf, noSlots, slotCount, slotOf, tableOf, type Slots } from './slots.js';

/** Some of all possible keys. */
export interface KeySet {
  has(key: string): boolean;
  /** How much of all keys it is, from 0 to 1, where keys are many. */
  readonly portion: number;
}

/** What a replica owns at a time, and what changed. */
export interface ShardState {
  readonly identity: string;
  /** The replicas that live, this one among them once it has joined, as far as it knows; in order. */
  readonly members: readonly string[];
  readonly owned: KeySet;
  /** Whether work on the key may run here now. */
  owns(key: string): boolean;
  /** What came since the value before; all that is owned, for the first value of a subscriber. */
  readonly gained: KeySet;
  /** What went since the value before; nothing, for the first value of a subscriber. */
  readonly lost: KeySet;
  /** True if this replica owns its whole share and has no keys to release. */
  readonly isSettled: boolean;
  /** How far this replica is, and why it does not own its share. Unlike `errors` it says what lasts. */
  readonly status: ShardStatus;
  /** What went wrong since the value before; mostly nothing. */
  readonly errors: readonly ShardError[];
  /**
   * Keeps what is `lost` from its new owner until `over` has completed, or failed, but no longer than `releaseTimeout`; to be called
   * while this value is being delivered. Nothing waits where keys were given up, because no renewal succeeded or the Lease was gone.
   *
   * @returns false where it was too late to ask
   */
  waitUntil(over: ObservableInput<unknown>): boolean;
}

export function shardState(
  identity: string,
  { members, owned, gained, lost, status, errors }: MembershipNews,
  waitUntil: ShardState['waitUntil'],
): ShardState {
  const ownedKeys = keySet(owned);
  return {
    identity,
    members,
    owned: ownedKeys,
    owns: (key) => ownedKeys.has(key),
    gained: gained === owned ? ownedKeys : keySet(gained),
    lost: keySet(lost),
    isSettled: status.state === 'settled',
    status,
    errors,
    waitUntil,
  };
}

/** What a subscriber that comes later is told first: the state, as if all of it had just been gained. */
export function asFirst(state: ShardState): ShardState {
  return { ...state, gained: state.owned, lost: nothing };
}

function keySet(slots: Slots): KeySet {
  if (slots === noSlots) return nothing;
  if (slots === allSlots) return everything;
  const table = tableOf(slots);
  return { has: (key) => table[slotOf(key)] === 1, portion: countOf(slots) / slotCount };
}

const nothing: KeySet = { has: () => false, portion: 0 };
const everything: KeySet = { has: () => true, portion: 1 };
