import {
  type ObservableInput,
  catchError,
  concat,
  defer,
  EMPTY,
  forkJoin,
  ignoreElements,
  of,
  type Observable,
} from 'rxjs';
import type { MembershipError } from '../lease/lease-errors.js';
import { nothingWritten, type HandOver, type WrittenVersions } from '../lease/written-versions.js';
import { allSlots, countSlots, noSlots, slotCount, slotOf, tableOf, type Slots } from './slots.js';

/** A set of keys. You can ask if it has a key, but it does not list its keys. */
export interface KeySet {
  has(key: string): boolean;
  /** The approximate fraction of all keys that belong to the set, from 0 to 1. */
  readonly portion: number;
}

export type MembershipStatus = MembershipState['status'];

/** The keys that a replica owns, and the changes since the previous state. */
export interface MembershipState {
  readonly identity: string;
  /** Identities of all known live replicas, sorted, with this one once it has joined. */
  readonly members: readonly string[];
  readonly owned: KeySet;
  /**
   * Returns true if work on the key may run here now. `owns` reads the clock, so it returns false
   * after the renew deadline even if the timer has not fired yet.
   */
  owns(key: string): boolean;
  /** The keys gained since the previous state; at first, all owned keys. */
  readonly gained: KeySet;
  /** The keys lost since the previous state. In the first state of a subscriber, none. */
  readonly lost: KeySet;
  /** True if this replica owns its whole share and has no keys to release. */
  readonly isSettled: boolean;
  /** The progress, and why there is no share. Unlike `errors`, it lasts as long as its reason. */
  readonly status: {
    /**
     * | state | meaning |
     * | --- | --- |
     * | `joining` | the replica has no valid Lease in the group, and owns nothing |
     * | `balancing` | the replica is a member; other replicas still own some keys of its share, or
     * it is still releasing keys |
     * | `settled` | the replica owns its whole share |
     */
    readonly state: 'joining' | 'balancing' | 'settled';
    /** Why the replica is not `settled`, as a sentence; undefined if it is `settled`. */
    readonly reason: string | undefined;
    /** Why the Lease or the group cannot be read, written or watched. Undefined after a success. */
    readonly error: MembershipError | undefined;
  };
  /** The errors since the previous state; usually none. */
  readonly errors: readonly MembershipError[];
  /**
   * Withholds the `lost` keys from their new owner until `over` has completed or failed, for at
   * most `releaseTimeout`. Call `waitUntil` synchronously while this state is being delivered. The
   * call has no effect if the keys were lost because no renewal succeeded or the Lease was gone.
   *
   * @param over the work on the lost keys
   *
   * @returns false if the call came too late, so that nothing is withheld
   */
  waitUntil(over: ObservableInput<unknown>): boolean;
  /** Passed between owners of keys by {@link whileOwned}; without it, nothing is handed over. */
  readonly handOver?: HandOver | undefined;
}

/** Slots that had another owner, and the versions that were known when this replica gained them. */
export interface HandedOverSlots {
  readonly slots: Slots;
  readonly versions: WrittenVersions;
}

/** The content of the last state that the subscribers of a membership received. */
export interface Published {
  /** The identities of the replicas that are alive, sorted. */
  readonly members: readonly string[];
  readonly owned: Slots;
  readonly status: MembershipState['status'];
}

/** The content of the next state for the subscribers of a membership. */
export interface MembershipNews extends Published {
  readonly gained: Slots;
  readonly lost: Slots;
  readonly errors: readonly MembershipError[];
  readonly handedOver: readonly HandedOverSlots[];
  /** The release that waits for work to end. Undefined: no keys lost, or none to be withheld. */
  readonly release: number | undefined;
}

/** The state before any input. */
export const nothingPublished: Published = {
  members: [],
  owned: noSlots,
  status: { state: 'joining', reason: 'this replica has not joined the group yet', error: undefined },
};

export function membershipState(
  identity: string,
  { members, owned, gained, lost, status, errors, handedOver }: MembershipNews,
  {
    isAlive,
    waitUntil,
    leave,
  }: Pick<MembershipState, 'waitUntil'> & {
    readonly isAlive: () => boolean;
    readonly leave: HandOver['leave'];
  },
): MembershipState {
  const ownedKeys = keySet(owned);
  return {
    identity,
    members,
    owned: ownedKeys,
    owns: (key) => ownedKeys.has(key) && isAlive(),
    gained: gained === owned ? ownedKeys : keySet(gained),
    lost: keySet(lost),
    isSettled: status.state === 'settled',
    status,
    errors,
    waitUntil,
    handOver: {
      received: (key) => {
        const slot = 1n << BigInt(slotOf(key));
        return handedOver.findLast(({ slots }) => (slots & slot) !== noSlots)?.versions ?? nothingWritten;
      },
      leave,
    },
  };
}

/** Returns the state for a later subscriber, with all owned keys as `gained`. */
export function asFirst(state: MembershipState): MembershipState {
  return { ...state, gained: state.owned, lost: nothing };
}

function keySet(slots: Slots): KeySet {
  if (slots === noSlots) return nothing;
  if (slots === allSlots) return everything;
  const table = tableOf(slots);
  return { has: (key) => table[slotOf(key)] === 1, portion: countSlots(slots) / slotCount };
}

const nothing: KeySet = { has: () => false, portion: 0 };
const everything: KeySet = { has: () => true, portion: 1 };

/** Collects work passed to `waitUntil` while a state is delivered, then waits for all of it. */
export class ReleaseGate {
  readonly #waits: ObservableInput<unknown>[] = [];
  #isOpen = true;

  readonly waitUntil: MembershipState['waitUntil'] = (over) => {
    if (this.#isOpen) this.#waits.push(over);
    return this.#isOpen;
  };

  /** Accepts no more work. Emits once, when all work has ended. */
  close(): Observable<unknown> {
    this.#isOpen = false;
    return forkJoin([of(undefined), ...this.#waits.map(untilOver)]);
  }
}

/** Emits once, when the work has ended. Work that failed has ended too. */
function untilOver(over: ObservableInput<unknown>): Observable<undefined> {
  const silent$ = defer(() => over).pipe(
    ignoreElements(),
    catchError(() => EMPTY),
  );
  return concat(silent$, of(undefined));
}
