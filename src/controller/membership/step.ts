import { isRxInformersError } from '../../kubernetes/errors.js';
import {
  type MembershipError,
  identityInUseError,
  leaseRequestError,
  releaseTimeoutError,
  staleWatchError,
} from '../lease/lease-errors.js';
import { leaseAlarm as holderAlarmOf, ask, step as holderStep, type Outcome } from '../lease/lease-protocol.js';
import { highest, nothingWritten } from '../lease/written-versions.js';
import { claimToWrite } from './claim.js';
import { observeLeases } from './observe-leases.js';
import {
  claimsToWrite,
  hasExpired,
  isAlive,
  isSameStatus,
  liveReplicas,
  shareAmong,
  membershipStatus,
  uncontested,
} from './ownership.js';
import {
  giveUp,
  type Effect,
  type Input,
  type MembershipConfig,
  type ObservedLease,
  type State,
  type Taken,
} from './protocol.js';
import { noSlots, withoutSlots } from './slots.js';

export interface Step {
  readonly state: State;
  readonly effects: readonly Effect[];
}

/** Writes whose time is remembered. A watch further behind does not prove a replica dead. */
const maxMemory = 100;

/**
 * Returns the next state of a member, and the effects. Pure. Deadlines come first: without a
 * renewal in time it owns nothing. Then the input, lost and gained slots, and requests.
 */
export function step(config: MembershipConfig, state: State, input: Input): Step {
  const { at, time, random } = input;
  const isAnswer = input.type === 'read' || input.type === 'written' || input.type === 'failed';
  const leaseStep = holderStep(config, state.holder, isAnswer ? input : { type: 'alarm', at, time, random });
  const answered = leaseStep.outcomes.reduce<Taken>(
    (taken, outcome) => followLease(config, taken, outcome, { at, wasAlive: isAlive(state) }),
    { state: { ...state, holder: leaseStep.state }, errors: [] },
  );
  const timely = passTime(config, answered, at);
  const taken = take(config, timely, input);
  const rebalanced = rebalance(config, forgetGone(config, taken.state), at);
  const release = rebalanced.nextRelease > state.nextRelease ? state.nextRelease : undefined;
  const announced = publish(config, rebalanced, taken.errors, release);
  const swept = sweep(config, announced.state, at);
  const requested = askForOwnLease(config, swept.state, input);
  const relist: readonly Effect[] = timely.isStale ? [{ type: 'relist' }] : [];
  return { state: requested.state, effects: [...announced.effects, ...relist, ...requested.effects, ...swept.effects] };
}

/** Returns when the next step is due without any input; `Infinity` for never. */
export function membershipAlarm(config: MembershipConfig, state: State): number {
  return Math.min(
    state.hasListed ? holderAlarmOf(config, state.holder) : Infinity,
    state.unshownSince + config.renewDeadline,
    ...state.releasing.map(({ until }) => until),
  );
}

/** Handles an event of the own Lease: a response, or the renew deadline. */
function followLease(
  config: MembershipConfig,
  { state, errors }: Taken,
  outcome: Outcome,
  { at, wasAlive }: { readonly at: number; readonly wasAlive: boolean },
): Taken {
  const { requestFailure } = state;
  switch (outcome.type) {
    case 'held': {
      const { sequence } = state;
      const isShown = state.shown !== undefined && state.shown.sequence >= sequence;
      const renewed: State = {
        ...state,
        requestFailure: undefined,
        renewedSequence: sequence,
        claimedFrom: wasAlive ? state.claimedFrom : Math.max(state.claimedFrom, sequence),
        unshownSince: isShown ? Infinity : Math.min(state.unshownSince, at),
      };
      return { state: renewed, errors };
    }
    case 'lost': {
      const { cause } = outcome;
      const failure = cause.code === 'RXI_RENEW_DEADLINE' ? (requestFailure ?? cause) : cause;
      return { state: { ...giveUp(state), requestFailure: failure }, errors: [...errors, cause] };
    }
    case 'taken': {
      const inUse = outcome.isInUse ? identityInUseError(config.identity, config.lease) : undefined;
      const failure = inUse ?? (isRxInformersError(requestFailure, 'RXI_IDENTITY_IN_USE') ? requestFailure : undefined);
      const waiting = { ...giveUp(state), requestFailure: failure };
      return { state: waiting, errors: inUse === undefined ? errors : [...errors, inUse] };
    }
    case 'failed': {
      const error = leaseRequestError(config.lease, outcome.operation, outcome.error);
      return { state: { ...state, requestFailure: error }, errors: [...errors, error] };
    }
    default:
      return outcome satisfies never;
  }
}

function passTime(
  config: MembershipConfig,
  { state, errors }: Taken,
  at: number,
): Taken & { readonly isStale: boolean } {
  const releasing = state.releasing.filter(({ until }) => at < until);
  const timeouts = releasing.length < state.releasing.length ? [releaseTimeoutError(config.releaseTimeout)] : [];
  const timely = timeouts.length === 0 ? state : { ...state, releasing };
  if (at < state.unshownSince + config.renewDeadline) {
    return { state: timely, errors: [...errors, ...timeouts], isStale: false };
  }
  const stale = staleWatchError(at - state.unshownSince);
  return {
    state: { ...timely, unshownSince: at, watchFailure: stale },
    errors: [...errors, ...timeouts, stale],
    isStale: true,
  };
}

