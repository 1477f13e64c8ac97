import type { Lease } from '../../kubernetes/resources/everyday.js';
import { heldBy, newLease, type Holding, observeLease, mostElapsed, type Moment } from '../lease/lease-record.js';
import { isAlreadyExists, isConflict, isNotFound } from '../api/errors.js';
import { type LeaseError, MalformedLeaseError, RenewDeadlineError, TakenOverError } from '../lease/lease-errors.js';
import { jitterFactor, type ElectionConfig } from './election-config.js';
import type {
  Activity,
  ElectionEffect,
  ElectionInput,
  ElectionState,
  ElectionStep,
  LeadingRole,
  SeenLease,
  StandbyRole,
} from './election-state.js';
import type { LossCause } from './leadership.js';

type Requesting = Extract<Activity, { readonly type: 'requesting' }>;

/** What follows from `input` in `state`: the next state, and what to do in the world. Pure. */
export function step(config: ElectionConfig, state: ElectionState, input: ElectionInput): ElectionStep {
  const { role, activity } = state;
  if (role.type === 'leading' && isOver(config, role, activity, input)) return loseByDeadline(config, role, input.at);
  switch (input.type) {
    case 'due':
      return begin(config, state, input);
    case 'answered':
      if (activity.type === 'waiting') return { state, effects: [] };
      if (activity.request === 'get') return looked(config, state, activity, input.lease, input);
      return written(config, state, activity, input.lease, input);
    case 'failed':
      if (activity.type === 'waiting') return { state, effects: [] };
      return failed(config, state, activity, input.error, input);
    case 'expired':
      if (role.type === 'leading' || role.seen === undefined) return { state, effects: [] };
      return { state: { role: { ...role, seen: { ...role.seen, isExpired: true } }, activity }, effects: [] };
    case 'deadline':
      return { state, effects: [] };
    default:
      return input satisfies never;
  }
}

/**
 * The deadline is over when the timer, elapsed time or the time of day says so, whichever is
 * earliest: a clock that was set back must
 * not lengthen leadership, and a timer that stood still while the machine slept must not either. A
 * write that succeeded all the same
 * proves that no other replica led.
 */
function isOver(config: ElectionConfig, role: LeadingRole, activity: Activity, input: ElectionInput): boolean {
  if (input.type === 'deadline') return true;
  const isWritten = input.type === 'answered' && activity.type === 'requesting' && activity.request !== 'get';
  return !isWritten && mostElapsed(role.renewed, input) >= config.renewDeadline;
}

/** L4: the leader renews what it remembers; everybody else looks first. */
function begin(config: ElectionConfig, state: ElectionState, now: Moment): ElectionStep {
  const { role } = state;
  if (role.type === 'leading') {
    return {
      state: { role, activity: { type: 'requesting', request: 'renew', attemptedAt: now.at, sent: momentOf(now) } },
      effects: [{ type: 'update', lease: heldBy(role.lease, holding(config, now.time)) }],
    };
  }
  return get(state, now.at, now);
}

function looked(
  config: ElectionConfig,
  state: ElectionState,
  { attemptedAt }: Requesting,
  lease: Lease,
  now: Moment,
): ElectionStep {
  const { at } = now;
  const { role } = state;
  const seen = see(role.type === 'standby' ? role.seen : undefined, lease, at);
  const { holder, problems } = seen.record;
  const update: ElectionEffect = { type: 'update', lease: heldBy(lease, holding(config, now.time)) };
  const updating: Activity = { type: 'requesting', request: 'update', attemptedAt, sent: momentOf(now) };
  if (role.type === 'leading') {
    if (holder === config.identity) return { state: { role, activity: updating }, effects: [update] };
    return lose(config, role, new TakenOverError(config.lease, config.identity, holder || undefined), seen);
  }
  const alarm = seen.since === at ? [expiryAlarm(config, seen)] : [];
  if (isTakeable(config, seen)) {
    return { state: { role: { ...role, seen }, activity: updating }, effects: [...alarm, update] };
  }
  const error = problems.length === 0 ? undefined : new MalformedLeaseError(config.lease, problems);
  return stayStandby(config, { ...role, seen }, error, alarm);
}

/** The server has the lease as this replica wrote it: it leads, unless the answer took so long that the deadline is over. */
function written(
  config: ElectionConfig,
  { role }: ElectionState,
  { sent }: Requesting,
  lease: Lease,
  now: Moment,
): ElectionStep {
  const left = config.renewDeadline - mostElapsed(sent, now);
  const seen = see(undefined, lease, now.at);
  if (left <= 0) {
    const again: ElectionEffect = { type: 'attempt-after', wait: 0, jitter: 0 };
    if (role.type === 'standby') return stayStandby(config, { ...role, seen }, undefined, [], again);
    return lose(config, role, deadlineError(config, role), seen, again);
  }
  const leading: LeadingRole = {
    type: 'leading',
    lease,
    since: role.type === 'leading' ? role.since : now.time,
    transitions: seen.record.transitions,
    renewed: sent,
    error: undefined,
  };
  return {
    state: { role: leading, activity: { type: 'waiting' } },
    effects: [
      { type: 'set-alarm', alarm: 'expired', wait: undefined },
      { type: 'set-alarm', alarm: 'deadline', wait: left },
      { type: 'attempt-after', wait: config.retryPeriod, jitter: 0 },
    ],
  };
}

