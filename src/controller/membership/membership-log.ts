import type { MembershipError } from '../lease/lease-errors.js';
import { adviceFor, LeaseLog, type LineText } from '../lease/lease-log.js';
import type { MembershipRelease } from '../lease/release-lease.js';
import type { LogLine } from '../logger.js';
import type { CheckedMembershipOptions } from './membership-options.js';
import { nothingPublished, type MembershipNews, type MembershipStatus, type Published } from './membership-state.js';
import { unseenClaim } from './ownership.js';
import { countSlots, noSlots, slotCount, type Slots } from './slots.js';

/** Reports members, owned slots and errors to the logger and hooks, and catches theirs. */
export class MembershipLog {
  readonly #log: LeaseLog;
  #published: Published = nothingPublished;
  #members: number | undefined;
  #owned: Slots | undefined;

  constructor(private readonly options: CheckedMembershipOptions) {
    const { logger, lease, group, identity } = options;
    this.#log = new LeaseLog(logger, { group: `${lease.namespace}/${group}`, identity });
  }

  follow(news: MembershipNews, at: number): void {
    for (const error of news.errors) this.#logError(error, news.status, at);
    if (news.status.error === undefined) this.#log.recovered('requests for the leases of the group succeed again', at);
    this.#logMembers(this.#published, news);
    this.#logSlots(this.#published, news);
    this.#published = news;
    this.#measure(news.members.length, news.owned);
    for (const { code } of news.errors) {
      if (code !== 'RXI_LEASE_REQUEST') continue;
      this.#log.call('metrics.renewalFailed', () => this.options.metrics.renewalFailed());
    }
  }

  /** Reports that the last subscriber has left. */
  stopped(): void {
    this.#measure(0, noSlots);
  }

  released(release: MembershipRelease): void {
    this.#log.released(release, releaseTexts);
  }

  #logMembers(before: Published, { members, status }: MembershipNews): void {
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

  #logSlots(before: Published, { owned, gained, lost, status }: MembershipNews): void {
    if (owned !== before.owned) {
      const slots = { owned: countSlots(owned), of: slotCount, gained: countSlots(gained), lost: countSlots(lost) };
      this.#log.write('info', 'the owned slots changed', slots);
    }
    const { reason, error } = status;
    if (owned !== noSlots || reason === undefined || reason === before.status.reason || error !== undefined) return;
    // After each start, the watch needs a moment to show the claim, so this reason is not logged.
    if (reason !== unseenClaim) this.#log.write('info', 'owns no slots yet', { reason });
  }

  #logError(error: MembershipError, status: MembershipStatus, at: number): void {
    const [level, message, isRepeated] = failureLine(error, status, this.options.lease.namespace);
    if (isRepeated) this.#log.failed(message, error, at);
    else this.#log.write(level, message, { error });
  }

  #measure(members: number, owned: Slots): void {
    const { metrics } = this.options;
    if (members !== this.#members) {
      this.#log.call('metrics.members', () => metrics.members(members));
    }
    if (owned !== this.#owned) {
      this.#log.call('metrics.ownedSlots', () => metrics.ownedSlots(countSlots(owned)));
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
function failureLine(
  error: MembershipError,
  { state }: MembershipStatus,
  namespace: string,
): readonly [level: LogLine['level'], message: string, isRepeated: boolean] {
  const verbs = 'get, list, watch, create, update and delete';
  switch (error.code) {
    case 'RXI_LEASE_REQUEST': {
      const what = state === 'joining' ? 'cannot join the group' : 'cannot renew the lease';
      return ['warn', `${what}; retrying${adviceFor(error.cause, verbs, namespace)}`, true];
    }
    case 'RXI_IDENTITY_IN_USE':
      return ['warn', 'another replica has the same identity; this one owns nothing', true];
    case 'RXI_STALE_WATCH':
      return ['warn', 'the watch of the group is stale; listing it again', true];
    case 'RXI_RENEW_DEADLINE':
      return ['warn', 'gave up all slots: the lease was not renewed in time', false];
    case 'RXI_LEASE_DELETED':
      return ['warn', 'gave up all slots: the lease was deleted', false];
    case 'RXI_RELEASE_TIMEOUT':
      return ['warn', 'handed over keys although work on them had not ended', false];
    case 'RXI_UNREADABLE_LEASE':
      return ['warn', 'a lease of the group cannot be read', false];
    default:
      if (error.expected) return ['debug', 'the watch of the group broke off', false];
      return ['warn', `cannot watch the group; retrying${adviceFor(error, verbs, namespace)}`, true];
  }
}
