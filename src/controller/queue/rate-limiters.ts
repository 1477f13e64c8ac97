import { takeToken, tokenWait } from '../../time/token-bucket.js';

/**
 * Says how long a key waits before it is tried again (W6). It may remember what it was asked, and gets the time from its caller.
 *
 * A limiter belongs to one queue: shared between two, each makes the other wait.
 */
export interface RateLimiter {
  /** The wait in milliseconds before the next try of `key`, asked at `now` (ms since the epoch); each call counts as one failure. */
  when(key: string, now: number): number;
  /** The key has succeeded, or is given up: forgets its failures. Without it they are remembered for ever (W6). */
  forget(key: string): void;
  /** How often `when` was asked for `key` since it was last forgotten; 0 of a limiter that does not count. */
  requeues(key: string): number;
}

/**
 * What client-go's controllers use (W7): each key waits 5 ms, 10 ms … 1000 s, and all together are retried 10 times a second
 * after a burst of 100; the longer wait counts.
 */
export function defaultControllerRateLimiter(): RateLimiter {
  return maxOf(itemExponentialBackoff(), tokenBucket());
}

export interface ItemExponentialBackoffOptions {
  /** The first wait in milliseconds. Default 5. Higher spares a struggling server, and shows in how soon a conflict is settled. */
  readonly base?: number | undefined;
  /** The longest wait in milliseconds. Default 1,000,000 (16 min 40 s). Lower notices sooner what was repaired by hand. */
  readonly cap?: number | undefined;
}

/** 2 to a higher power is not a number any more; the cap has been reached long before. */
const MOST_DOUBLINGS = 1023;

/**
 * Waits that double with each failure of a key: `base`, 2 `base`, 4 `base` … `cap` (W7).
 *
 * @example
 * const limiter = itemExponentialBackoff({ base: 100, cap: 60_000 });
 */
export function itemExponentialBackoff(options: ItemExponentialBackoffOptions = {}): RateLimiter {
  const { base = 5, cap = 1_000_000 } = options;
  const failures = new Map<string, number>();
  const requeues = (key: string): number => failures.get(key) ?? 0;
  return {
    when(key) {
      const before = requeues(key);
      failures.set(key, before + 1);
      return Math.min(cap, base * 2 ** Math.min(before, MOST_DOUBLINGS));
    },
    forget: (key) => void failures.delete(key),
    requeues,
  };
}

export interface TokenBucketOptions {
  /** Tries a second, of all keys together, over time. Default 10. Higher asks more of the API server when everything fails. */
  readonly rate?: number | undefined;
  /** Tries that may come at once after a quiet time. Default 100; at least 1. */
  readonly burst?: number | undefined;
}

/**
 * An overall limit: `burst` tries at once, `rate` a second after that, whatever their keys (W7).
 *
 * A try that has to wait has its place reserved: the next one waits behind it. A clock that goes back costs nothing.
 *
 * **Errors**: `RangeError` at once for a rate that is not above 0, or a burst below 1.
 *
 * @example
 * const limiter = tokenBucket({ rate: 50, burst: 300 });
 */
export function tokenBucket(options: TokenBucketOptions = {}): RateLimiter {
  const { rate = 10, burst = 100 } = options;
  if (!(rate > 0)) throw new RangeError(`the rate must be above 0, not ${rate}`);
  if (!(burst >= 1)) throw new RangeError(`the burst must be at least 1, not ${burst}`);
  const bucket = { interval: 1_000 / rate, burst };
  let fullAt = -Infinity;
  return {
    when(_key, now) {
      const wait = tokenWait(fullAt, now, bucket);
      fullAt = takeToken(fullAt, now, bucket);
      return wait;
    },
    forget: () => undefined,
    requeues: () => 0,
  };
}

export interface FastSlowOptions {
  /** The wait in milliseconds before each of the first `fastAttempts` retries. */
  readonly fast: number;
  /** The wait in milliseconds before every later one. */
  readonly slow: number;
  /** How many retries are fast. */
  readonly fastAttempts: number;
}

/**
 * A few quick retries of a key, then slow ones (W7): for failures that either pass at once or last.
 *
 * @example
 * const limiter = fastSlow({ fast: 50, slow: 30_000, fastAttempts: 3 });
 */
export function fastSlow({ fast, slow, fastAttempts }: FastSlowOptions): RateLimiter {
  const failures = new Map<string, number>();
  const requeues = (key: string): number => failures.get(key) ?? 0;
  return {
    when(key) {
      const count = requeues(key) + 1;
      failures.set(key, count);
      return count <= fastAttempts ? fast : slow;
    },
    forget: (key) => void failures.delete(key),
    requeues,
  };
}

/**
 * The longest wait that any of the limiters asks for, and the most requeues that any of them counts (W7). Each is asked each time.
 *
 * @example
 * const limiter = maxOf(itemExponentialBackoff(), tokenBucket({ rate: 5 }));
 */
export function maxOf(...limiters: readonly [RateLimiter, ...RateLimiter[]]): RateLimiter {
  return {
    when: (key, now) => Math.max(...limiters.map((limiter) => limiter.when(key, now))),
    forget(key) {
      for (const limiter of limiters) limiter.forget(key);
    },
    requeues: (key) => Math.max(...limiters.map((limiter) => limiter.requeues(key))),
  };
}

/**
 * What `limiter` says, but never a longer wait than `maxWait` milliseconds (W7).
 *
 * @example
 * const limiter = withMaxWait(defaultControllerRateLimiter(), 60_000);
 */
export function withMaxWait(limiter: RateLimiter, maxWait: number): RateLimiter {
  return {
    when: (key, now) => Math.min(maxWait, limiter.when(key, now)),
    forget(key) {
      limiter.forget(key);
    },
    requeues: (key) => limiter.requeues(key),
  };
}

/** What `limiter` says, but never a shorter wait than `minWait` milliseconds. */
export function withMinWait(limiter: RateLimiter, minWait: number): RateLimiter {
  return {
    when: (key, now) => Math.max(minWait, limiter.when(key, now)),
    forget(key) {
      limiter.forget(key);
    },
    requeues: (key) => limiter.requeues(key),
  };
}
