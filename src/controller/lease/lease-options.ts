import type { SchedulerLike } from 'rxjs';
import { invalidOptionError } from '../../kubernetes/errors.js';
import { silentLogger, type LogFields, type Logger } from '../../requests/logger.js';
import { steady, checkedDuration } from '../../scheduling/clock.js';
import { safeRandom } from '../../scheduling/safely.js';
import { randomOf, schedulerOf, type KubeClient } from '../../sources/client/kube-client.js';
import { safelyWithWarnings } from '../safe-hooks.js';

/** Options that `leader$` and `membership$` share. Durations are milliseconds. */
export interface LeaseOptions {
  /**
   * How long others wait after a renewal before they take over (default 15,000). Shorter: a sooner
   * takeover, but shorter outages of the API server lose the lease.
   */
  readonly leaseDuration?: number | undefined;
  /**
   * Milliseconds without a renewal until the Lease is lost (default 10,000), from when the last
   * successful one was sent; less than `leaseDuration`. In the difference, late timers must fire
   * and aborted work must end, or two replicas may work at once.
   */
  readonly renewDeadline?: number | undefined;
  /** The wait between attempts (default 2,000). Shorter: a sooner takeover, more requests. */
  readonly retryPeriod?: number | undefined;
  /** For one request (default: half of `renewDeadline`). Longer: less time for another attempt. */
  readonly timeout?: number | undefined;
  /**
   * Receives a line for each change (default: none). While the Lease cannot be read or written, it
   * receives lines at growing intervals. Errors of the logger are ignored.
   */
  readonly logger?: Logger | undefined;
  /** The clock and the timers. Default: the scheduler of the client, or else `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
  /** Numbers in [0, 1) for the jitter (default `random` of the client, or else `Math.random`). */
  readonly random?: (() => number) | undefined;
}

/** The most jitter in a wait (L2), in `retryPeriod`s; the renew deadline must be longer (L1). */
export const jitterFactor = 1.2;

/**
 * Adds defaults. Throws `RXI_INVALID_OPTION` if an option is no duration, or they cannot work
 * together (L1). `subject` is for error messages, `fields` for log lines about hooks that throw.
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
  const problem = timingProblem(checked);
  if (problem !== undefined) throw invalidOptionError(...problem, subject);
  return checked;
}

/** An invalid option: its name, its value, and what it must be. */
export type OptionProblem = readonly [option: string, value: unknown, expected: string];

type CheckedLeaseOptions = ReturnType<typeof checkedLeaseOptions>;

function timingProblem({
  leaseDuration,
  renewDeadline,
  retryPeriod,
  timeout,
}: Pick<CheckedLeaseOptions, 'leaseDuration' | 'renewDeadline' | 'retryPeriod' | 'timeout'>):
  | OptionProblem
  | undefined {
  if (retryPeriod === 0) return ['retryPeriod', retryPeriod, 'above 0 ms'];
  if (timeout === 0) return ['timeout', timeout, 'above 0 ms'];
  if (leaseDuration <= renewDeadline)
    return ['leaseDuration', leaseDuration, `longer than renewDeadline (${renewDeadline} ms)`];
  if (renewDeadline <= retryPeriod * jitterFactor)
    return ['renewDeadline', renewDeadline, `longer than ${jitterFactor} times retryPeriod (${retryPeriod} ms)`];
  return undefined;
}
