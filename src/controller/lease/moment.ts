/**
 * One moment on two clocks, in milliseconds. Elapsed time (`at`) does not pass while the machine
 * sleeps, and the time of day (`time`) can be set.
 *
 * A replica decides by the safe one. What it holds itself is over by the clock that says more
 * (`mostElapsed`). What another replica holds is over by elapsed time only, because no replica may
 * take a lease too early (L3).
 */
export interface Moment {
  readonly at: number;
  readonly time: number;
}

/** Returns how much time has passed since then, on the clock that says more. */
export function mostElapsed(since: Moment, now: Moment): number {
  return Math.max(now.at - since.at, now.time - since.time);
}
