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
