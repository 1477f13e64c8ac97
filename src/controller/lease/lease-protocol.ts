import { type RxInformersError } from '../../kubernetes/errors.js';
import type { Lease } from '../../kubernetes/resources/everyday.js';
import type { NewObject } from '../../requests/resource-client/call-options.js';
import { isNotFound } from '../../requests/resource-client/errors.js';
import { StatusError } from '../../sources/model/errors.js';
import { type LeaseError, renewDeadlineError, leaseDeletedError, malformedLeaseError } from './lease-errors.js';
import {
  hasPassed,
  maxElapsed,
  observeLease,
  writtenLease,
  type LeaseClaim,
  type LeaseName,
  type LeaseObservation,
  type ClockTimes,
} from './lease-record.js';

/*
 * The protocol by which one replica holds one Lease: it reads, creates and renews it, and takes it
 * over when it is free. `leader$` and `membership$` decide what holding it means.
 */

/** The Lease that a replica competes for, and its timing. Durations are milliseconds. */
export interface HolderConfig {
  readonly lease: LeaseName;
  readonly identity: string;
  /** The duration that is assumed for a Lease without a duration. */
  readonly leaseDuration: number;
  readonly renewDeadline: number;
  readonly retryPeriod: number;
  /**
   * True if replicas compete for the Lease: then a successful write proves that no other held it
   * meanwhile. False if it is named after this replica: then it proves nothing about others.
   */
  readonly isContested: boolean;
  /** Returns true if this process wrote the Lease last. */
  readonly isOurs: (lease: Lease) => boolean;
  /** Returns when the next attempt begins, in milliseconds of the scheduler. */
  readonly nextAttemptAt: (end: AttemptEnd) => number;
}

/** `renewed`: held and renewed; `not-renewed`: held, the renewal failed; `not-held`: not held. */
export interface AttemptEnd {
  readonly result: 'renewed' | 'not-renewed' | 'not-held';
  readonly startedAt: number;
  /** When the last request of the attempt was sent. */
  readonly sentAt: number;
  readonly at: number;
  readonly random: number;
}

/** What one replica knows about one Lease, and the request that is under way. */
export interface State {
  /** The Lease that the next write replaces. Undefined if the next write creates the Lease. */
  readonly known: Lease | undefined;
  /** The Lease in the last response of the server. Its holder may be any replica. */
  readonly seen: LeaseObservation | undefined;
  /** True if the next request reads the Lease. */
  readonly mustRead: boolean;
  /** The attempt under way: one or more requests, each after the response to the previous one. */
  readonly attempt: { readonly startedAt: number; readonly hasRead: boolean } | undefined;
  /** The request under way; there is at most one. */
  readonly request: { readonly operation: 'read' | 'create' | 'update'; readonly sent: ClockTimes } | undefined;
  readonly nextAttemptAt: number;
  /** How many requests have failed in a row. */
  readonly failures: number;
  /** Why the last attempt failed. */
  readonly error: LeaseError | undefined;
  /** When the last write that succeeded was sent; undefined while the Lease is not held. */
  readonly renewed: ClockTimes | undefined;
}

/** The response of the server. A read returns `undefined` if there is no Lease. */
export type LeaseAnswer =
  | { readonly type: 'read'; readonly lease: Lease | undefined }
  | { readonly type: 'written'; readonly lease: Lease }
  | { readonly type: 'failed'; readonly error: LeaseError };

/** The inputs, with their time; `random` is a number in [0, 1). */
export type Input = ClockTimes & { readonly random: number } & (LeaseAnswer | { readonly type: 'alarm' });

export type RequestEffect =
  | { readonly type: 'read' }
  | { readonly type: 'create'; readonly lease: NewObject<Lease> }
  | { readonly type: 'update'; readonly lease: Lease };

export type Effect =
  | RequestEffect
  | { readonly type: 'abort' }
  /** A renewal without a read failed, so the Lease is read next (L4). */
  | { readonly type: 'slow-path' };

export type Outcome =
  /** A write succeeded in time. */
  | { readonly type: 'held'; readonly lease: Lease }
  /** The Lease is no longer held: the deadline has passed, or the Lease is gone. */
  | {
      readonly type: 'lost';
      readonly cause: RxInformersError<'RXI_RENEW_DEADLINE'> | RxInformersError<'RXI_LEASE_DELETED'>;
    }
  /**
   * The Lease names another replica, or this replica held the Lease and it now names no replica.
   * `isInUse` is true if another replica has written the Lease since this replica first read it.
   */
  | { readonly type: 'taken'; readonly holder: string; readonly wasOwn: boolean; readonly isInUse: boolean }
  /** A request failed, and the attempt has ended. */
  | { readonly type: 'failed'; readonly operation: 'read' | 'create' | 'update'; readonly error: LeaseError };

export interface Step {
  readonly state: State;
  readonly effects: readonly Effect[];
  readonly outcomes: readonly Outcome[];
}

/** The initial state. Nothing is known yet, and the first attempt is due at once. */
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
 * Returns the next state, and the outcomes of the input. Checks the renew deadline first. No
 * requests: the caller decides what to claim, then calls `ask`. Pure.
 */
