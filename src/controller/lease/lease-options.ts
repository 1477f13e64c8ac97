import type { SchedulerLike } from 'rxjs';
import { steady, checkedDuration } from '../../time/clock.js';
import { randomOf, schedulerOf, type KubeClient } from '../../sources/client/kube-client.js';
import { containedHooks, containedRandom, warnOfHooks } from '../contained.js';
import { silentLogger, type LogFields, type Logger } from '../logger.js';

/**
 * What `leader$` and `membership$` have in common: how a Lease is held. Durations are milliseconds.
 */
export interface LeaseOptions {
  /**
   * For how long after a renewal other replicas do not take over (default 15,000). If it is
   * shorter, another replica takes over sooner from one that died, and shorter outages end what is
   * held.
   */
  readonly leaseDuration?: number | undefined;
  /**
   * For how long this replica goes on without a renewal, since the last one that succeeded was sent
   * (default 10,000). It is less than `leaseDuration`. The difference is how late timers may fire,
   * and how long work that was aborted may take to end, without two replicas at work at once.
   */
  readonly renewDeadline?: number | undefined;
  /**
   * The wait between two attempts (default 2,000). If it is shorter, a replica takes over sooner
   * and sends more requests.
   */
  readonly retryPeriod?: number | undefined;
  /**
   * How long one request may take (default half of `renewDeadline`). If it is longer, less time is
   * left for another attempt.
   */
  readonly timeout?: number | undefined;
  /**
   * Receives a line for each change, and, at growing intervals, for a Lease that cannot be read or
   * written (default: none). A logger that throws is ignored.
   */
  readonly logger?: Logger | undefined;
  /** The clock and the timers. Default: those of the client, or else `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
  /**
   * Returns numbers in [0, 1) for the jitter. Default: that of the client, or else `Math.random`.
   */
  readonly random?: (() => number) | undefined;
}

/**
 * The waits are at most this many times longer than `retryPeriod` before a renewal fails, by jitter
 * (L1, L2).
 */
export const jitterFactor = 1.2;

/**
 * Returns the options with their defaults.
 *
 * @param subject what error messages are about
 * @param fields what the log lines about hooks that throw are about
 * @throws RangeError if they make no sense (L1)
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
    random: containedRandom(randomOf(client, options), containedHooks(warnOfHooks(logger, fields))),
  };
  const problem = problemOf(checked);
  if (problem !== undefined) throw new RangeError(`${subject}: ${problem}`);
  return checked;
}

/** The options of a Lease with their defaults. */
export type CheckedLeaseOptions = ReturnType<typeof checkedLeaseOptions>;

function problemOf({
  leaseDuration,
  renewDeadline,
  retryPeriod,
  timeout,
}: Pick<CheckedLeaseOptions, 'leaseDuration' | 'renewDeadline' | 'retryPeriod' | 'timeout'>): string | undefined {
  if (retryPeriod === 0) return 'retryPeriod is 0';
  if (timeout === 0) return 'timeout is 0';
  if (leaseDuration <= renewDeadline)
    return `leaseDuration (${leaseDuration} ms) must be longer than renewDeadline (${renewDeadline} ms)`;
  if (renewDeadline <= retryPeriod * jitterFactor)
    return `renewDeadline (${renewDeadline} ms) must be longer than ${jitterFactor} times retryPeriod (${retryPeriod} ms)`;
  return undefined;
}
