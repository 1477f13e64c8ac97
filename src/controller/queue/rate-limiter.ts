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
