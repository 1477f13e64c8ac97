import { itemExponentialBackoff } from './item-exponential-backoff.js';
import { maxOf } from './max-of.js';
import type { RateLimiter } from './rate-limiter.js';
import { tokenBucket } from './token-bucket.js';

/**
 * What client-go's controllers use (W7): each key waits 5 ms, 10 ms … 1000 s, and all together are retried 10 times a second
 * after a burst of 100; the longer wait counts.
 */
export function defaultControllerRateLimiter(): RateLimiter {
  return maxOf(itemExponentialBackoff(), tokenBucket());
}
