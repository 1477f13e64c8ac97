import type { EventRecorder } from '../events/recorder-options.js';
import { containedHooks, warnOfHooks, writeLines, type CallHook } from '../contained.js';
import type { Moment } from '../lease/lease-record.js';
import type { Logger } from '../logger.js';
import type { ElectionConfig, LeaderElectionMetrics } from './election-config.js';
import type { ElectionState, LeadingRole } from './election-state.js';
import { electionFields, emptyElectionLog, logElection, releaseLine, stoppedLine } from './log-election.js';
import type { Release } from '../lease/release.js';

/** Where a candidacy reports to. */
export interface ElectionReports {
  readonly logger: Logger;
  readonly metrics: LeaderElectionMetrics;
  readonly recorder: Pick<EventRecorder, 'record'> | undefined;
}

/**
 * Writes what happens to a candidacy to the log, to metrics and to events. What they throw ends
 * nothing.
 */
export class ElectionJournal {
  readonly #call: CallHook;
  #log = emptyElectionLog;

  constructor(
    private readonly config: ElectionConfig,
    private readonly reports: ElectionReports,
  ) {
    this.#call = containedHooks(warnOfHooks(reports.logger, electionFields(config)));
  }

  started(): void {
    this.#leading(false);
  }

  /** Follows one step of the protocol. */
  follow(before: ElectionState, after: ElectionState, now: Moment): void {
    const { log, lines } = logElection(this.config, this.#log, [before, after], now);
    this.#log = log;
    writeLines(this.reports.logger, lines);
    if (after.role.type === before.role.type) return;
    const isLeading = after.role.type === 'leading';
    this.#leading(isLeading);
    if (after.role.type === 'leading') this.#record(after.role, 'became leader');
    if (before.role.type === 'leading') this.#record(before.role, 'stopped leading');
  }

  slowPath(): void {
    this.#call('metrics.slowPath', () => {
      this.reports.metrics.slowPath();
    });
  }

  /** The last subscriber has left. */
  stopped(role: ElectionState['role'], now: Moment): void {
    if (role.type !== 'leading') return;
    this.#leading(false);
    this.#record(role, 'stopped leading');
    writeLines(this.reports.logger, [stoppedLine(this.config, role, now)]);
  }

  released(release: Release): void {
    writeLines(this.reports.logger, [releaseLine(this.config, release)]);
  }

  #leading(isLeading: boolean): void {
    this.#call('metrics.leading', () => {
      this.reports.metrics.leading(isLeading);
    });
  }

  /**
   * As client-go's `resourcelock` does. Each of the two is a series of its own, because its action
   * differs.
   */
  #record({ lease }: LeadingRole, what: keyof typeof actions): void {
    const { name, namespace, uid } = lease.metadata;
    this.#call('recorder', () => {
      this.reports.recorder?.record(
        { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace, name, uid },
        {
          type: 'Normal',
          reason: 'LeaderElection',
          action: actions[what],
          note: `${this.config.identity} ${what}`,
        },
      );
    });
  }
}

const actions = { 'became leader': 'Leading', 'stopped leading': 'StoppedLeading' } as const;
