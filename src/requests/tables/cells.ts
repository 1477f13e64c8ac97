import { durationText } from '../../kubernetes/status/status-summary.js';

/**
 * A column of a table, as the API server describes it. Its cell in each row is at the same position
 * in `cells`.
 */
export interface TableColumn {
  /** The title, for example `Restarts`. */
  readonly name: string;
  /** The type of the cells in OpenAPI, for example `integer`; `date` for a time. */
  readonly type: string;
  /** For example `name`; `''` if the type has no format. */
  readonly format: string;
  readonly description: string;
  /** 0 if `kubectl get` shows the column, otherwise only `-o wide` shows it. */
  readonly priority: number;
}

/** The time of which a cell shows the age. `cellText` returns the text. */
export interface TimeSince {
  /** A time in RFC 3339. */
  readonly since: string;
}

/** A cell of a table. */
export type TableCell = string | number | boolean | null | TimeSince;

/**
 * Returns the text of a cell, as `kubectl get` prints it.
 *
 * | cell | text |
 * | --- | --- |
 * | `{ since }` | the age: `45s`, `3m12s`, `5d`; `<invalid>` for a time in the future |
 * | `null` | `''` |
 * | any other | the value |
 *
 * @param cell a cell of a {@link TableRow}
 * @param now milliseconds since the epoch, for example `Date.now()`
 * @returns the text
 */
export function cellText(cell: TableCell, now: number): string {
  if (cell === null) return '';
  if (typeof cell !== 'object') return String(cell);
  const age = now - Date.parse(cell.since);
  // As in kubectl, clocks may differ by less than two seconds.
  return age <= -2_000 ? invalid : durationText(age);
}

const invalid = '<invalid>';

/**
 * Replaces the age of an object, a text that the server computed when it sent the row, by the time
 * of its creation. A column `Age` with another age is not changed: the definition of a custom
 * resource may show the age of anything.
 */
export function withTimes(
  cells: readonly TableCell[],
  columns: readonly TableColumn[],
  creationTimestamp: string | undefined,
  now: number,
): readonly TableCell[] {
  if (creationTimestamp === undefined) return cells;
  const age = (now - Date.parse(creationTimestamp)) / 1_000;
  return cells.map((cell, position) =>
    columns[position]?.name === 'Age' && typeof cell === 'string' && isTextOf(cell, age)
      ? { since: creationTimestamp }
      : cell,
  );
}

/** Returns true if the text of a cell depends on the time: `5m`, `3 (2m ago)`. */
export function isRelative(cell: TableCell): boolean {
  return typeof cell === 'string' && relative.test(cell);
}

const relative = /^(\d+[ydhms])+$|(\d+[ydhms])+ ago\b/;

/** Seconds by which clocks may differ, and which a response may take. */
const tolerance = 10;

/** Returns true if a text of kubectl's form is that of an age in seconds. */
function isTextOf(text: string, age: number): boolean {
  if (text === invalid) return age < tolerance;
  if (!/^(\d+[ydhms])+$/.test(text)) return false;
  const parts = [...text.matchAll(/(\d+)([ydhms])/g)];
  const least = parts.reduce((sum, [, count, unit]) => sum + Number(count) * secondsOf(unit), 0);
  return age > least - tolerance && age < least + secondsOf(parts.at(-1)?.[2]) + tolerance;
}

function secondsOf(unit: string | undefined): number {
  return { y: 31_536_000, d: 86_400, h: 3_600, m: 60 }[unit ?? ''] ?? 1;
}
