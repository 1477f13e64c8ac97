import type { MembershipRelease } from '../lease/lease-client.js';
import type { MembershipError } from '../lease/lease-errors.js';
import { adviceFor, LeaseLog, type LineText } from '../lease/lease-log.js';
import type { LogLine } from '../logger.js';
import { countOf, noSlots, slotCount, type Slots } from './claim.js';
import type { CheckedMembershipOptions } from './membership-options.js';
import { nothingTold, type MembershipNews, type MembershipStatus, type Told } from './membership-state.js';
import { unseenClaim } from './ownership.js';

/**
 * Reports to the logger and the metrics hooks: joining, members, owned slots, why there are none,
 * errors. Errors of both are caught.
 */
export class MembershipLog {
  readonly #log: LeaseLog;
  #told: Told = nothingTold;
  #members: number | undefined;
  #owned: Slots | undefined;

  constructor(private readonly options: CheckedMembershipOptions) {
    const { logger, lease, group, identity } = options;
    this.#log = new LeaseLog(logger, { group: `${lease.namespace}/${group}`, identity });
  }

  follow(news: MembershipNews, at: number): void {
    for (const error of news.errors) this.#logError(error, news.status, at);
    if (news.status.error === undefined) this.#log.recovered('requests for the leases of the group succeed again', at);
    this.#logMembers(this.#told, news);
    this.#logSlots(this.#told, news);
    this.#told = news;
    this.#measure(news.members.length, news.owned);
    for (const { name } of news.errors) {
      if (name !== 'LeaseRequestError') continue;
      this.#log.call('metrics.renewalFailed', () => {
        this.options.metrics.renewalFailed();
      });
    }
  }

  /** Reports that the last subscriber has left. */
  stopped(): void {
    this.#measure(0, noSlots);
  }

  released(release: MembershipRelease): void {
    this.#log.released(release, releaseTexts);
  }

  #logMembers(before: Told, { members, status }: MembershipNews): void {
    if (status.state === 'joining') return;
    if (before.status.state === 'joining') {
      this.#log.write('info', 'joined the group', { members });
    } else if (members.join() !== before.members.join()) {
      this.#log.write('info', 'the members of the group changed', {
        members,
        joined: members.filter((member) => !before.members.includes(member)),
        left: before.members.filter((member) => !members.includes(member)),
      });
    }
  }

  #logSlots(before: Told, { owned, gained, lost, status }: MembershipNews): void {
    if (owned !== before.owned) {
      const slots = { owned: countOf(owned), of: slotCount, gained: countOf(gained), lost: countOf(lost) };
      this.#log.write('info', 'the owned slots changed', slots);
    }
    const { reason, error } = status;
    if (owned !== noSlots || reason === undefined || reason === before.status.reason || error !== undefined) return;
    // After each start, the watch needs a moment to show the claim, so this reason is not logged.
    if (reason !== unseenClaim) this.#log.write('info', 'owns no slots yet', { reason });
  }

  #logError(error: MembershipError, status: MembershipStatus, at: number): void {
    const [level, message, isRepeated] = describe(error, status, this.options.lease.namespace);
    if (isRepeated) this.#log.failed(message, error, at);
    else this.#log.write(level, message, { error });
  }

  #measure(members: number, owned: Slots): void {
    const { metrics } = this.options;
    if (members !== this.#members) {
      this.#log.call('metrics.members', () => {
        metrics.members(members);
      });
    }
    if (owned !== this.#owned) {
      this.#log.call('metrics.ownedSlots', () => {
        metrics.ownedSlots(countOf(owned));
      });
    }
    this.#members = members;
    this.#owned = owned;
  }
}

const releaseTexts: Readonly<Record<MembershipRelease['type'] | 'kept', LineText>> = {
  released: ['info', 'left the group; the lease was deleted'],
  kept: ['info', 'left the group; the lease was kept'],
  'not-held': ['info', 'left the group; this replica had no lease'],
  failed: ['warn', 'could not delete the lease; other replicas take the keys when it has expired'],
};

/** Logs errors that may occur with each attempt at growing intervals, all others each time. */
function describe(
  error: MembershipError,
  { state }: MembershipStatus,
  namespace: string,
): readonly [level: LogLine['level'], message: string, isRepeated: boolean] {
  const verbs = 'get, list, watch, create, update and delete';
  switch (error.name) {
    case 'LeaseRequestError': {
      const what = state === 'joining' ? 'cannot join the group' : 'cannot renew the lease';
      return ['warn', `${what}; retrying${adviceFor(error.cause, verbs, namespace)}`, true];
    }
    case 'IdentityInUseError':
      return ['warn', 'another replica has the same identity; this one owns nothing', true];
    case 'StaleWatchError':
      return ['warn', 'the watch of the group is stale; listing it again', true];
    case 'RenewDeadlineError':
      return ['warn', 'gave up all slots: the lease was not renewed in time', false];
    case 'LeaseDeletedError':
      return ['warn', 'gave up all slots: the lease was deleted', false];
    case 'ReleaseTimeoutError':
      return ['warn', 'handed over keys although work on them had not ended', false];
    case 'UnreadableLeaseError':
      return ['warn', 'a lease of the group cannot be read', false];
    default:
      if (error.expected) return ['debug', 'the watch of the group broke off', false];
      return ['warn', `cannot watch the group; retrying${adviceFor(error, verbs, namespace)}`, true];
  }
}
