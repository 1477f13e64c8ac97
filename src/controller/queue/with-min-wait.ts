import type { RateLimiter } from './rate-limiter.js';

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
