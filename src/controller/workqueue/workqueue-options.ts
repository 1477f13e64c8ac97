import { EMPTY, NEVER, type Observable } from 'rxjs';
import { steady, checkedDuration } from '../../time/clock.js';
import type { CallHook } from '../contained.js';
import { checkCount, checkFunction, checkObservable } from '../option-checks.js';
import { defaultControllerRateLimiter, type RateLimiter } from '../queue/rate-limiters.js';
import { containedMetrics } from '../queue/queue-metrics.js';
import type { PriorityQueueOptions } from '../queue/priority-queue.js';

/** Options of `workqueue`. */
export interface WorkqueueOptions extends Omit<PriorityQueueOptions, 'rateLimiter'> {
  /** How many keys run at once. Default 1. More do more while each waits for the network, and send more requests. */
  readonly concurrency?: number | undefined;
  /** How long a run may take, in milliseconds. Default `Infinity`: a run that never ends keeps its worker. */
  readonly timeout?: number | undefined;
  /** Creates the limiter that decides how long a failed key waits. Called once for each subscription. Default `defaultControllerRateLimiter`. */
  readonly rateLimiter?: (() => RateLimiter) | undefined;
  /** How often in a row a failed key is retried. After that it runs when it is added again. Default `Infinity`. */
  readonly maxRetries?: number | undefined;
  /**
   * True if completion of the source also waits for delayed keys and retries. Default false: they are `dropped`. True suits a
   * job that ends when all is done; with unlimited retries a key that always fails keeps it from ending.
   */
  readonly waitForDelayed?: boolean | undefined;
  /**
   * Holds all runs back until its first value, or its completion. Default: runs begin at once. Input is queued meanwhile, each key
   * once, so that the most important one begins. Its error is an error of the result.
   */
  readonly startWhen?: Observable<unknown> | undefined;
  /**
   * Subscribed to when the source completes. Its first value ends the drain: running keys are aborted and `failed` with a
   * `DrainEndedError`, waiting keys are `dropped`. Default: the drain has no limit.
   */
  readonly drainUntil?: Observable<unknown> | undefined;
}

/** Returns the hooks among the options. What they throw is contained. */
export function containedHooksOf(
  { metrics, rateLimiter }: ReturnType<typeof checkedOptions>,
  call: CallHook,
): Pick<ReturnType<typeof checkedOptions>, 'metrics' | 'rateLimiter'> {
  return {
    metrics: metrics && containedMetrics(metrics, call),
    rateLimiter: () => {
      let limiter: RateLimiter | undefined;
      call('rateLimiter', () => {
        limiter = rateLimiter();
      });
      return containedLimiter(limiter ?? defaultControllerRateLimiter(), call);
    },
  };
}

/** What `when` throws is part of the failed run (`RateLimiterError`). */
function containedLimiter(limiter: RateLimiter, call: CallHook): RateLimiter {
  return {
    when: (key, now) => limiter.when(key, now),
    requeues: (key) => limiter.requeues(key),
    forget: (key) => {
      call('rateLimiter.forget', () => {
        limiter.forget(key);
      });
    },
  };
}

/** Returns the options with their defaults; throws a `RangeError` or a `TypeError` for those that make no sense. */
export function checkedOptions(options: WorkqueueOptions) {
  const { concurrency = 1, timeout = Infinity, maxRetries = Infinity, waitForDelayed = false } = options;
  const { rateLimiter = defaultControllerRateLimiter } = options;
  const { startWhen = EMPTY, drainUntil = NEVER } = options;
  checkCount('the concurrency', concurrency, 1);
  checkCount('maxRetries', maxRetries, 0);
  checkFunction('rateLimiter', rateLimiter, ' that returns a limiter, such as () => itemExponentialBackoff()');
  checkObservable('startWhen', startWhen);
  checkObservable('drainUntil', drainUntil);
  if (timeout !== Infinity) checkedDuration('the timeout', timeout);
  return {
    ...options,
    concurrency,
    timeout,
    maxRetries,
    waitForDelayed,
    rateLimiter,
    scheduler: steady(options.scheduler),
    startWhen,
    drainUntil,
  };
}
