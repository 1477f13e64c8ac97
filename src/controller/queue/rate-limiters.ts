import { invalidOptionError } from '../../kubernetes/errors.js';
import { takeToken, tokenWait } from '../../sources/model/backoff.js';

/**
 * Decides how long a key waits before it is retried (W6). A limiter may keep state. The caller
 * passes the current time.
 *
 * A limiter belongs to one queue. If two queues share a limiter, each queue delays the retries of
 * the other.
 */
export interface RateLimiter {
  /** Returns milliseconds before the next try of `key` at `now`. Each call counts as a failure. */
  when(key: string, now: number): number;
  /** Forgets the failures of a key that succeeded or is given up (W6). */
  forget(key: string): void;
}

/**
 * Creates the limiter of client-go's controllers (W7). Each key waits 5 ms, 10 ms … 1000 s. All
 * keys together are retried 10 times a second, after a burst of 100. The longer of the two waits
 * counts.
 *
 * @returns a new limiter; queues that share the limiter also share its bucket
 */
export function defaultControllerRateLimiter(): RateLimiter {
  return maxOf(itemExponentialBackoff(), tokenBucket());
}

/** Options of `itemExponentialBackoff`. */
export interface ItemExponentialBackoffOptions {
  /** The first wait in ms. Default 5. Longer: less load on a server, later retries of conflicts. */
  readonly base?: number | undefined;
  /** The longest wait in ms. Default 1,000,000. Shorter: a manual repair is noticed sooner. */
  readonly cap?: number | undefined;
}

/** With more doublings, the wait would be `Infinity`. The cap is reached much earlier. */
const MOST_DOUBLINGS = 1023;

/**
 * Creates a limiter whose waits double with each failure of a key: `base`, 2 `base`, 4 `base` …
 * `cap` (W7).
 *
 * @param options the first and the longest wait in milliseconds
 * @returns a new limiter that counts the failures of each key
 * @example
 * const limiter = itemExponentialBackoff({ base: 100, cap: 60_000 });
 */
export function itemExponentialBackoff(options: ItemExponentialBackoffOptions = {}): RateLimiter {
  const { base = 5, cap = 1_000_000 } = options;
  return byFailures((before) => Math.min(cap, base * 2 ** Math.min(before, MOST_DOUBLINGS)));
}

/** Creates a limiter whose wait depends on the number of earlier failures of the key. */
function byFailures(waitAfter: (before: number) => number): RateLimiter {
  const failures = new Map<string, number>();
  return {
    when(key) {
      const before = failures.get(key) ?? 0;
      failures.set(key, before + 1);
      return waitAfter(before);
    },
    forget: (key) => void failures.delete(key),
  };
}

/** Options of `tokenBucket`. */
export interface TokenBucketOptions {
  /** Retries per second of all keys. Default 10. Higher: more requests when everything fails. */
  readonly rate?: number | undefined;
  /** Retries that may happen at once after a quiet time. Default 100, at least 1. */
  readonly burst?: number | undefined;
}

/**
 * Creates a limiter for all keys together: `burst` retries at once, then `rate` retries a second
 * (W7).
 *
 * A retry that has to wait reserves its place, so the next retry waits behind it. Setting the clock
 * back has no effect.
 *
 * @param options the retries per second, and the burst
 * @returns a new limiter
 * @throws `RXI_INVALID_OPTION` if `rate` is not above 0, or `burst` is below 1
 * @example
 * const limiter = tokenBucket({ rate: 50, burst: 300 });
 */
export function tokenBucket(options: TokenBucketOptions = {}): RateLimiter {
  const { rate = 10, burst = 100 } = options;
  if (!(rate > 0)) throw invalidOptionError('rate', rate, 'above 0');
  if (!(burst >= 1)) throw invalidOptionError('burst', burst, 'at least 1');
  const bucket = { interval: 1_000 / rate, burst };
  let fullAt = -Infinity;
  return {
    when(_key, now) {
      const wait = tokenWait(fullAt, now, bucket);
      fullAt = takeToken(fullAt, now, bucket);
      return wait;
    },
    forget: () => undefined,
  };
}

/** Options of `fastSlow`. */
export interface FastSlowOptions {
  /** The wait in milliseconds before each of the first `fastAttempts` retries. */
  readonly fast: number;
  /** The wait in milliseconds before each later retry. */
  readonly slow: number;
  /** How many retries are fast. */
  readonly fastAttempts: number;
}

/**
 * Creates a limiter with a few quick retries of a key, then slow retries (W7). Use it for failures
 * that either pass quickly or last long.
 *
 * @param options the two waits in milliseconds, and how many retries are quick
 * @returns a new limiter that counts the failures of each key
 * @example
 * const limiter = fastSlow({ fast: 50, slow: 30_000, fastAttempts: 3 });
 */
export function fastSlow({ fast, slow, fastAttempts }: FastSlowOptions): RateLimiter {
  return byFailures((before) => (before < fastAttempts ? fast : slow));
}

/**
 * Creates a limiter that returns the longest wait of several limiters (W7). Each limiter is
 * called each time.
 *
 * @param limiters the limiters; at least one
 * @returns a limiter that calls `limiters` in this order
 * @example
 * const limiter = maxOf(itemExponentialBackoff(), tokenBucket({ rate: 5 }));
 */
export function maxOf(...limiters: readonly [RateLimiter, ...RateLimiter[]]): RateLimiter {
  return {
    when: (key, now) => Math.max(...limiters.map((limiter) => limiter.when(key, now))),
    forget(key) {
      for (const limiter of limiters) limiter.forget(key);
    },
  };
}

/**
 * Creates a limiter that returns the wait of `limiter`, at most `maxWait` milliseconds (W7).
 *
 * @param limiter the limiter whose waits are cut
 * @param maxWait the longest wait, in milliseconds
 * @returns a limiter that wraps `limiter`
 * @example
 * const limiter = withMaxWait(defaultControllerRateLimiter(), 60_000);
 */
export function withMaxWait(limiter: RateLimiter, maxWait: number): RateLimiter {
  return withWait(limiter, (wait) => Math.min(maxWait, wait));
}

/** Creates a limiter that returns the wait of `limiter`, at least `minWait` milliseconds. */
export function withMinWait(limiter: RateLimiter, minWait: number): RateLimiter {
  return withWait(limiter, (wait) => Math.max(minWait, wait));
}

function withWait(limiter: RateLimiter, waitFor: (wait: number) => number): RateLimiter {
  return { when: (key, now) => waitFor(limiter.when(key, now)), forget: (key) => limiter.forget(key) };
}
