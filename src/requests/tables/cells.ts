import type { KubernetesObject } from '../../kubernetes/object.js';
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
  /** The text before the age, for example `3 (`. Default: none. */
  readonly before?: string;
  /** The text after the age, for example ` ago)`. Default: none. */
  readonly after?: string;
}

/** A cell of a table. */
export type TableCell = string | number | boolean | null | TimeSince;

/**
 * Returns the text of a cell, as `kubectl get` prints it.
 *
 * | cell | text |
 * | --- | --- |
 * | `{ since }` | the age: `45s`, `3m12s`, `5d`; `<invalid>` for a time in the future |
 * | `{ before, since, after }` | the age with the text around it: `3 (2m ago)` |
 * | `null` | `''` |
 * | a text with a line break | the first line, then `...` |
 * | any other | the value |
 *
 * @param cell a cell of a {@link TableRow}
 * @param now milliseconds since the epoch, for example `Date.now()`
 * @returns the text
 */
export function cellText(cell: TableCell, now: number): string {
  if (cell === null) return '';
  if (typeof cell !== 'object') return String(cell).replace(/[\f\n\r][^]*/, '...');
  const age = now - Date.parse(cell.since);
  // As in kubectl, clocks may differ by less than two seconds.
  const text = age <= -2_000 ? invalid : durationText(age);
  return `${cell.before ?? ''}${text}${cell.after ?? ''}`;
}

const invalid = '<invalid>';

/** Returns true if the text of a cell may depend on the time: `5m`, `3 (2m ago)`, `<invalid>`. */
export function isRelative(cell: TableCell): boolean {
  return typeof cell === 'string' && relative.test(cell);
}

/** The text around an age, and the age: all of the text, or `2m` in `3 (2m ago)`. */
const relative = /^((?:\d+[ydhms])+|<invalid>)$|^(.*?)((?:\d+[ydhms])+|<invalid>)( ago\b.*)$/;

/**
 * Replaces the texts that were an age when the server sent the row by the times of which they are
 * the age. A text stays if it may be the age of several times, or of none.
 *
 * The column `Age` is the age of the object, if its text agrees. A text of any other column is the
 * age of a time that the object contains, so this needs the whole object.
 */
export class CellTimes {
  /** For each column, the fields whose times agree with all rows so far. */
  readonly #fields = new Map<string, ReadonlySet<string>>();

  /** @param areWhole true if `cells` receives whole objects, not only their metadata */
  constructor(private readonly areWhole: boolean) {}

  /**
   * Returns the cells of a row.
   *
   * @param now the time of the server when it sent the row
   */
  cells(
    cells: readonly TableCell[],
    columns: readonly TableColumn[],
    object: KubernetesObject | null | undefined,
    now: number,
  ): readonly TableCell[] {
    const created = object?.metadata?.creationTimestamp;
    let times: readonly FieldTime[] | undefined;
    return cells.map((cell, position) => {
      const column = columns[position];
      const match = typeof cell === 'string' && column?.format !== 'name' ? relative.exec(cell) : null;
      if (match === null || column === undefined) return cell;
      const [, whole, before, inner, after] = match;
      const text = whole ?? inner ?? '';
      if (column.name === 'Age' && created !== undefined && isAgeIn(text, now - Date.parse(created), 10_000)) {
        return { since: created };
      }
      if (!this.areWhole) return cell;
      // The ages of custom resources are dates, those of built-in kinds are texts.
      if (column.type !== 'date' && columns.some(({ type }) => type === 'date')) return cell;
      times ??= timesIn(object);
      // The duration of a Job is an age only until the Job ends.
      if (/duration/i.test(column.name) && isDifference(text, times)) return cell;
      const since = this.#timeOf(column.name, text, times, now);
      if (since === undefined) return cell;
      return whole === undefined ? { before: before ?? '', since, after: after ?? '' } : { since };
    });
  }

  #timeOf(column: string, text: string, all: readonly FieldTime[], now: number): string | undefined {
    const agreeing = all.filter(({ time }) => isAgeIn(text, now - time, tolerance));
    const known = this.#fields.get(column);
    const same = agreeing.filter(({ field }) => known?.has(field) !== false);
    const found = same.length > 0 ? same : agreeing;
    if (found.length === 0) return undefined;
    this.#fields.set(column, new Set(found.map(({ field }) => field)));
    const times = found.map(({ time }) => time);
    if (Math.max(...times) - Math.min(...times) > tolerance) return undefined;
    return (found.find(({ time }) => durationText(now - time) === text) ?? found[0])?.value;
  }
}

/** A time in an object. */
interface FieldTime {
  /** The names on the way to it, without positions in lists. */
  readonly field: string;
  readonly value: string;
  readonly time: number;
}

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** Returns all times in an object. Those of `managedFields` are no state of the object. */
function timesIn(value: unknown, field = ''): readonly FieldTime[] {
  if (typeof value === 'string') return timestamp.test(value) ? [{ field, value, time: Date.parse(value) }] : [];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => timesIn(item, field));
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'managedFields' ? [] : timesIn(inner, `${field}/${name}`),
  );
}

/** Milliseconds by which the known time of the server may differ from its time for a text. */
const tolerance = 2_000;

/** Returns true if a text is the time between two times of the status. */
function isDifference(text: string, all: readonly FieldTime[]): boolean {
  const times = all.filter(({ field }) => field.startsWith('/status/')).map(({ time }) => time);
  return times.some((start) => times.some((end) => end > start && durationText(end - start) === text));
}

/** Returns true if a text of kubectl's form is that of an age in milliseconds. */
function isAgeIn(text: string, age: number, tolerance: number): boolean {
  if (text === invalid) return age < tolerance - 2_000;
  const parts = [...text.matchAll(/(\d+)([ydhms])/g)];
  const least = parts.reduce((sum, [, count, unit]) => sum + Number(count) * lengthOf(unit), 0);
  return age > least - tolerance && age < least + lengthOf(parts.at(-1)?.[2]) + tolerance;
}

function lengthOf(unit: string | undefined): number {
  return { y: 31_536_000_000, d: 86_400_000, h: 3_600_000, m: 60_000 }[unit ?? ''] ?? 1_000;
}
