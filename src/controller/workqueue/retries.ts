import type { Safely } from '../../scheduling/safely.js';
import { rateLimiterError } from '../queue/errors.js';
import type { PriorityQueue } from '../queue/priority-queue.js';
import type { QueueItem } from '../queue/queue-item.js';
import { isTerminal, retryAfterOf, type RequeueAfter } from './outcome.js';
import type { RunFailed } from './workqueue-event.js';

/** The shortest wait in ms; without one, synchronous runs could block the event loop. */
export const soonest = 1;

/** The wait before a retry if the rate limiter fails, in milliseconds. */
const waitWithoutLimiter = 1_000;

/** The part of a `failed` event that tells whether and when the key is retried. */
export type RetryDecision = Pick<RunFailed, 'error' | 'outcome' | 'retryAt'>;

/**
 * Decides whether a key runs again after a run, and when.
 *
 * | the run | the next run | failures of the key |
 * | --- | --- | --- |
 * | succeeded, or was skipped | none | forgotten |
 * | returned `requeueAfter(ms)` | after `ms` | forgotten |
 * | returned `requeueAfter(0)` | after the wait of the rate limiter | counted by the limiter |
 * | failed | after the wait of the rate limiter, and not before `Retry-After`, which is jittered | one more failure |
 * | failed with a `TerminalError`, or after `maxRetries` | none | forgotten |
 */
export class Retries<Key extends string, Reason> {
  /** How many runs in a row have failed, by key. */
  readonly #failures = new Map<Key, number>();

  constructor(
    private readonly queue: PriorityQueue<Key, Reason>,
    private readonly maxRetries: number,
    private readonly call: Safely,
    private readonly random: () => number,
  ) {}

  /** Returns the number of the attempt: 1, plus the failures in a row before it. */
  attemptOf(key: Key): number {
    return (this.#failures.get(key) ?? 0) + 1;
  }

  /** Returns when the key runs again, if the run has requested that. */
  succeeded(item: QueueItem<Key, Reason>, requeue: RequeueAfter | undefined): number | undefined {
    this.#failures.delete(item.key);
    // A run that requests the next run at once is paced like a failure.
    if (requeue?.delay !== 0) this.queue.forget(item.key);
    return requeue && this.#requeue(item, requeue);
  }

  /** Decides on a retry, which keeps the priority of the run, and has no reason. */
  failed(
    item: QueueItem<Key, Reason>,
    error: unknown,
    hasDrainEnded: boolean,
  ): RetryDecision & { readonly dropped: QueueItem<Key, Reason> | undefined } {
    const { key } = item;
    // A trigger must not end the wait that the server asked for, so the key itself is paused.
    const retryAfter = jittered(retryAfterOf(error), this.random);
    const dropped = retryAfter > 0 ? this.queue.pause(key, retryAfter) : undefined;
    return { ...this.#decide(item, error, hasDrainEnded), dropped };
  }

  #decide(item: QueueItem<Key, Reason>, error: unknown, hasDrainEnded: boolean): RetryDecision {
    const { key, priority } = item;
    const attempt = this.attemptOf(key);
    const cannotSucceed = isTerminal(error);
    if (cannotSucceed || attempt > this.maxRetries) {
      this.#failures.delete(key);
      this.queue.forget(key);
      return { error, retryAt: undefined, outcome: cannotSucceed ? 'terminal' : 'retries-exhausted' };
    }
    if (hasDrainEnded) return { error, retryAt: undefined, outcome: 'stopping' };
    this.#failures.set(key, attempt);
    try {
      return retryAt(error, this.queue.addRateLimited(key, { priority }));
    } catch (cause) {
      return retryAt(rateLimiterError(key, error, cause), this.#again(item, waitWithoutLimiter));
    }
  }

  #requeue(item: QueueItem<Key, Reason>, { delay, priority = item.priority }: RequeueAfter): number | undefined {
    if (delay > 0) return this.#again({ ...item, priority }, delay);
    let at: number | undefined;
    const paced = (): void => void (at = this.queue.addRateLimited(item.key, { priority }));
    this.call('rateLimiter.when', paced);
    return at ?? this.#again({ ...item, priority }, waitWithoutLimiter);
  }

  #again({ key, priority }: QueueItem<Key, Reason>, delay: number): number | undefined {
    return this.queue.addAfter(key, Math.max(soonest, delay), { priority });
  }
}

/**
 * Adds up to a tenth of the wait that the server asked for, or up to a second if that is longer.
 * The server returns the same wait to all clients, and their requests must not return all at once.
 */
function jittered(retryAfter: number, random: () => number): number {
  return retryAfter === 0 ? 0 : retryAfter + random() * Math.max(1_000, retryAfter / 10);
}

function retryAt(error: unknown, at: number | undefined): RetryDecision {
  return { error, retryAt: at, outcome: at === undefined ? 'stopping' : 'retry' };
}
