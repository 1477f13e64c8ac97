import { UnexpectedSourceError } from './errors.js';

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
  /**
   * The factor by which each wait is longer than the previous wait. Default 2; with 1 all waits are
   * equal.
   */
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
 * import { exponentialBackoff } from 'rx-informers';
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

/** Receives the error of a callback that threw. */
export type CallbackFailed = (error: UnexpectedSourceError) => void;

/**
 * Returns a function that calls `callback`. If `callback` throws, the error is reported and
 * `instead` is called, because an option that throws must not end a source (G5).
 *
 * @param option the name of the option, for the message of the error
 */
export function guarded<Args extends readonly unknown[], Result>(
  option: string,
  callback: (...args: Args) => Result,
  instead: (...args: Args) => Result,
  failed: CallbackFailed,
): (...args: Args) => Result {
  return (...args) => {
    try {
      return callback(...args);
    } catch (cause) {
      failed(new UnexpectedSourceError(cause, `${option} threw; the default was used instead`));
      return instead(...args);
    }
  };
}

/** Returns a backoff that waits like `instead` if `backoff` throws. */
export function guardedBackoff(
  option: string,
  backoff: Backoff,
  failed: CallbackFailed,
  instead: Backoff = defaultBackoff,
): Backoff {
  return guarded(option, backoff, instead, failed);
}

/**
 * Returns a function that returns numbers in [0, 1). If `random` throws, or returns any other
 * value, the number is 0.5.
 */
export function guardedRandom(random: () => number, failed: CallbackFailed): () => number {
  const number = guarded('random', random, middle, failed);
  return () => {
    const drawn = number();
    return drawn >= 0 && drawn < 1 ? drawn : middle();
  };
}

const defaultBackoff = /*#__PURE__*/ exponentialBackoff();
const middle = (): number => 0.5;

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

/**
 * Takes a token and returns the time at which the bucket is full again. If no token is available
 * yet, the next token is reserved.
 */
export function takeToken(fullAt: number, now: number, { interval }: TokenBucketRate): number {
  return Math.max(fullAt, now) + interval;
}