function take(config: MembershipConfig, { state, errors }: Taken, input: Input): Taken {
  switch (input.type) {
    case 'changes': {
      const observed = observeLeases(config, { ...state, watchFailure: undefined }, input.set, input.at);
      return { state: observed.state, errors: [...errors, ...observed.errors] };
    }
    case 'watch-failed': {
      const isExpected = 'expected' in input.error && input.error.expected;
      return {
        state: isExpected ? state : { ...state, watchFailure: input.error },
        errors: [...errors, input.error],
      };
    }
    case 'released':
      return { state: { ...state, releasing: state.releasing.filter(({ id }) => id !== input.id) }, errors };
    default:
      return { state, errors };
  }
}

/** Decides which slots are lost and gained, by live replicas and their claims. */
function rebalance(config: MembershipConfig, before: State, at: number): State {
  const state = { ...before, share: shareAmong(config, before) };
  const lost = withoutSlots(state.owned, state.share.slots);
  const kept: State =
    lost === noSlots
      ? state
      : {
          ...state,
          owned: withoutSlots(state.owned, lost),
          releasing: [...state.releasing, { id: state.nextRelease, slots: lost, until: at + config.releaseTimeout }],
          nextRelease: state.nextRelease + 1,
        };
  const owned = isAlive(kept) ? kept.owned | uncontested(config, kept) : kept.owned;
  const gained = withoutSlots(owned, kept.owned);
  const earlier = kept.handedOver.filter(({ slots }) => (slots & kept.owned) !== noSlots);
  const isHandedOver = gained !== noSlots && state.written.size > 0;
  const handedOver = isHandedOver ? [...earlier, { slots: gained, versions: state.written }] : earlier;
  return { ...kept, owned, handedOver };
}

/** Emits the state if it differs from the last emitted state, or if there are errors. */
function publish(
  config: MembershipConfig,
  state: State,
  errors: readonly MembershipError[],
  release: number | undefined,
): Step {
  const { published, owned } = state;
  const members = membersOf(config, state);
  const status = membershipStatus(config, state);
  const isKnown =
    members.join() === published.members.join() && owned === published.owned && isSameStatus(status, published.status);
  if (isKnown && errors.length === 0) return { state, effects: [] };
  const gained = withoutSlots(owned, published.owned);
  const lost = withoutSlots(published.owned, owned);
  const news = { members, owned, status, gained, lost, errors, release, handedOver: state.handedOver };
  return {
    state: { ...state, published: { members: isKnown ? published.members : members, owned, status } },
    effects: [{ type: 'tell', news }],
  };
}

/** Returns the identities of the replicas that are alive. */
function membersOf(config: MembershipConfig, state: State): readonly string[] {
  const names = liveReplicas(config, state).map(({ reading }) => reading.identity);
  return [...new Set(isAlive(state) ? [config.identity, ...names] : names)].sort();
}

/** Reads or writes the own Lease if that is due, or if its claims have changed. */
function askForOwnLease(config: MembershipConfig, state: State, now: Input): Step {
  if (!state.hasListed) return { state, effects: [] };
  const slots = claimsToWrite(state);
  const sequence = state.sequence + 1;
  const claim = () => claimToWrite(config, { sequence, slots }, highest(state.written, now.written ?? nothingWritten));
  const { state: holder, effects } = ask(config, state.holder, now, claim, slots !== state.claimed);
  const asking = holder === state.holder ? state : { ...state, holder };
  if (!effects.some(({ type }) => type === 'create' || type === 'update')) return { state: asking, effects };
  const isWithdrawal = withoutSlots(state.claimed, slots) !== noSlots;
  return {
    state: {
      ...asking,
      sequence,
      claimed: slots,
      // An earlier write that the watch shows may still claim slots which this write withdraws, so
      // the claims of earlier writes no longer count.
      claimedFrom: isWithdrawal ? sequence : state.claimedFrom,
      sent: new Map([...state.sent, [sequence, now.at] as const].slice(-maxMemory)),
    },
    effects,
  };
}

/**
 * The first of the live members deletes Leases of dead replicas, a second `leaseDuration` later. If
 * the holder is alive after all, it has renewed, and the server refuses.
 */
function sweep(config: MembershipConfig, state: State, at: number): Step {
  const [first] = state.share.members;
  if (first !== config.lease.name || !isAlive(state)) return { state, effects: [] };
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

/** Forgets deleted Leases whose claims have expired. */
function forgetGone(config: MembershipConfig, state: State): State {
  const isForgotten = (other: ObservedLease): boolean => other.isGone && hasExpired(config, state, other);
  const others = [...state.others].filter(([, other]) => !isForgotten(other));
  return others.length === state.others.size ? state : { ...state, others: new Map(others) };
}
