import type { RateLimiter } from './rate-limiter.js';

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
