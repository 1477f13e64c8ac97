import type { Lease } from '../../kubernetes/resources/everyday.js';
import type { NewObject } from '../api/call-options.js';
import { isNotFound } from '../api/errors.js';
import { StatusError } from '../../sources/model/errors.js';
import { LeaseDeletedError, MalformedLeaseError, RenewDeadlineError, type LeaseError } from './lease-errors.js';
import {
  hasPassed,
  mostElapsed,
  observeLease,
  writtenLease,
  type LeaseClaim,
  type LeaseName,
  type LeaseObservation,
  type Moment,
} from './lease-record.js';

/*
 * How one replica holds one Lease: it reads the Lease, creates it, renews it, and takes it over
 * when it is free. `leader$` and `membership$` decide what follows from that.
 */

/** What a replica is to hold, and how. Durations are milliseconds. */
export interface HolderConfig {
  readonly lease: LeaseName;
  readonly identity: string;
  /** Of a Lease that does not say its own. */
  readonly leaseDuration: number;
  readonly renewDeadline: number;
  readonly retryPeriod: number;
  /**
   * True if several replicas compete for the Lease: then a write that succeeds proves that no other
   * replica held it meanwhile. False if the Lease is named after this replica, which proves nothing
   * about the others.
   */
  readonly isContested: boolean;
  /** Returns true if this process wrote the Lease last. */
  readonly isOurs: (lease: Lease) => boolean;
  /** Returns when the next attempt begins, in milliseconds of the scheduler. */
  readonly nextAttemptAt: (end: AttemptEnd) => number;
}

/**
 * How an attempt ended: the Lease is held and was renewed, is held and could not be renewed, or is
 * not held.
 */
export interface AttemptEnd {
  readonly result: 'renewed' | 'not-renewed' | 'not-held';
  readonly startedAt: number;
  /** When the last request of the attempt was sent. */
  readonly sentAt: number;
  readonly at: number;
  readonly random: number;
}

/** What one replica knows of one Lease, and what it is doing about it. */
export interface State {
  /** What the next write replaces; undefined if it creates the Lease. */
  readonly known: Lease | undefined;
  /** The Lease as an answer showed it last, whichever replica holds it. */
  readonly seen: LeaseObservation | undefined;
  /** True if the next request reads the Lease. */
  readonly mustRead: boolean;
  /** The attempt under way: requests that follow each other at once. */
  readonly attempt: { readonly startedAt: number; readonly hasRead: boolean } | undefined;
  /** The request under way; there is at most one. */
  readonly request: { readonly operation: 'read' | 'create' | 'update'; readonly sent: Moment } | undefined;
  readonly nextAttemptAt: number;
  /** How many requests have failed in a row. */
  readonly failures: number;
  /** Why the last attempt failed. */
  readonly error: LeaseError | undefined;
  /** When the last write that succeeded was sent; undefined while the Lease is not held. */
  readonly renewed: Moment | undefined;
}

/** What the server answered. A read returns undefined if there is no Lease. */
export type Answer =
  | { readonly type: 'read'; readonly lease: Lease | undefined }
  | { readonly type: 'written'; readonly lease: Lease }
  | { readonly type: 'failed'; readonly error: LeaseError };

/** What happens, and when; `random` is a number in [0, 1). */
export type Input = Moment & { readonly random: number } & (Answer | { readonly type: 'alarm' });

export type RequestEffect =
  | { readonly type: 'read' }
  | { readonly type: 'create'; readonly lease: NewObject<Lease> }
  | { readonly type: 'update'; readonly lease: Lease };

export type Effect =
  | RequestEffect
  /** Gives up the request under way. */
  | { readonly type: 'abort' }
  /** A renewal without a read failed, so the Lease is read (L4). */
  | { readonly type: 'slow-path' };

/** What an input meant for the Lease. */
export type Outcome =
  /** A write succeeded in time. */
  | { readonly type: 'held'; readonly lease: Lease }
  /** The Lease is not held any more: the deadline is over, or the Lease is gone. */
  | { readonly type: 'lost'; readonly cause: RenewDeadlineError | LeaseDeletedError }
  /**
   * The Lease is another replica's, or no replica's although it was held. `isInUse`: another
   * replica has written it since this one knew it.
   */
  | { readonly type: 'taken'; readonly holder: string; readonly wasHeld: boolean; readonly isInUse: boolean }
  /** A request failed, and the attempt with it. */
  | { readonly type: 'failed'; readonly operation: 'read' | 'create' | 'update'; readonly error: LeaseError };

export interface Step {
  readonly state: State;
  readonly effects: readonly Effect[];
  readonly outcomes: readonly Outcome[];
}

/** Nothing is known; the first attempt is due at once. */
export const initialHolder: State = {
  known: undefined,
  seen: undefined,
  mustRead: true,
  attempt: undefined,
  request: undefined,
  nextAttemptAt: -Infinity,
  failures: 0,
  error: undefined,
  renewed: undefined,
};

