import type { RateLimiter } from './rate-limiter.js';

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
