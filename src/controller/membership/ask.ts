import type { Moment } from '../lease/lease-record.js';
import type { MembershipConfig, Effect, State, ObservedLease } from './protocol.js';
import { claimsToWrite, hasExpired, isAlive, liveReplicas } from './ownership.js';
import { noSlots, without } from './slots.js';

interface Asked {
  readonly state: State;
  readonly effects: readonly Effect[];
}

/** Of how many writes it is known when they were sent; a watch that is further behind than this proves nobody dead. */
const longestMemory = 100;

/** The next request for its own Lease, where one is due. */
export function askForOwnLease(state: State, { at, time }: Moment): Asked {
  if (!state.hasListed || state.request !== undefined || !isDue(state, at)) return { state, effects: [] };
  if (state.mustRead) {
    return {
      state: { ...state, request: { operation: 'read', sentAt: at, sentTime: time, sequence: state.sequence } },
      effects: [{ type: 'read' }],
    };
  }
  const sequence = state.sequence + 1;
  const slots = claimsToWrite(state);
  const isWithdrawal = without(state.claimed, slots) !== noSlots;
  const { known } = state;
  return {
    state: {
      ...state,
      sequence,
      claimed: slots,
      // What was shown before may show as claimed what is withdrawn by this.
      claimedFrom: isWithdrawal ? sequence : state.claimedFrom,
      sent: new Map([...state.sent, [sequence, at] as const].slice(-longestMemory)),
      request: { operation: known === undefined ? 'create' : 'update', sentAt: at, sentTime: time, sequence },
    },
    effects: [known === undefined ? { type: 'create', sequence, slots } : { type: 'update', sequence, slots, known }],
  };
}

/** A change of what is claimed is written at once, unless the server is in trouble or the Lease is another's. */
function isDue(state: State, at: number): boolean {
  if (at >= state.nextRequestAt) return true;
  return claimsToWrite(state) !== state.claimed && state.failures === 0 && state.usurper === undefined;
}

/**
 * Leases of replicas that died are deleted, by the first of those that live, when they have been expired for as long as they were to
 * last. Whoever does hold such a Lease after all has renewed it, so that the deletion is refused.
 */
export function sweep(config: MembershipConfig, state: State, at: number): Asked {
  const [first] = state.share.members;
  if (first !== config.leaseName || !isAlive(config, state, at)) return { state, effects: [] };
  const dead = [...state.others].filter(([, other]) => isToBeSwept(config, state, other, at));
  if (dead.length === 0) return { state, effects: [] };
  const others = new Map(state.others);
  for (const [name, other] of dead) others.set(name, { ...other, sweptAt: at });
  return { state: { ...state, others }, effects: dead.map(([, { lease }]) => ({ type: 'delete', lease })) };
}

function isToBeSwept(config: MembershipConfig, state: State, other: ObservedLease, at: number): boolean {
  if (other.isGone || !other.reading.isReplica) return false;
  const duration = other.reading.duration ?? config.leaseDuration;
  return (
    at >= other.sweptAt + duration && hasExpired(config, state, { ...other, observedAt: other.observedAt + duration })
  );
}

/** Deleted Leases of which nothing is to be feared any more are forgotten. */
export function forgetGone(config: MembershipConfig, state: State): State {
  const isForgotten = (other: ObservedLease): boolean => other.isGone && hasExpired(config, state, other);
  const others = [...state.others].filter(([, other]) => !isForgotten(other));
  return others.length === state.others.size ? state : { ...state, others: new Map(others) };
}

/** Who lives, for those who follow. */
export function membersOf(config: MembershipConfig, state: State, at: number): readonly string[] {
  const names = liveReplicas(config, state).map(({ reading }) => reading.identity);
  return [...new Set(isAlive(config, state, at) ? [config.identity, ...names] : names)].sort();
}