/**
 * Returns the next state, and what the input meant for the Lease. Requests are not among the
 * effects: `ask` returns the next one, once the caller knows what it is to claim. Pure.
 *
 * The deadline comes first, whatever came in.
 */
export function step(config: HolderConfig, state: State, input: Input): Step {
  const timely = heedDeadline(config, state, input);
  const { request } = timely.state;
  if (input.type === 'alarm' || request === undefined) return timely;
  const answered = take(config, { ...timely.state, request: undefined }, request, input);
  return {
    state: answered.state,
    effects: [...timely.effects, ...answered.effects],
    outcomes: [...timely.outcomes, ...answered.outcomes],
  };
}

/**
 * Returns the next request, if one is due. `isClaimNew` writes a claim that has changed at once,
 * unless the server is in trouble. Pure.
 */
export function ask(
  config: HolderConfig,
  state: State,
  { at, time }: Moment,
  claim: () => LeaseClaim,
  isClaimNew = false,
): Step {
  const { known, attempt, mustRead } = state;
  const isDue = attempt !== undefined || at >= state.nextAttemptAt;
  const isWanted = isDue || (isClaimNew && known !== undefined && state.failures === 0);
  if (state.request !== undefined || !isWanted) return unchanged(state);
  const operation = mustRead ? 'read' : known === undefined ? 'create' : 'update';
  const next: State = {
    ...state,
    attempt: attempt ?? { startedAt: at, hasRead: false },
    request: { operation, sent: { at, time } },
  };
  if (operation === 'read') return { state: next, effects: [{ type: 'read' }], outcomes: [] };
  const isRenewal = known !== undefined && config.isOurs(known);
  const lease = writtenLease(config.lease, claim(), { known, isRenewal, time });
  const write: Effect = operation === 'create' ? { type: 'create', lease } : { type: 'update', lease: lease as Lease };
  return { state: next, effects: [write], outcomes: [] };
}

/** Returns when a request or the renew deadline is due; `Infinity` if nothing is. */
export function alarmOf({ renewDeadline }: HolderConfig, state: State): number {
  const { request, attempt, nextAttemptAt, renewed } = state;
  const dueAt = attempt === undefined ? nextAttemptAt : -Infinity;
  const deadline = renewed === undefined ? Infinity : renewed.at + renewDeadline;
  return Math.min(request === undefined ? dueAt : Infinity, deadline);
}

/**
 * Returns the state in which the Lease is read at once, because another client may have written it.
 */
export function readAgain(state: State, at: number): State {
  return { ...state, mustRead: true, nextAttemptAt: Math.min(state.nextAttemptAt, at) };
}

function heedDeadline(config: HolderConfig, state: State, input: Input): Step {
  const { renewed } = state;
  if (renewed === undefined || !hasPassed(config.renewDeadline, renewed, input)) return unchanged(state);
  if (config.isContested && input.type === 'written') return unchanged(state);
  return loseByDeadline(config, state, input);
}

/** The deadline is over. A contested Lease is competed for again later, as by any other replica. */
function loseByDeadline(config: HolderConfig, state: State, input: Input): Step {
  const { lease, identity, renewDeadline } = config;
  const outcome: Outcome = {
    type: 'lost',
    cause: new RenewDeadlineError(lease, identity, renewDeadline, state.error),
  };
  const lost: State = { ...state, renewed: undefined };
  if (!config.isContested) return { state: lost, effects: [], outcomes: [outcome] };
  const waiting = ended(config, lost, input, 'not-held', state.request);
  return {
    state: { ...waiting, request: undefined, error: undefined },
    effects: [{ type: 'abort' }],
    outcomes: [outcome],
  };
}

function take(
  config: HolderConfig,
  state: State,
  request: NonNullable<State['request']>,
  input: Exclude<Input, { readonly type: 'alarm' }>,
): Step {
  switch (input.type) {
    case 'read':
      return input.lease === undefined
        ? readNone(config, state, request, input)
        : read(config, state, request, input.lease, input);
    case 'written':
      return written(config, state, request, input.lease, input);
    case 'failed':
      return failed(config, state, request, input.error, input);
    default:
      return input satisfies never;
  }
}

function readNone(config: HolderConfig, state: State, request: NonNullable<State['request']>, input: Input): Step {
  const none: State = { ...continued(state), known: undefined, mustRead: false };
  if (!config.isContested) {
    const gone: State = { ...none, seen: undefined };
    if (state.known === undefined) return unchanged(gone);
    const cause = new LeaseDeletedError(config.lease);
    return { state: { ...gone, renewed: undefined }, effects: [], outcomes: [{ type: 'lost', cause }] };
  }
  // ▲ The holder before the deletion may still lead. client-go creates the Lease at once.
  const isHeldByOther =
    state.renewed === undefined && state.seen !== undefined && !isTakeable(config, state.seen, request.sent.at);
  if (isHeldByOther) return unchanged(ended(config, { ...state, error: undefined }, input, 'not-held', request));
  return unchanged(none);
}

