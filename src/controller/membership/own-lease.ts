import type { Lease } from '../../kubernetes/resources/everyday.js';
import { giveUp, leaseKey, type MembershipConfig, type State, type OwnRequest, type Taken } from './protocol.js';
import { mostElapsed, type Moment } from '../lease/lease-record.js';
import { IdentityInUseError, LeaseDeletedError, LeaseRequestError } from '../lease/lease-errors.js';
import { readMemberLease } from './claim.js';

/** What is known of the moment at which an answer came. */
interface AnswerMoment extends Moment {
  /** Milliseconds until the next try, or the next renewal. */
  readonly wait: number;
}

/** A write succeeded: the replica lives from when it was sent. */
export function ownWritten(state: State, request: OwnRequest, lease: Lease, now: AnswerMoment): Taken {
  const { at, wait } = now;
  const isAlive = state.renewedAt > -Infinity;
  const isShown = state.shown !== undefined && state.shown.sequence >= request.sequence;
  return {
    state: {
      ...state,
      known: lease,
      usurper: undefined,
      mustRead: false,
      failures: 0,
      requestFailure: undefined,
      renewedAt: at - mostElapsed({ at: request.sentAt, time: request.sentTime }, now),
      renewedTime: request.sentTime,
      renewedSequence: request.sequence,
      claimedFrom: isAlive ? state.claimedFrom : Math.max(state.claimedFrom, request.sequence),
      nextRequestAt: request.sentAt + wait,
      unshownSince: isShown ? Infinity : Math.min(state.unshownSince, at),
    },
    errors: [],
  };
}

/** Its Lease as it is now, which tells what to do: create it, update it, or wait for whoever holds it. */
export function ownRead(
  config: MembershipConfig,
  state: State,
  request: OwnRequest,
  lease: Lease | undefined,
  moment: AnswerMoment,
): Taken {
  const wasOurs = state.known !== undefined;
  const readNow = { ...state, mustRead: false, usurper: undefined, known: lease, nextRequestAt: moment.at };
  if (lease === undefined) {
    if (!wasOurs) return { state: readNow, errors: [] };
    const error = new LeaseDeletedError(leaseKey(config));
    return { state: { ...giveUp(readNow), requestFailure: error }, errors: [error] };
  }
  const { claim, record, identity, duration = config.leaseDuration } = readMemberLease(lease);
  if (claim?.incarnation === config.incarnation) return { state: readNow, errors: [] };

  const before = state.usurper;
  const isSame = before?.record === record;
  const observedAt = isSame ? before.observedAt : moment.at;
  const hasExpired = isSame && request.sentAt >= observedAt + duration;
  if (identity === '' || hasExpired) return { state: readNow, errors: [] };

  // One that is found at first may be what a predecessor left when it died; one that changes is alive.
  const isInUse = wasOurs || (before !== undefined && !isSame);
  const error = isInUse ? new IdentityInUseError(config.identity, leaseKey(config)) : undefined;
  const waiting: State = {
    ...giveUp(state),
    requestFailure: error ?? (state.requestFailure instanceof IdentityInUseError ? state.requestFailure : undefined),
    known: undefined,
    mustRead: true,
    usurper: { record, observedAt, duration },
    nextRequestAt: moment.at + moment.wait,
  };
  return { state: waiting, errors: error === undefined ? [] : [error] };
}

/** A conflict is looked into at once, but not twice; anything else is tried again after the wait. */
export function ownFailed(
  config: MembershipConfig,
  state: State,
  { operation }: OwnRequest,
  failure: { readonly code: number | undefined; readonly cause: unknown },
  { at, wait }: AnswerMoment,
): Taken {
  const isConflict = failure.code === 409 || (failure.code === 404 && operation === 'update');
  const isExpected = isConflict && state.failures === 0;
  const failed: State = {
    ...state,
    failures: state.failures + 1,
    mustRead: state.mustRead || isConflict,
    nextRequestAt: isExpected ? at : at + wait,
  };
  if (isExpected) return { state: failed, errors: [] };
  const error = new LeaseRequestError(leaseKey(config), operation, failure.cause);
  return { state: { ...failed, requestFailure: error }, errors: [error] };
}
