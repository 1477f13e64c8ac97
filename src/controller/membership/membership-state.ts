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
import { allSlots, countOf, noSlots, slotCount, slotOf, tableOf, type Slots } from './claim.js';

/** A part of all possible keys. */
export interface KeySet {
  has(key: string): boolean;
  /** Its share of all keys, from 0 to 1, if there are many keys. */
  readonly portion: number;
}

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

/** What a replica owns at a moment, and what has changed since the state before. */
export interface MembershipState {
  readonly identity: string;
  /**
   * The identities of the replicas that are alive, sorted, as far as this one knows. It is one of
   * them once it has joined.
   */
  readonly members: readonly string[];
  readonly owned: KeySet;
  /**
   * Returns true if work on the key may run here now. It asks the clock: it returns false if the
   * renew deadline is over, also if its timer has not fired yet.
   */
  owns(key: string): boolean;
  /**
   * The keys that came since the state before. In the first state of a subscriber: all that are
   * owned.
   */
  readonly gained: KeySet;
  /** The keys that went since the state before. In the first state of a subscriber: none. */
  readonly lost: KeySet;
  /** True if this replica owns its whole share and has no keys to release. */
  readonly isSettled: boolean;
  /**
   * How far this replica is, and why it does not own its share. Unlike `errors` it says what lasts.
   */
  readonly status: MembershipStatus;
  /** What went wrong since the state before; usually nothing. */
  readonly errors: readonly MembershipError[];
  /**
   * Keeps the `lost` keys from their new owner until `over` has completed or failed, but no longer
   * than `releaseTimeout`. Call it while this state is being delivered. It has no effect if the
   * keys were given up because no renewal succeeded or the Lease was gone.
   *
   * @returns false if it was called too late
   */
  waitUntil(over: ObservableInput<unknown>): boolean;
}

/** What the subscribers of a membership know. */
export interface Told {
  /** The identities of the replicas that are alive, sorted. */
  readonly members: readonly string[];
  readonly owned: Slots;
  readonly status: MembershipStatus;
}

/** What the subscribers of a membership receive next. */
export interface MembershipNews extends Told {
  readonly gained: Slots;
  readonly lost: Slots;
  readonly errors: readonly MembershipError[];
  /**
   * The release whose end is awaited; undefined if nothing was lost that may be kept for a while.
   */
  readonly release: number | undefined;
}

/** What is known before anything has happened. */
export const nothingTold: Told = {
  members: [],
  owned: noSlots,
  status: { state: 'joining', reason: 'this replica has not joined the group yet', error: undefined },
};

/** Returns the state that subscribers receive. */
export function membershipState(
  identity: string,
  { members, owned, gained, lost, status, errors }: MembershipNews,
  { isAlive, waitUntil }: { readonly isAlive: () => boolean; readonly waitUntil: MembershipState['waitUntil'] },
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
  };
}

/**
 * Returns the first state for a later subscriber: the current one, as if all of it had just been
 * gained.
 */
export function asFirst(state: MembershipState): MembershipState {
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

/**
 * Collects what has to be waited for while a state is being delivered, and then waits for all of
 * it.
 */
export class ReleaseGate {
  readonly #waits: ObservableInput<unknown>[] = [];
  #isOpen = true;

  readonly waitUntil: MembershipState['waitUntil'] = (over) => {
    if (this.#isOpen) this.#waits.push(over);
    return this.#isOpen;
  };

  /** Accepts nothing more. Emits once, when everything is over. */
  close(): Observable<unknown> {
    this.#isOpen = false;
    return forkJoin([of(undefined), ...this.#waits.map(untilOver)]);
  }
}

/** Work that failed is over too. */
function untilOver(over: ObservableInput<unknown>): Observable<undefined> {
  const silent$ = defer(() => over).pipe(
    ignoreElements(),
    catchError(() => EMPTY),
  );
  return concat(silent$, of(undefined));
}
