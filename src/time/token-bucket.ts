/** How fast a token bucket lets requests through. */
export interface TokenBucketRate {
  /** Milliseconds in which one token comes back; 0 for no limit. */
  readonly interval: number;
  /** Tokens in a full bucket. */
  readonly burst: number;
}

/**
 * Returns how many milliseconds from `now` the next token is there; 0 if it is.
 *
 * @param fullAt when the bucket is full again, which is all that a bucket remembers; `-Infinity` at first
 */
export function tokenWait(fullAt: number, now: number, { interval, burst }: TokenBucketRate): number {
  return Math.max(0, Math.max(fullAt, now) - (burst - 1) * interval - now);
}

/** Returns when the bucket is full again after a token was taken; one that is not there yet is reserved. */
export function takeToken(fullAt: number, now: number, { interval }: TokenBucketRate): number {
  return Math.max(fullAt, now) + interval;
}
