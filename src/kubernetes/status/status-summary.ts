/** Worst first: the order for a legend, or for a table sorted by severity. */
export const severities = ['failing', 'failed', 'warning', 'progressing', 'ok', 'done'] as const;

/**
 * The health of an object in one word, for colours, filters and counts. `podStatus` and
 * `nodeStatus` define the severity of each state.
 *
 * | severity | the object | needs attention |
 * | --- | --- | --- |
 * | `failing` | does not work, and Kubernetes may be trying again | yes |
 * | `failed` | has ended in failure; nothing more happens to it | yes |
 * | `warning` | runs, but does not serve; or cannot start yet | yes |
 * | `progressing` | is on its way to another state, and nothing is wrong | no |
 * | `ok` | works | no |
 * | `done` | has ended as it should | no |
 */
export type Severity = (typeof severities)[number];

/** The summary of an object's status: the word that `kubectl get` prints, and its severity. */
export interface StatusSummary {
  /** The STATUS column of `kubectl get`. */
  readonly reason: string;
  readonly severity: Severity;
}

/**
 * Returns true for a severity that needs attention: `failing`, `failed` and `warning`.
 *
 * @param severity the severity of a {@link podStatus} or {@link nodeStatus}
 * @returns true for trouble
 */
export function isTrouble(severity: Severity): boolean {
  return severity === 'failing' || severity === 'failed' || severity === 'warning';
}

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/**
 * Returns a duration as kubectl prints it: in its largest unit, or in two units if the number of
 * the first is small.
 *
 * `119s`, `2m`, `9m59s`, `10m`, `3h`, `7h59m`, `8h`, `47h`, `2d`, `7d23h`, `8d`, `729d`, `2y`,
 * `7y364d`, `8y`. A negative duration, which can result from different clocks, is `0s`.
 *
 * @param milliseconds the duration
 */
export function durationText(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 2 * minute) return `${seconds}s`;
  if (seconds < 10 * minute) return inUnits(seconds, minute, 'm', 1, 's');
  if (seconds < 3 * hour) return inUnits(seconds, minute, 'm');
  if (seconds < 8 * hour) return inUnits(seconds, hour, 'h', minute, 'm');
  if (seconds < 2 * day) return inUnits(seconds, hour, 'h');
  if (seconds < 8 * day) return inUnits(seconds, day, 'd', hour, 'h');
  if (seconds < 2 * year) return inUnits(seconds, day, 'd');
  if (seconds < 8 * year) return inUnits(seconds, year, 'y', day, 'd');
  return inUnits(seconds, year, 'y');
}

function inUnits(seconds: number, unit: number, letter: string, second = unit, secondLetter = ''): string {
  const rest = Math.floor((seconds % unit) / second);
  return `${Math.floor(seconds / unit)}${letter}${rest === 0 ? '' : `${rest}${secondLetter}`}`;
}
