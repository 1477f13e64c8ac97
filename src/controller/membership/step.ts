import { askForOwnLease, forgetGone, membersOf, sweep } from './ask.js';
import {
  giveUp,
  leaseKey,
  type MembershipConfig,
  type Effect,
  type Input,
  type State,
  type Taken,
} from './protocol.js';
import type { Moment } from '../lease/lease-record.js';
import { observeLeases } from './observe-leases.js';
import { ownFailed, ownRead, ownWritten } from './own-lease.js';
import { isAlive, shareAmong, uncontested } from './ownership.js';
import {
  ReleaseTimeoutError,
  ShardRenewDeadlineError,
  StaleWatchError,
  type MembershipError,
} from '../lease/lease-errors.js';
import { isSameStatus, statusOf } from './membership-status.js';
import { noSlots, without } from './slots.js';

export interface Step {
  readonly state: State;
  readonly effects: readonly Effect[];
}

/**
 * What follows from `input` in `state`: the next state, and what to do in the world. Pure: no clock, no randomness, no request.
 *
 * First time is heeded (a replica that was silent for too long owns nothing, whatever came in), then what came in is noted, then is
 * decided what is lost and gained, and last what there is to be asked of the server.
 */
export function step(config: MembershipConfig, state: State, input: Input): Step {
  const timely = heedTime(config, state, input);
  const taken = take(config, timely.state, input);
  const rebalanced = rebalance(config, forgetGone(config, taken.state), input.at);
  const release = rebalanced.nextRelease > state.nextRelease ? state.nextRelease : undefined;
  const told = tell(config, rebalanced, [...timely.errors, ...taken.errors], { at: input.at, release });
  const swept = sweep(config, told.state, input.at);
  const asked = askForOwnLease(swept.state, input);
  const relist: readonly Effect[] = timely.isStale ? [{ type: 'relist' }] : [];
  return { state: asked.state, effects: [...told.effects, ...relist, ...asked.effects, ...swept.effects] };
}

/** When something is to be done though nothing happens. */
export function alarmOf(config: MembershipConfig, state: State): number {
  return Math.min(
    state.hasListed && state.request === undefined ? state.nextRequestAt : Infinity,
    state.renewedAt === -Infinity ? Infinity : state.renewedAt + config.renewDeadline,
    state.unshownSince + config.renewDeadline,
    ...state.releasing.map(({ until }) => until),
  );
}

function heedTime(config: MembershipConfig, state: State, { at, time }: Moment): Taken & { readonly isStale: boolean } {
  const errors: MembershipError[] = [];
  let next = state;
  // Whichever clock says so first: elapsed time stands still while the machine sleeps.
  const isOver = !isAlive(config, next, at) || time >= next.renewedTime + config.renewDeadline;
  if (next.renewedAt > -Infinity && isOver) {
    const { requestFailure: cause } = next;
    const error = new ShardRenewDeadlineError(leaseKey(config), config.renewDeadline, cause);
    next = { ...giveUp(next), requestFailure: cause ?? error };
    errors.push(error);
  }
  const releasing = next.releasing.filter(({ until }) => at < until);
  if (releasing.length < next.releasing.length) {
    next = { ...next, releasing };
    errors.push(new ReleaseTimeoutError(config.releaseTimeout));
  }
  const isStale = at >= next.unshownSince + config.renewDeadline;
  if (isStale) {
    const error = new StaleWatchError(at - next.unshownSince);
    errors.push(error);
    next = { ...next, unshownSince: at, watchFailure: error };
  }
  return { state: next, errors, isStale };
}

function take(config: MembershipConfig, state: State, input: Input): Taken {
  const { at, time } = input;
  const moment = { at, time, wait: config.retryPeriod * (0.8 + 0.4 * input.random) };
  switch (input.type) {
    case 'alarm':
      return { state, errors: [] };
    case 'changes':
      return observeLeases(config, { ...state, watchFailure: undefined }, input.set, at);
    case 'watch-failed': {
      const isExpected = 'expected' in input.error && input.error.expected;
      return { state: isExpected ? state : { ...state, watchFailure: input.error }, errors: [input.error] };
    }
    case 'released':
      return { state: { ...state, releasing: state.releasing.filter(({ id }) => id !== input.id) }, errors: [] };
    case 'read':
    case 'written':
    case 'request-failed': {
      const { request } = state;
      if (request === undefined) return { state, errors: [] };
      const answered = { ...state, request: undefined };
      if (input.type === 'read') return ownRead(config, answered, request, input.lease, moment);
      if (input.type === 'written') return ownWritten(answered, request, input.lease, moment);
      return ownFailed(config, answered, request, input, moment);
    }
    default:
      return input satisfies never;
  }
}

/** What follows for the slots from who lives, and from what they claim. */
function rebalance(config: MembershipConfig, before: State, at: number): State {
  const state = { ...before, share: shareAmong(config, before) };
  const lost = without(state.owned, state.share.slots);
  const kept: State =
    lost === noSlots
      ? state
      : {
          ...state,
          owned: without(state.owned, lost),
          releasing: [...state.releasing, { id: state.nextRelease, slots: lost, until: at + config.releaseTimeout }],
          nextRelease: state.nextRelease + 1,
        };
  return isAlive(config, kept, at) ? { ...kept, owned: kept.owned | uncontested(config, kept) } : kept;
}

/** Those who follow are told of what differs from what they know, and of what went wrong. */
function tell(
  config: MembershipConfig,
  state: State,
  errors: readonly MembershipError[],
  { at, release }: { readonly at: number; readonly release: number | undefined },
): Step {
  const { told, owned } = state;
  const members = membersOf(config, state, at);
  const status = statusOf(config, state, at);
  const isKnown = members.join() === told.members.join() && owned === told.owned && isSameStatus(status, told.status);
  if (isKnown && errors.length === 0) return { state, effects: [] };
  const gained = without(owned, told.owned);
  const lost = without(told.owned, owned);
  const news = { members, owned, status, gained, lost, errors, release };
  return {
    state: { ...state, told: { members: isKnown ? told.members : members, owned, status } },
    effects: [{ type: 'tell', news }],
  };
}
