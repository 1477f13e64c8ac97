import { UnexpectedSourceError } from './errors.js';

/**
 * Gives the wait in milliseconds before the `attempt`th try in a row (1 is the first wait).
 *
 * It must be pure: whatever is random in it comes from `random`, a number in [0, 1). What is not a finite number of
 * at least 0 counts as 0, and if it throws, the error is reported and the default wait is used: a
 * broken policy costs requests and
 * never stops a source.
 */
export type Backoff = (attempt: number, random: number) => number;

export interface ExponentialBackoffOptions {
  /** The first wait in milliseconds, before jitter. Default 800. Lower reconnects sooner and asks a struggling server more. */
  readonly initial?: number | undefined;
  /** How much longer each wait is than the one before. Default 2; 1 waits the same each time. */
  readonly factor?: number | undefined;
  /** The longest wait in milliseconds, before jitter. Default 30,000. Higher notices a recovered server later. */
  readonly cap?: number | undefined;
  /** Up to this share of the wait is added at random. Default 1; 0 makes all clients return in the same moment. */
  readonly jitter?: number | undefined;
}

/**
 * Waits that grow from `initial` by `factor` up to `cap`, each lengthened at random by up to `jitter` of itself (R18).
 *
 * With the defaults: [0.8, 1.6), [1.6, 3.2), … [30, 60) seconds, as client-go's reflector.
 *
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
 * Returns a function that calls `callback`. If `callback` throws, the error is reported and `instead` is called: an option
 * that throws must not end a source (G5).
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
      failed(new UnexpectedSourceError(cause, `${option} threw, and the default was used instead`));
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

/** Returns a source of numbers in [0, 1). If `random` throws, or returns anything else, the number is 0.5. */
export function guardedRandom(random: () => number, failed: CallbackFailed): () => number {
  const number = guarded('random', random, middle, failed);
  return () => {
    const drawn = number();
    return drawn >= 0 && drawn < 1 ? drawn : middle();
  };
}

const defaultBackoff = /*#__PURE__*/ exponentialBackoff();
const middle = (): number => 0.5;

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
