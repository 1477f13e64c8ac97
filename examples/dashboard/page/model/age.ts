const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * How long ago something was, as `kubectl get` says it: `45s`, `7m`, `26h`, `12d`.
 *
 * A time that this clock has not reached yet is `0s`: the clocks of browser and server differ. No time at all is a dash.
 */
export function ageText(now: number, timestamp: string | undefined): string {
  const then = timestamp === undefined ? NaN : Date.parse(timestamp);
  return Number.isNaN(then) ? '–' : durationText(now - then);
}

/** Milliseconds in the largest unit of which there are at least two; never negative. */
export function durationText(milliseconds: number): string {
  const duration = Math.max(0, milliseconds);
  if (duration < 2 * MINUTE) return `${Math.floor(duration / SECOND)}s`;
  if (duration < 2 * HOUR) return `${Math.floor(duration / MINUTE)}m`;
  if (duration < 2 * DAY) return `${Math.floor(duration / HOUR)}h`;
  return `${Math.floor(duration / DAY)}d`;
}