function read(
  config: HolderConfig,
  state: State,
  request: NonNullable<State['request']>,
  lease: Lease,
  input: Input,
): Step {
  const seen = observeLease(state.seen, lease, input.at);
  const wasHeld = state.renewed !== undefined;
  const next: State = { ...continued(state), seen, known: lease, mustRead: false };
  if (config.isOurs(lease) || (!wasHeld && isTakeable(config, seen, request.sent.at))) return unchanged(next);
  const { holder, problems } = seen.record;
  // A Lease that is found at first may be what a predecessor left when it died. One that changes is
  // in use.
  const isInUse = state.known !== undefined || (state.seen !== undefined && seen.record !== state.seen.record);
  const error = problems.length === 0 || wasHeld ? undefined : new MalformedLeaseError(config.lease, problems);
  const waiting = ended(config, { ...next, known: undefined, renewed: undefined, error }, input, 'not-held', request);
  return {
    state: { ...waiting, mustRead: true },
    effects: [],
    outcomes: [{ type: 'taken', holder, wasHeld, isInUse }],
  };
}

/**
 * The server has the Lease as this replica wrote it. It is held from when the write was sent,
 * unless the answer took so long that the deadline is over.
 */
function written(
  config: HolderConfig,
  state: State,
  request: NonNullable<State['request']>,
  lease: Lease,
  input: Input,
): Step {
  const { at } = input;
  const seen = observeLease(undefined, lease, at);
  const next: State = { ...state, known: lease, seen, mustRead: false, failures: 0, error: undefined };
  if (!hasPassed(config.renewDeadline, request.sent, input)) {
    const renewed: Moment = { at: at - mostElapsed(request.sent, input), time: request.sent.time };
    return {
      state: { ...ended(config, next, input, 'renewed', request), renewed },
      effects: [],
      outcomes: [{ type: 'held', lease }],
    };
  }
  const late: State = { ...ended(config, next, input, 'not-held', request), renewed: undefined, nextAttemptAt: at };
  if (state.renewed === undefined) return unchanged(late);
  const cause = new RenewDeadlineError(config.lease, config.identity, config.renewDeadline, state.error);
  return { state: late, effects: [], outcomes: [{ type: 'lost', cause }] };
}

/**
 * A renewal of a contested Lease that fails is followed by a read at once, because the Lease may be
 * another replica's by now (L4). For any other Lease only a conflict is, and not twice in a row.
 */
function failed(
  config: HolderConfig,
  state: State,
  request: NonNullable<State['request']>,
  error: LeaseError,
  input: Input,
): Step {
  const { isContested } = config;
  const { operation } = request;
  const isHeld = state.renewed !== undefined;
  const isTaken = error instanceof StatusError && error.statusCode === 409;
  const isConflict = isTaken || (operation === 'update' && isNotFound(error));
  const isFastPath = isHeld && operation === 'update' && state.attempt?.hasRead === false;
  const next: State = { ...state, failures: state.failures + 1 };
  if (isContested ? isFastPath : isConflict && state.failures === 0) {
    return { state: { ...next, mustRead: true }, effects: isContested ? [{ type: 'slow-path' }] : [], outcomes: [] };
  }
  // If another candidate was faster, that is not a failure: the next attempt sees which.
  const isLate = isContested && !isHeld && isTaken;
  const mustRead = !isContested && (state.mustRead || isConflict);
  const result = isHeld ? 'not-renewed' : 'not-held';
  return {
    state: ended(config, { ...next, mustRead, error: isLate ? undefined : error }, input, result, request),
    effects: [],
    outcomes: [{ type: 'failed', operation, error }],
  };
}

/** The attempt goes on with another request at once. */
function continued(state: State): State {
  return state.attempt === undefined ? state : { ...state, attempt: { ...state.attempt, hasRead: true } };
}

/**
 * The attempt is over. The holder of a contested Lease renews what it remembers; all others look
 * first (L2, L4).
 */
function ended(
  { isContested, nextAttemptAt }: HolderConfig,
  state: State,
  { at, random }: Input,
  result: AttemptEnd['result'],
  request: State['request'],
): State {
  return {
    ...state,
    attempt: undefined,
    mustRead: isContested ? result === 'not-held' : state.mustRead,
    nextAttemptAt: nextAttemptAt({
      result,
      startedAt: state.attempt?.startedAt ?? at,
      sentAt: request?.sent.at ?? at,
      at,
      random,
    }),
  };
}

/**
 * L3: a Lease may be taken if it has no holder, or is this replica's, or has said the same for its
 * duration, by the clock of this process alone.
 */
function isTakeable(
  { isOurs, leaseDuration }: HolderConfig,
  { lease, record, since }: LeaseObservation,
  at: number,
): boolean {
  return record.holder === '' || isOurs(lease) || at >= since + (record.duration ?? leaseDuration);
}

function unchanged(state: State): Step {
  return { state, effects: [], outcomes: [] };
}
