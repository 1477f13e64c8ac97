import { exponentialBackoff, type Backoff } from './backoff.js';
import { UnexpectedSourceError } from './source-error.js';

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
