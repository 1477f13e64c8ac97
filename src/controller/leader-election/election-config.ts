import type { SchedulerLike } from 'rxjs';
import { steady, checkedDuration } from '../../time/clock.js';
import { containedHooks, containedRandom, warnOfHooks } from '../contained.js';
import { leaseKey, type LeaseName } from '../lease/lease-record.js';
import type { EventRecorder } from '../events/recorder-options.js';
import { silentLogger, type Logger } from '../logger.js';

/** Options of `leader$`. */
export interface LeaderOptions {
  /**
   * The Lease that the replicas compete for. The first one creates it. Its namespace must exist.
   */
  readonly lease: LeaseName;
  /**
   * What tells this process from all others, also from an earlier one of the same pod: the name of
   * the pod and a random UUID.
   */
  readonly identity: string;
  /**
   * For how long after a renewal other replicas do not take the lease, in milliseconds, a whole
   * number of seconds (default 15,000). If it is shorter, another replica takes over sooner from a
   * leader that died, and shorter outages end leadership.
   */
  readonly leaseDuration?: number | undefined;
  /**
   * For how long the leader goes on without a renewal, in milliseconds since the last one that
   * succeeded was sent (default 10,000). It is less than `leaseDuration`. The difference is how
   * late the leader's timers may fire without two replicas leading at once.
   */
  readonly renewDeadline?: number | undefined;
  /**
   * The wait between two attempts, in milliseconds (default 2,000). If it is shorter, a replica
   * takes over sooner and sends more requests.
   */
  readonly retryPeriod?: number | undefined;
  /**
   * How long one request may take, in milliseconds (default half of `renewDeadline`). If it is
   * longer, less time is left for another attempt.
   */
  readonly timeout?: number | undefined;
  /**
   * Releases the lease when the last subscriber leaves (default true). If false, other replicas
   * wait until it has expired.
   */
  readonly releaseOnUnsubscribe?: boolean | undefined;
  /**
   * Receives a line when another replica leads, when leadership is won, lost or released, and, at
   * growing intervals, while the lease cannot be read or written (default: none). A logger that
   * throws is ignored.
   */
  readonly logger?: Logger | undefined;
  /**
   * Records an event about the Lease when this replica starts and stops leading (default: none), as
   * client-go does. Costs one event each. Close the recorder after `released$` has completed, or
   * the last event may not be written.
   */
  readonly recorder?: Pick<EventRecorder, 'record'> | undefined;
  /**
   * Metrics hooks (default: none). The first error that a hook throws is logged, and ends nothing.
   */
  readonly metrics?: LeaderElectionMetrics | undefined;
  /** The clock and the timers (default `asyncScheduler`). Pass a virtual one in tests. */
  readonly scheduler?: SchedulerLike | undefined;
  /** Returns numbers in [0, 1) for the jitter of candidates (default `Math.random`). */
  readonly random?: (() => number) | undefined;
}

/** What the protocol needs to know. */
export interface ElectionConfig {
  readonly lease: LeaseName;
  readonly identity: string;
  readonly leaseDuration: number;
  readonly renewDeadline: number;
  readonly retryPeriod: number;
}

/** L2: candidates wait between one and this many times longer than the retry period. */
export const jitterFactor = 1.2;

const noMetrics: LeaderElectionMetrics = { leading: () => undefined, slowPath: () => undefined };

/** The options with their defaults; throws a `RangeError` where they make no sense (L1). */
export function checkedOptions(options: LeaderOptions) {
  const { leaseDuration = 15_000, renewDeadline = 10_000, retryPeriod = 2_000 } = options;
  const lease = { namespace: options.lease.namespace, name: options.lease.name };
  const logger = options.logger ?? silentLogger;
  const checked = {
    lease,
    identity: options.identity,
    leaseDuration: checkedDuration('leaseDuration', leaseDuration),
    renewDeadline: checkedDuration('renewDeadline', renewDeadline),
    retryPeriod: checkedDuration('retryPeriod', retryPeriod),
    timeout: checkedDuration('timeout', options.timeout ?? renewDeadline / 2),
    releaseOnUnsubscribe: options.releaseOnUnsubscribe ?? true,
    metrics: options.metrics ?? noMetrics,
    logger,
    recorder: options.recorder,
    scheduler: steady(options.scheduler),
    random: containedRandom(
      options.random ?? Math.random,
      containedHooks(warnOfHooks(logger, { lease: leaseKey(lease) })),
    ),
  };
  const problem = problemOf(checked);
  if (problem !== undefined) throw new RangeError(`leader election of ${leaseKey(checked.lease)}: ${problem}`);
  return checked;
}

/** What `checkedOptions` gives. */
export type CheckedLeaderOptions = ReturnType<typeof checkedOptions>;

function problemOf(config: ElectionConfig & { readonly timeout: number }): string | undefined {
  const { lease, identity, leaseDuration, renewDeadline, retryPeriod, timeout } = config;
  if (!isName(lease.namespace) || !isName(lease.name)) return 'a lease has a namespace and a name, without slashes';
  if (!isText(identity)) return 'the identity is empty';
  if (retryPeriod === 0) return 'retryPeriod is 0';
  if (timeout === 0) return 'timeout is 0';
  if (leaseDuration % 1_000 !== 0) return `leaseDuration is ${leaseDuration} ms; a lease holds whole seconds`;
  if (leaseDuration <= renewDeadline)
    return `leaseDuration (${leaseDuration} ms) must be longer than renewDeadline (${renewDeadline} ms)`;
  if (renewDeadline <= retryPeriod * jitterFactor)
    return `renewDeadline (${renewDeadline} ms) must be longer than ${jitterFactor} times retryPeriod (${retryPeriod} ms)`;
  return undefined;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isName(value: unknown): boolean {
  return isText(value) && !(value as string).includes('/');
}

/** What a leader election tells whoever measures it; the names beside are those of client-go's metrics. */
export interface LeaderElectionMetrics {
  /** Whether this replica leads (`leader_election_master_status`): told at the start, on each change, and at the end where it led. */
  leading(isLeading: boolean): void;
  /** A renewal without a read failed, so the lease is read first (`leader_election_slowpath_total`). */
  slowPath(): void;
}
