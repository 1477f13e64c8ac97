import { EMPTY, NEVER, type Observable } from 'rxjs';
import { steady, checkedDuration } from '../../scheduling/clock.js';
import { safeRandom, type Safely } from '../../scheduling/safely.js';
import { randomOf } from '../../sources/client/kube-client.js';
import { checkNames } from '../../sources/model/checked-options.js';
import type { HandOver } from '../lease/written-versions.js';
import { checkCount, checkFunction, checkObservable } from '../option-checks.js';
import type { QueueOptions } from '../queue/priority-queue.js';
import { safeQueueMetrics } from '../queue/queue-metrics.js';
import { defaultControllerRateLimiter, type RateLimiter } from '../queue/rate-limiters.js';

/** Options of `workqueue`. */
export interface WorkqueueOptions extends QueueOptions {
  /** Keys that run at once. Default 1. Higher: others run while one waits for the network. */
  readonly concurrency?: number | undefined;
  /** Milliseconds for a run. Default `Infinity`: a run that never ends keeps its worker. */
  readonly timeout?: number | undefined;
  /** Waits of failed keys, one limiter a subscription. Default `defaultControllerRateLimiter`. */
  readonly rateLimiter?: (() => RateLimiter) | undefined;
  /** Retries of a key in a row; then it waits for an addition. Default `Infinity`. */
  readonly maxRetries?: number | undefined;
  /**
   * Numbers in [0, 1), which spread retries after one `Retry-After` by up to a tenth of it, or a
   * second if that is longer. Default: `random` of the controller's `client`, or `Math.random`.
   */
  readonly random?: (() => number) | undefined;
  /**
   * If true, the drain after the completion of the source also waits for delayed keys and retries.
   * Default false: delayed keys and retries are `dropped`. Use true for a job that ends when
   * everything is done. With unlimited retries, a key that always fails prevents the end.
   */
  readonly waitForDelayed?: boolean | undefined;
  /**
   * Runs begin after its first value or completion (default: at once). Earlier input is queued,
   * each key once, by priority. Its error is an error of the result.
   */
  readonly startWhen?: Observable<unknown> | undefined;
  /**
   * Subscribed to when the source completes. Its first value ends the drain: running keys are
   * aborted and `failed` with an `RXI_DRAIN_ENDED`, waiting keys are `dropped`. Default: the drain
   * has no limit. If the Observable errors, the result errors.
   */
  readonly drainUntil?: Observable<unknown> | undefined;
  /**
   * `leading.handOver` in the work of `whileLeading`: no run begins after the renew deadline.
   * Default: none.
   */
  readonly handOver?: Pick<HandOver, 'endIfOverdue'> | undefined;
}

/** Returns the hooks of the options, wrapped so that `call` catches their errors. */
export function safeHooksOf(
  { metrics, rateLimiter, random }: ReturnType<typeof checkedWorkqueueOptions>,
  call: Safely,
): Pick<ReturnType<typeof checkedWorkqueueOptions>, 'metrics' | 'rateLimiter' | 'random'> {
  return {
    random: safeRandom(random, call),
    metrics: metrics && safeQueueMetrics(metrics, call),
    rateLimiter: () => {
      const limiter = call<RateLimiter | undefined>('rateLimiter', rateLimiter, undefined);
      return safeLimiter(limiter ?? defaultControllerRateLimiter(), call);
    },
  };
}

/** `call` catches errors of `forget`; those of `when` are an `RXI_RATE_LIMITER` of the run. */
function safeLimiter(limiter: RateLimiter, call: Safely): RateLimiter {
  return {
    when: (key, now) => limiter.when(key, now),
    forget: (key) => call('rateLimiter.forget', () => limiter.forget(key)),
  };
}

const runNames = { concurrency: 1, timeout: 1, maxRetries: 1, startWhen: 1, drainUntil: 1, handOver: 1 };
const queueNames = { rateLimiter: 1, waitForDelayed: 1, metrics: 1, scheduler: 1, random: 1 };

/** Adds defaults. Throws `RXI_INVALID_OPTION` for an invalid option. */
export function checkedWorkqueueOptions(options: WorkqueueOptions) {
  checkNames<WorkqueueOptions>('an option of workqueue', options, () => ({ ...runNames, ...queueNames }));
  const { concurrency = 1, timeout = Infinity, maxRetries = Infinity, waitForDelayed = false } = options;
  const { rateLimiter = defaultControllerRateLimiter } = options;
  const { startWhen = EMPTY, drainUntil = NEVER } = options;
  checkCount('concurrency', concurrency, 1);
  checkCount('maxRetries', maxRetries, 0);
  checkFunction('rateLimiter', rateLimiter, ' that returns a limiter, such as () => itemExponentialBackoff()');
  checkObservable('startWhen', startWhen);
  checkObservable('drainUntil', drainUntil);
  if (timeout !== Infinity) checkedDuration('timeout', timeout);
  return {
    ...options,
    concurrency,
    timeout,
    maxRetries,
    waitForDelayed,
    rateLimiter,
    random: randomOf({}, options),
    scheduler: steady(options.scheduler),
    startWhen,
    drainUntil,
  };
}
