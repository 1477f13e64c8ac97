/**
 * Returns the wait in milliseconds before the `attempt`th try in a row (1 is the first wait).
 *
 * The function must be pure: its randomness comes from `random`, a number in [0, 1). A result that
 * is not a finite number of at least 0 counts as 0. If the function throws, the error is reported
 * and the default wait is used. So a broken function costs requests, but never stops a source.
 */
export type Backoff = (attempt: number, random: number) => number;

/** Options of {@link exponentialBackoff}. */
export interface ExponentialBackoffOptions {
  /**
   * The first wait in milliseconds, before jitter. Default 800. A lower value reconnects sooner and
   * sends more requests to an overloaded server.
   */
  readonly initial?: number | undefined;
  /** The factor from one wait to the next. Default 2; with 1 all waits are equal. */
  readonly factor?: number | undefined;
  /**
   * The longest wait in milliseconds, before jitter. Default 30,000. A higher value detects a
   * recovered server later.
   */
  readonly cap?: number | undefined;
  /**
   * The largest random addition, as a share of the wait. Default 1. With 0, all clients reconnect
   * at the same moment.
   */
  readonly jitter?: number | undefined;
}

/**
 * Creates a backoff whose waits grow from `initial` by `factor` up to `cap`. A random share of each
 * wait, up to `jitter`, is added to it (R18).
 *
 * With the defaults: [0.8, 1.6), [1.6, 3.2), … [30, 60) seconds, as client-go's reflector.
 *
 * @param options the first and the longest wait, the factor and the jitter
 * @returns a value for the option `backoff` of `listWatch`
 * @example
 * import { exponentialBackoff } from 'rx-informers/client';
 *
 * const gentle = exponentialBackoff({ initial: 5_000, cap: 60_000 });
 */
export function exponentialBackoff(options: ExponentialBackoffOptions = {}): Backoff {
  const { initial = 800, factor = 2, cap = 30_000, jitter = 1 } = options;
  return (attempt, random) => {
    const wait = Math.min(cap, initial * factor ** (attempt - 1));
    return wait + wait * jitter * random;
  };
}

/** The default of `listWatch`. */
export const defaultBackoff: Backoff = /*#__PURE__*/ exponentialBackoff();

/** The rate at which a token bucket lets requests through. */
export interface TokenBucketRate {
  /** The milliseconds until one token is added; 0 for no limit. */
  readonly interval: number;
  /** The number of tokens in a full bucket. */
  readonly burst: number;
}

/**
 * Returns the milliseconds from `now` until a token is available; 0 if one is available now.
 *
 * @param fullAt the time at which the bucket is full again, its only state; `-Infinity` at first
 */
export function tokenWait(fullAt: number, now: number, { interval, burst }: TokenBucketRate): number {
  return Math.max(0, Math.max(fullAt, now) - (burst - 1) * interval - now);
}

/** Takes or reserves a token. Returns the time at which the bucket is full again. */
export function takeToken(fullAt: number, now: number, { interval }: TokenBucketRate): number {
  return Math.max(fullAt, now) + interval;
}
