import { takeToken, tokenWait } from '../../time/token-bucket.js';
import type { RateLimiter } from './rate-limiter.js';

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
