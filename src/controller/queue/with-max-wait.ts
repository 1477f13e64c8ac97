import type { RateLimiter } from './rate-limiter.js';

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