function failed(
  config: ElectionConfig,
  state: ElectionState,
  { request, attemptedAt }: Requesting,
  error: LeaseError,
  now: Moment,
): ElectionStep {
  const { role } = state;
  if (request === 'renew') {
    const slow = get(state, attemptedAt, now);
    return { ...slow, effects: [{ type: 'slow-path' }, ...slow.effects] };
  }
  if (request === 'get' && isNotFound(error)) {
    // ▲ Whoever held the lease before it was deleted may still lead: client-go creates it at once.
    const isHeld = role.type === 'standby' && role.seen !== undefined && !isTakeable(config, role.seen);
    return isHeld ? stayStandby(config, role, undefined) : create(config, state, attemptedAt, now);
  }
  // Another candidate was faster: that is no failure, and the next attempt sees who.
  const isLate = isConflict(error) || isAlreadyExists(error);
  if (role.type === 'standby') return stayStandby(config, role, isLate ? undefined : error);
  const wait = Math.max(0, attemptedAt + config.retryPeriod - now.at);
  return {
    state: { role: { ...role, error }, activity: { type: 'waiting' } },
    effects: [{ type: 'attempt-after', wait, jitter: 0 }],
  };
}

function get({ role }: ElectionState, attemptedAt: number, now: Moment): ElectionStep {
  const activity: Activity = { type: 'requesting', request: 'get', attemptedAt, sent: momentOf(now) };
  return { state: { role, activity }, effects: [{ type: 'get' }] };
}

function create(config: ElectionConfig, { role }: ElectionState, attemptedAt: number, now: Moment): ElectionStep {
  const activity: Activity = { type: 'requesting', request: 'create', attemptedAt, sent: momentOf(now) };
  const lease = newLease(config.lease, holding(config, now.time));
  return { state: { role, activity }, effects: [{ type: 'create', lease }] };
}

function stayStandby(
  { retryPeriod }: ElectionConfig,
  role: StandbyRole,
  error: LeaseError | undefined,
  effects: readonly ElectionEffect[] = [],
  again: ElectionEffect = { type: 'attempt-after', wait: retryPeriod, jitter: jitterFactor },
): ElectionStep {
  return {
    state: { role: { ...role, error, lost: undefined }, activity: { type: 'waiting' } },
    effects: [...effects, again],
  };
}

function loseByDeadline(config: ElectionConfig, role: LeadingRole, at: number): ElectionStep {
  return lose(config, role, deadlineError(config, role), see(undefined, role.lease, at));
}

/** ▲ client-go's `Run` ends here; this replica competes again. */
function lose(
  config: ElectionConfig,
  role: LeadingRole,
  cause: LossCause,
  seen: SeenLease,
  again: ElectionEffect = { type: 'attempt-after', wait: config.retryPeriod, jitter: jitterFactor },
): ElectionStep {
  return {
    state: {
      role: { type: 'standby', seen, error: undefined, lost: { cause, ledSince: role.since } },
      activity: { type: 'waiting' },
    },
    effects: [
      { type: 'abort' },
      { type: 'set-alarm', alarm: 'deadline', wait: undefined },
      expiryAlarm(config, seen),
      again,
    ],
  };
}

function deadlineError({ lease, identity, renewDeadline }: ElectionConfig, { error }: LeadingRole): RenewDeadlineError {
  return new RenewDeadlineError(lease, identity, renewDeadline, error);
}

function see(previous: SeenLease | undefined, lease: Lease, at: number): SeenLease {
  const observation = observeLease(previous, lease, at);
  const isSame = observation.record === previous?.record;
  return { ...observation, isExpired: isSame && previous.isExpired };
}

/** L3: measured by a timer that began when the record was seen, never by anybody's clock. */
function expiryAlarm({ leaseDuration }: ElectionConfig, { record }: SeenLease): ElectionEffect {
  return { type: 'set-alarm', alarm: 'expired', wait: record.duration ?? leaseDuration };
}

function isTakeable({ identity }: ElectionConfig, { record, isExpired }: SeenLease): boolean {
  return record.holder === '' || record.holder === identity || isExpired;
}

function momentOf({ at, time }: Moment): Moment {
  return { at, time };
}

function holding({ identity, leaseDuration }: ElectionConfig, now: number): Holding {
  return { identity, duration: leaseDuration, now };
}
