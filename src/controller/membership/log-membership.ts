import { adviceFor, afterFailure, outageFields, type Outage } from '../lease/outage.js';
import type { LogFields, LogLine } from '../logger.js';
import { nothingTold, type MembershipConfig, type MembershipNews, type Told } from './protocol.js';
import type { MembershipRelease } from '../lease/release.js';
import type { MembershipError } from '../lease/lease-errors.js';
import { unseenClaim, type MembershipStatus } from './membership-status.js';
import { countOf, noSlots, slotCount } from './slots.js';

/** What the log of one membership has said. */
export interface MembershipLog {
  readonly told: Told;
  /** Failures in a row. */
  readonly outage: Outage | undefined;
}

export const emptyMembershipLog: MembershipLog = { told: nothingTold, outage: undefined };

/** The log after some news, and the lines to write. */
export interface LoggedMembership {
  readonly log: MembershipLog;
  readonly lines: readonly LogLine[];
}

/**
 * Returns what a log says of some news: that the replica joined the group, who the members are, how
 * many slots it owns, why it owns none, and what failed. Failures that last are repeated at growing
 * intervals. Pure.
 */
export function logMembership(
  config: MembershipConfig,
  log: MembershipLog,
  news: MembershipNews,
  at: number,
): LoggedMembership {
  const failed = logErrors(config, log.outage, news, at);
  return {
    log: { told: news, outage: failed.outage },
    lines: [...failed.lines, ...logChange(config, log.told, news)],
  };
}

/** Returns the line about what became of the Lease in the end. */
export function leftLine(config: MembershipConfig, release: MembershipRelease): LogLine {
  switch (release.type) {
    case 'released':
      return info(config, 'left the group; the lease was deleted');
    case 'not-held':
      return info(config, 'left the group; this replica had no lease');
    case 'failed':
      return warn(config, 'could not delete the lease; other replicas take the keys when it has expired', {
        error: release.error,
      });
    default:
      return release satisfies never;
  }
}

/** Returns the fields of each line about a membership. */
export function membershipFields({ namespace, group, identity }: MembershipConfig): LogFields {
  return { group: `${namespace}/${group}`, identity };
}

function logChange(config: MembershipConfig, before: Told, news: MembershipNews): readonly LogLine[] {
  const { members, owned, gained, lost, status } = news;
  const lines: LogLine[] = [];
  const wasMember = before.status.state !== 'joining';
  const isMember = status.state !== 'joining';
  if (isMember && !wasMember) lines.push(info(config, 'joined the group', { members }));
  else if (isMember && members.join() !== before.members.join()) {
    lines.push(
      info(config, 'the members of the group changed', {
        members,
        joined: members.filter((member) => !before.members.includes(member)),
        left: before.members.filter((member) => !members.includes(member)),
      }),
    );
  }
  if (owned !== before.owned) {
    const slots = { owned: countOf(owned), of: slotCount, gained: countOf(gained), lost: countOf(lost) };
    lines.push(info(config, 'the owned slots changed', slots));
  }
  const { reason, error } = status;
  // A claim that was not seen yet is part of each start.
  const isUsual = reason === unseenClaim;
  if (owned === noSlots && !isUsual && reason !== undefined && reason !== before.status.reason && error === undefined) {
    lines.push(info(config, 'owns no slots yet', { reason }));
  }
  return lines;
}

function logErrors(
  config: MembershipConfig,
  outage: Outage | undefined,
  { errors, status }: MembershipNews,
  at: number,
): { readonly outage: Outage | undefined; readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = [];
  let lasting = outage;
  for (const error of errors) {
    const { level, message, isRepeated } = describe(config, error, status);
    const failed = isRepeated ? afterFailure(lasting, at) : undefined;
    lasting = failed?.outage ?? lasting;
    const fields = failed === undefined ? { error } : { error, ...outageFields(failed.outage, at) };
    if (failed?.isLineDue ?? true) lines.push({ level, message, fields: { ...membershipFields(config), ...fields } });
  }
  if (lasting === undefined || status.error !== undefined) return { outage: lasting, lines };
  const over = info(config, 'the leases of the group can be used again', outageFields(lasting, at));
  return { outage: undefined, lines: [...lines, over] };
}

/**
 * How an error is logged. One that comes with each attempt is repeated at growing intervals, any
 * other each time.
 */
function describe(
  { namespace }: MembershipConfig,
  error: MembershipError,
  { state }: MembershipStatus,
): { readonly level: 'debug' | 'warn'; readonly message: string; readonly isRepeated: boolean } {
  const verbs = 'get, list, watch, create, update and delete';
  switch (error.name) {
    case 'LeaseRequestError': {
      const what = state === 'joining' ? 'cannot join the group' : 'cannot renew the lease';
      const advice = adviceFor(error.cause, { verbs, namespace });
      return { level: 'warn', message: `${what}; trying again${advice}`, isRepeated: true };
    }
    case 'IdentityInUseError':
      return {
        level: 'warn',
        message: 'another replica has the same identity; this one owns nothing',
        isRepeated: true,
      };
    case 'StaleWatchError':
      return { level: 'warn', message: 'the watch of the group is stale; listing it again', isRepeated: true };
    case 'ShardRenewDeadlineError':
      return { level: 'warn', message: 'gave up all slots: the lease was not renewed in time', isRepeated: false };
    case 'LeaseDeletedError':
      return { level: 'warn', message: 'gave up all slots: the lease was deleted', isRepeated: false };
    case 'ReleaseTimeoutError':
      return { level: 'warn', message: 'handed over keys although work on them was not over', isRepeated: false };
    case 'UnreadableLeaseError':
      return { level: 'warn', message: 'a lease of the group cannot be read', isRepeated: false };
    default: {
      if (error.expected) return { level: 'debug', message: 'the watch of the group broke off', isRepeated: false };
      const advice = adviceFor(error, { verbs, namespace });
      return { level: 'warn', message: `cannot watch the group; trying again${advice}`, isRepeated: true };
    }
  }
}

function info(config: MembershipConfig, message: string, fields: LogFields = {}): LogLine {
  return { level: 'info', message, fields: { ...membershipFields(config), ...fields } };
}

function warn(config: MembershipConfig, message: string, fields: LogFields): LogLine {
  return { level: 'warn', message, fields: { ...membershipFields(config), ...fields } };
}
