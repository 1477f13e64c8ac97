import { containedHooks, warnOfHooks, writeLines, type CallHook } from '../contained.js';
import type { MembershipRelease } from '../lease/release.js';
import type { Logger } from '../logger.js';
import { emptyMembershipLog, leftLine, logMembership, membershipFields } from './log-membership.js';
import type { MembershipConfig, MembershipNews } from './protocol.js';
import type { MembershipMetrics } from './membership-options.js';
import { countOf, noSlots, type Slots } from './slots.js';

/** Writes what happens to a membership to the log and to metrics. What they throw ends nothing. */
export class MembershipJournal {
  readonly #call: CallHook;
  readonly #logger: Logger;
  readonly #metrics: MembershipMetrics;
  #log = emptyMembershipLog;
  #members: number | undefined;
  #owned: Slots | undefined;

  constructor(
    private readonly config: MembershipConfig,
    { logger, metrics }: { readonly logger: Logger; readonly metrics: MembershipMetrics },
  ) {
    this.#logger = logger;
    this.#metrics = metrics;
    this.#call = containedHooks(warnOfHooks(logger, membershipFields(config)));
  }

  follow(news: MembershipNews, at: number): void {
    const { log, lines } = logMembership(this.config, this.#log, news, at);
    this.#log = log;
    writeLines(this.#logger, lines);
    this.#measure(news.members.length, news.owned);
    for (const { name } of news.errors) {
      if (name !== 'LeaseRequestError') continue;
      this.#call('metrics.renewalFailed', () => {
        this.#metrics.renewalFailed();
      });
    }
  }

  /** The last subscriber has left. */
  stopped(): void {
    this.#measure(0, noSlots);
  }

  released(release: MembershipRelease): void {
    writeLines(this.#logger, [leftLine(this.config, release)]);
  }

  #measure(members: number, owned: Slots): void {
    if (members !== this.#members) {
      this.#call('metrics.members', () => {
        this.#metrics.members(members);
      });
    }
    if (owned !== this.#owned) {
      this.#call('metrics.ownedSlots', () => {
        this.#metrics.ownedSlots(countOf(owned));
      });
    }
    this.#members = members;
    this.#owned = owned;
  }
}