export function step(config: HolderConfig, state: State, input: Input): Step {
  const timely = loseAtDeadline(config, state, input);
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
 * Returns the next request, if one is due. A new claim (`isClaimNew`) is written at once; after a
 * failed request, with the next attempt. Pure.
 */
export function ask(
  config: HolderConfig,
  state: State,
  { at, time }: ClockTimes,
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

/** Returns when the next request or the renew deadline is due; `Infinity` if neither is. */
export function leaseAlarm({ renewDeadline }: HolderConfig, state: State): number {
  const { request, attempt, nextAttemptAt, renewed } = state;
  const dueAt = attempt === undefined ? nextAttemptAt : -Infinity;
  const deadline = renewed === undefined ? Infinity : renewed.at + renewDeadline;
  return Math.min(request === undefined ? dueAt : Infinity, deadline);
}

/** Reads the Lease at once, because another client may have written it. */
export function readAgain(state: State, at: number): State {
  return { ...state, mustRead: true, nextAttemptAt: Math.min(state.nextAttemptAt, at) };
}

function loseAtDeadline(config: HolderConfig, state: State, input: Input): Step {
  const { renewed } = state;
  if (renewed === undefined || !hasPassed(config.renewDeadline, renewed, input)) return unchanged(state);
  if (config.isContested && input.type === 'written') return unchanged(state);
  return loseByDeadline(config, state, input);
}

/**
 * Handles a renew deadline that has passed: the Lease is no longer held. If it is contested, the
 * request under way is aborted, and this replica competes again later.
 */
function loseByDeadline(config: HolderConfig, state: State, input: Input): Step {
  const { lease, identity, renewDeadline } = config;
  const outcome: Outcome = {
    type: 'lost',
    cause: renewDeadlineError(lease, identity, renewDeadline, state.error),
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
    const cause = leaseDeletedError(config.lease);
    return { state: { ...gone, renewed: undefined }, effects: [], outcomes: [{ type: 'lost', cause }] };
  }
  // ▲ The holder of the deleted Lease may still lead, so this replica waits. client-go creates the
  // Lease at once.
  const isInUseByOther =
    state.renewed === undefined && state.seen !== undefined && !isTakeable(config, state.seen, request.sent.at);
  if (isInUseByOther) return unchanged(ended(config, { ...state, error: undefined }, input, 'not-held', request));
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
  const wasOwn = state.renewed !== undefined;
  const next: State = { ...continued(state), seen, known: lease, mustRead: false };
  if (config.isOurs(lease) || (!wasOwn && isTakeable(config, seen, request.sent.at))) return unchanged(next);
  const { holder, problems } = seen.record;
  // A Lease that the first read returns may be left over from a process that died. If it changes
  // later, it is in use.
  const isInUse = state.known !== undefined || (state.seen !== undefined && seen.record !== state.seen.record);
  const error = problems.length === 0 || wasOwn ? undefined : malformedLeaseError(config.lease, problems);
  const waiting = ended(config, { ...next, known: undefined, renewed: undefined, error }, input, 'not-held', request);
  return {
    state: { ...waiting, mustRead: true },
    effects: [],
    outcomes: [{ type: 'taken', holder, wasOwn, isInUse }],
  };
}

/**
 * Handles a successful write. The Lease counts as held from the time at which the write was sent.
 * If the response came after the renew deadline, the Lease is not held.
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
    const renewed: ClockTimes = { at: at - maxElapsed(request.sent, input), time: request.sent.time };
    return {
      state: { ...ended(config, next, input, 'renewed', request), renewed },
      effects: [],
      outcomes: [{ type: 'held', lease }],
    };
  }
  const late: State = { ...ended(config, next, input, 'not-held', request), renewed: undefined, nextAttemptAt: at };
  if (state.renewed === undefined) return unchanged(late);
  const cause = renewDeadlineError(config.lease, config.identity, config.renewDeadline, state.error);
  return { state: late, effects: [], outcomes: [{ type: 'lost', cause }] };
}

/**
 * Handles a failed request. A contested Lease is read at once, because another replica may hold it
 * by now (L4); any other only after a conflict, unless the previous request failed, too.
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
  const isOwn = state.renewed !== undefined;
  const isTaken = error instanceof StatusError && error.statusCode === 409;
  const isConflict = isTaken || (operation === 'update' && isNotFound(error));
  const isFastPath = isOwn && operation === 'update' && state.attempt?.hasRead === false;
  const next: State = { ...state, failures: state.failures + 1 };
  if (isContested ? isFastPath : isConflict && state.failures === 0) {
    return { state: { ...next, mustRead: true }, effects: isContested ? [{ type: 'slow-path' }] : [], outcomes: [] };
  }
  // A conflict means that another candidate was faster: no error; the next attempt reads it.
  const isLate = isContested && !isOwn && isTaken;
  const mustRead = !isContested && (state.mustRead || isConflict);
  const result = isOwn ? 'not-renewed' : 'not-held';
  return {
    state: ended(config, { ...next, mustRead, error: isLate ? undefined : error }, input, result, request),
    effects: [],
    outcomes: [{ type: 'failed', operation, error }],
  };
}

/** Returns the state after a read, if the attempt continues with another request. */
function continued(state: State): State {
  return state.attempt === undefined ? state : { ...state, attempt: { ...state.attempt, hasRead: true } };
}

/**
 * Returns the state after an attempt. Only the holder of a contested Lease writes next without a
 * read; others read first (L2, L4), as does a holder that could not re-create its deleted Lease.
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
    mustRead: isContested ? result === 'not-held' || state.known === undefined : state.mustRead,
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
 * True if the Lease has no holder, was last written by this process, or has not changed for the
 * duration it states (else the duration of this replica), by this process's clock (L3).
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
