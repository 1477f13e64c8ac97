import { formatMicroTime } from '../../kubernetes/object.js';
import { adviceFor, LeaseLog, type LineText } from '../lease/lease-log.js';
import { leaseKey, type ClockTimes } from '../lease/lease-record.js';
import type { LeaseRelease } from '../lease/release-lease.js';
import type { CheckedLeaderOptions } from './leader-options.js';
import { hasAttemptEnded, type CurrentLeadership, type State } from './leadership.js';

export type ElectionReports = Pick<CheckedLeaderOptions, 'lease' | 'identity' | 'logger' | 'metrics' | 'recorder'>;

/**
 * Reports one candidate to logger, metrics hooks and event recorder, and catches errors of the
 * first two. Logs each new holder once, leadership won or lost, failed attempts at growing
 * intervals, and the first success after them.
 */
export class ElectionLog {
  readonly #log: LeaseLog;
  /** The holder that was logged last. */
  #holder: string | undefined;

  constructor(private readonly reports: ElectionReports) {
    const { logger, lease, identity } = reports;
    this.#log = new LeaseLog(logger, { lease: leaseKey(lease), identity });
  }

  started(): void {
    this.#measure(false);
  }

  /** Reports what has changed in one step of the protocol. */
  follow(before: State, after: State, now: ClockTimes): void {
    this.#logAttempt(before, after, now.at);
    this.#logLeadership(before, after, now.time);
    if ((after.leading === undefined) === (before.leading === undefined)) return;
    this.#measure(after.leading !== undefined);
    if (after.leading !== undefined) this.#record(after.leading, 'became leader');
    if (before.leading !== undefined) this.#record(before.leading, 'stopped leading');
  }

  slowPath(): void {
    this.#log.call('metrics.slowPath', () => this.reports.metrics.slowPath());
  }

  /** Reports that the last subscriber has left. */
  stopped({ leading }: State, now: ClockTimes): void {
    if (leading === undefined) return;
    this.#measure(false);
    this.#record(leading, 'stopped leading');
    const ledFor = now.time - leading.since;
    this.#log.write('info', 'stopped leading, because the last subscriber left', { ledFor });
  }

  released(release: LeaseRelease): void {
    this.#log.released(release, releaseTexts);
  }

  #logAttempt(before: State, after: State, at: number): void {
    if (!hasAttemptEnded(before.holder, after.holder) || after.lost !== undefined) return;
    const { error } = after.holder;
    if (error === undefined) {
      this.#log.recovered('requests for the lease succeed again', at);
      return;
    }
    const what = after.leading === undefined ? 'cannot compete for the lease' : 'cannot renew the lease';
    const advice = adviceFor(error, 'get, create and update', this.reports.lease.namespace);
    this.#log.failed(`${what}; retrying${advice}`, error, at);
  }

  #logLeadership(before: State, { holder, leading, lost }: State, time: number): void {
    if (leading !== undefined) {
      if (before.leading !== undefined) return;
      const { since, transitions } = leading;
      this.#log.write('info', 'became leader', { since: formatMicroTime(since), transitions });
      this.#holder = this.reports.identity;
      return;
    }
    const record = holder.seen?.record;
    if (before.leading !== undefined && lost !== undefined) {
      const fields = { error: lost.cause, ledFor: time - lost.ledSince, holder: record?.holder };
      this.#log.write('warn', 'lost leadership; competing again', fields);
    }
    // Log a holder only if it differs from the holder that was logged last (L5).
    if (record === undefined || ['', this.#holder, this.reports.identity].includes(record.holder)) return;
    const { holder: name, acquireTime, transitions } = record;
    this.#holder = name;
    const fields = { holder: name, since: acquireTime, transitions };
    this.#log.write('info', 'on standby; another replica leads', fields);
  }

  #measure(isLeading: boolean): void {
    this.#log.call('metrics.leading', () => this.reports.metrics.leading(isLeading));
  }

  /** Records an event, as client-go's `resourcelock` does; each action is a series of its own. */
  #record({ lease }: CurrentLeadership, what: keyof typeof actions): void {
    const { name, namespace, uid } = lease.metadata;
    this.#log.call('recorder', () => {
      this.reports.recorder?.record(
        { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace, name, uid },
        {
          type: 'Normal',
          reason: 'LeaderElection',
          action: actions[what],
          note: `${this.reports.identity} ${what}`,
        },
      );
    });
  }
}

const actions = { 'became leader': 'Leading', 'stopped leading': 'StoppedLeading' } as const;

const releaseTexts: Readonly<Record<LeaseRelease['type'], LineText>> = {
  released: ['info', 'released the lease'],
  kept: ['info', 'kept the lease; other replicas wait until it has expired'],
  'not-held': ['debug', 'stopped competing for the lease'],
  failed: ['warn', 'could not release the lease; other replicas wait until it has expired'],
};
