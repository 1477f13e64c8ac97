import type { TimestampProvider } from 'rxjs';

/** A program that was held up for longer lets the rest go: whoever watches could not follow all of it at once. */
const mostHeldUp = 100;

/** Clocks and periods are no whole numbers; a step is due so much of a period before its time. */
const rounding = 1e-6;

/**
 * Tells at each call how many steps have come due since the one before, or since it was made; to be called about once a period.
 *
 * A timer cannot fire more often than once a millisecond, and a busy process fires it late. A clock that is set back or forward
 * is taken for a delay, of nothing or of the longest.
 *
 * @param period milliseconds between two steps
 */
export function dueSteps(period: number, clock: TimestampProvider): () => number {
  let last = clock.now();
  let owed = 0;
  return () => {
    const now = clock.now();
    owed += Math.min(Math.max(now - last, 0), period + mostHeldUp) / period;
    last = now;
    const due = Math.floor(owed + rounding);
    owed -= due;
    return due;
  };
}
