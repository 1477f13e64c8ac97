import type { SchedulerLike } from 'rxjs';
import { steady, checkedDuration } from '../../scheduling/clock.js';
import { safeRandom } from '../../scheduling/safely.js';
import { randomOf, schedulerOf, type KubeClient } from '../../sources/client/kube-client.js';
import { safelyWithWarnings } from '../contained.js';
import { silentLogger, type LogFields, type Logger } from '../logger.js';

/**
 * The options for holding a Lease, which `leader$` and `membership$` share. Durations are
 * milliseconds.
 */
export interface LeaseOptions {
  /**
   * How long other replicas wait after a renewal before they take over (default 15,000). With a
   * shorter duration, another replica takes over sooner if this replica dies. But then shorter
   * outages of the API server are enough to lose the lease.
   */
  readonly leaseDuration?: number | undefined;
  /**
   * How long this replica continues without a renewal (default 10,000). It counts from when the
   * last successful renewal was sent, and must be shorter than `leaseDuration`. The difference is
   * the time in which late timers must fire and aborted work must end. If timers or work take
   * longer, two replicas may work at once.
   */
  readonly renewDeadline?: number | undefined;
  /**
   * The wait between two attempts (default 2,000). With a shorter wait, a replica takes over
   * sooner, but sends more requests.
   */
  readonly retryPeriod?: number | undefined;
  /**
   * How long one request may take (default: half of `renewDeadline`). A longer timeout leaves less
   * time for another attempt.
   */
  readonly timeout?: number | undefined;
  /**
   * Receives a line for each change (default: none). While the Lease cannot be read or written, it
   * receives lines at growing intervals. Errors of the logger are ignored.
   */
  readonly logger?: Logger | undefined;
  /** The clock and the timers. Default: the scheduler of the client, or else `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
  /**
   * Returns numbers in [0, 1) for the jitter. Default: `random` of the client, or else
   * `Math.random`.
   */
  readonly random?: (() => number) | undefined;
}

/**
 * Jitter adds at most this many times `retryPeriod` to a wait (L2). The renew deadline must be
 * longer than this many times `retryPeriod` (L1).
 */
export const jitterFactor = 1.2;

/**
 * Returns the options with their defaults.
 *
 * @param subject the name of the thing that has these options, for error messages
 * @param fields the fields of log lines about hooks that throw
 * @throws RangeError if an option is not a duration, or if the durations cannot work together (L1)
 */
export function checkedLeaseOptions(client: KubeClient, options: LeaseOptions, subject: string, fields: LogFields) {
  const { leaseDuration = 15_000, renewDeadline = 10_000, retryPeriod = 2_000, logger = silentLogger } = options;
  const checked = {
    leaseDuration: checkedDuration('leaseDuration', leaseDuration),
    renewDeadline: checkedDuration('renewDeadline', renewDeadline),
    retryPeriod: checkedDuration('retryPeriod', retryPeriod),
    timeout: checkedDuration('timeout', options.timeout ?? renewDeadline / 2),
    logger,
    scheduler: steady(schedulerOf(client, options)),
    random: safeRandom(randomOf(client, options), safelyWithWarnings(logger, fields)),
  };
  const problem = problemOf(checked);
  if (problem !== undefined) throw new RangeError(`${subject}: ${problem}`);
  return checked;
}

/** The options of a Lease with their defaults. */
type CheckedLeaseOptions = ReturnType<typeof checkedLeaseOptions>;

function problemOf({
  leaseDuration,
  renewDeadline,
  retryPeriod,
  timeout,
}: Pick<CheckedLeaseOptions, 'leaseDuration' | 'renewDeadline' | 'retryPeriod' | 'timeout'>): string | undefined {
  if (retryPeriod === 0) return 'retryPeriod must be above 0 ms';
  if (timeout === 0) return 'timeout must be above 0 ms';
  if (leaseDuration <= renewDeadline)
    return `leaseDuration (${leaseDuration} ms) must be longer than renewDeadline (${renewDeadline} ms)`;
  if (renewDeadline <= retryPeriod * jitterFactor)
    return `renewDeadline (${renewDeadline} ms) must be longer than ${jitterFactor} times retryPeriod (${retryPeriod} ms)`;
  return undefined;
}
