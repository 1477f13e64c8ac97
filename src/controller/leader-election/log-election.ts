import { formatMicroTime } from '../../kubernetes/object.js';
import type { LeaseError } from '../lease/lease-errors.js';
import { leaseKey, type Moment } from '../lease/lease-record.js';
import { adviceFor, afterFailure, outageFields, type Outage } from '../lease/outage.js';
import type { LogFields, LogLine } from '../logger.js';
import type { ElectionConfig } from './election-config.js';
import type { ElectionState, LeadingRole, StandbyRole } from './election-state.js';
import type { LossCause } from './leadership.js';
import type { Release } from '../lease/release.js';

/** What the log of one candidacy has said. */
export interface ElectionLog {
  /** The holder that the last line named. */
  readonly holder: string | undefined;
  /** Attempts that fail in a row. */
  readonly outage: Outage | undefined;
}

export const emptyElectionLog: ElectionLog = { holder: undefined, outage: undefined };

/** The log after a step of the protocol, and the lines to write. */
export interface LoggedElection {
  readonly log: ElectionLog;
  readonly lines: readonly LogLine[];
}

/**
 * Returns what a log says of one step: who leads, once for each change of holder; leadership that
 * was won or lost; attempts that fail, at growing intervals; and the first that succeeds again.
 * Pure.
 */
export function logElection(
  config: ElectionConfig,
  log: ElectionLog,
  [before, after]: readonly [ElectionState, ElectionState],
  now: Moment,
): LoggedElection {
  const tried = logAttempt(config, log, attemptOf(before, after), after, now.at);
  const changed = logRole(config, tried.log, before, after, now.time);
  return { log: changed.log, lines: [...tried.lines, ...changed.lines] };
}

/** Returns the fields of each line about a candidacy. */
export function electionFields({ lease, identity }: ElectionConfig): LogFields {
  return { lease: leaseKey(lease), identity };
}

/** Returns the line about a leader that its last subscriber leaves. */
export function stoppedLine(config: ElectionConfig, { since }: LeadingRole, now: Moment): LogLine {
  return info(config, 'stopped leading, because the last subscriber left', { ledFor: now.time - since });
}

/** Returns the line about what became of the lease in the end. */
export function releaseLine(config: ElectionConfig, release: Release): LogLine {
  switch (release.type) {
    case 'released':
      return info(config, 'released the lease');
    case 'kept':
      return info(config, 'kept the lease; other replicas wait until it has expired');
    case 'not-held':
      return { level: 'debug', message: 'stopped competing for the lease', fields: electionFields(config) };
    case 'failed':
      return warn(config, 'could not release the lease; other replicas wait until it has expired', {
        error: release.error,
      });
    default:
      return release satisfies never;
  }
}

type Attempt =
  | { readonly type: 'failed'; readonly error: LeaseError }
  | { readonly type: 'succeeded' }
  | { readonly type: 'under-way' };

/** How an attempt ended in this step, if one did. */
function attemptOf(before: ElectionState, { role, activity }: ElectionState): Attempt {
  if (before.activity.type === 'waiting' || activity.type !== 'waiting') return { type: 'under-way' };
  if (role.type === 'standby' && role.lost !== undefined) return { type: 'under-way' };
  return role.error === undefined ? { type: 'succeeded' } : { type: 'failed', error: role.error };
}

function logAttempt(
  config: ElectionConfig,
  log: ElectionLog,
  attempt: Attempt,
  { role }: ElectionState,
  at: number,
): LoggedElection {
  if (attempt.type === 'under-way') return { log, lines: [] };
  if (attempt.type === 'succeeded') {
    if (log.outage === undefined) return { log, lines: [] };
    const line = info(config, 'the lease can be used again', outageFields(log.outage, at));
    return { log: { ...log, outage: undefined }, lines: [line] };
  }
  const { error } = attempt;
  const { outage, isLineDue } = afterFailure(log.outage, at);
  const what = role.type === 'leading' ? 'cannot renew the lease' : 'cannot compete for the lease';
  const advice = adviceFor(error, { verbs: 'get, create and update', namespace: config.lease.namespace });
  const line = warn(config, `${what}; trying again${advice}`, { error, ...outageFields(outage, at) });
  return { log: { ...log, outage }, lines: isLineDue ? [line] : [] };
}

function logRole(
  config: ElectionConfig,
  log: ElectionLog,
  { role: before }: ElectionState,
  { role: after }: ElectionState,
  time: number,
): LoggedElection {
  if (after.type === 'leading') {
    if (before.type === 'leading') return { log, lines: [] };
    const { since, transitions } = after;
    const line = info(config, 'became leader', { since: formatMicroTime(since), transitions });
    return { log: { ...log, holder: config.identity }, lines: [line] };
  }
  const lost = before.type === 'leading' && after.lost !== undefined ? [lostLine(config, after, after.lost, time)] : [];
  const standby = logHolder(config, log, after);
  return { log: standby.log, lines: [...lost, ...standby.lines] };
}

function lostLine(
  config: ElectionConfig,
  { seen }: StandbyRole,
  { cause, ledSince }: { readonly cause: LossCause; readonly ledSince: number },
  time: number,
): LogLine {
  const holder = seen?.record.holder;
  return warn(config, 'lost leadership; competing again', { error: cause, ledFor: time - ledSince, holder });
}

/** L5: each holder is named once, and again after another one. */
function logHolder(config: ElectionConfig, log: ElectionLog, { seen }: StandbyRole): LoggedElection {
  if (seen === undefined || seen.record.holder === '') return { log, lines: [] };
  const { holder, acquireTime, transitions } = seen.record;
  if (holder === log.holder || holder === config.identity) return { log, lines: [] };
  const line = info(config, 'on standby; another replica leads', { holder, since: acquireTime, transitions });
  return { log: { ...log, holder }, lines: [line] };
}

function info(config: ElectionConfig, message: string, fields: LogFields = {}): LogLine {
  return { level: 'info', message, fields: { ...electionFields(config), ...fields } };
}

function warn(config: ElectionConfig, message: string, fields: LogFields): LogLine {
  return { level: 'warn', message, fields: { ...electionFields(config), ...fields } };
}
