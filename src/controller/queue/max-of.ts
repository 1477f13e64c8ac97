import type { RateLimiter } from './rate-limiter.js';

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
