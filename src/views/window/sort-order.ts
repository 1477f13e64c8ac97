/** What a table can be sorted by. Anything else (`undefined`, `null`, `NaN`, an invalid date) is missing, and comes last in either direction. */
export type SortValue = string | number | boolean | Date | null | undefined;

/** One column of a sort order. */
export interface SortColumn<T> {
  /**
   * What to sort by. Numbers, dates (by time) and booleans (`false` first) come before strings.
   * Called once for each version of an object; it is not the same column where it is not the same function.
   */
  readonly value: (object: T) => SortValue;
  /** Default `ascending`. */
  readonly direction?: 'ascending' | 'descending' | undefined;
  /**
   * Compares strings. Default: by UTF-16 code units, which is the same on every machine, and fastest.
   * `new Intl.Collator(undefined, { numeric: true })` sorts as people expect, `pod-2` before `pod-10`, and takes some ten times as long
   * for each comparison of two values that differ.
   */
  readonly collator?: StringCollator | undefined;
}

/** As much of `Intl.Collator` as sorting needs. */
export interface StringCollator {
  compare(a: string, b: string): number;
}

/** A value as it is compared and remembered. */
export type SortKey = string | number | undefined;

/** What is sorted: anything with a key and what it is sorted by. */
export interface Sortable {
  readonly key: string;
  readonly sortKeys: readonly SortKey[];
}

/** How the rows of a window stand: by columns, and where those are equal by key, so that no two rows are. */
export interface SortOrder<T> {
  readonly columns: readonly SortColumn<T>[];
  readonly keysOf: (object: T) => readonly SortKey[];
  readonly compare: (a: Sortable, b: Sortable) => number;
}

export function sortOrder<T>(columns: readonly SortColumn<T>[]): SortOrder<T> {
  const comparers = columns.map(comparerOf);
  return {
    columns,
    keysOf: (object) => (columns.length === 0 ? NONE : columns.map(({ value }) => sortKeyOf(value(object)))),
    compare(a, b) {
      for (let column = 0; column < comparers.length; column++) {
        const compare = comparers[column] as Comparer;
        const difference = compare(a.sortKeys[column], b.sortKeys[column]);
        if (difference !== 0) return difference;
      }
      return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
    },
  };
}

/** True where both sort in the same way: the same functions, in the same order. */
export function areSameColumns<T>(a: readonly SortColumn<T>[], b: readonly SortColumn<T>[]): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  return a.every((column, position) => {
    const other = b[position] as SortColumn<T>;
    return (
      column.value === other.value && column.collator === other.collator && isDescending(column) === isDescending(other)
    );
  });
}

/** Values that differ, in the order of a column; `undefined` where its collator takes two of them for the same. */
export function valuesInOrder<T>(values: readonly SortKey[], column: SortColumn<T>): readonly SortKey[] | undefined {
  const strings = stringsInOrder(
    values.filter((value) => typeof value === 'string'),
    column.collator,
  );
  if (!strings) return undefined;
  const present = [...Float64Array.from(values.filter((value) => typeof value === 'number')).sort(), ...strings];
  if (isDescending(column)) present.reverse();
  return present.length < values.length ? [...present, undefined] : present;
}

type Comparer = (a: SortKey, b: SortKey) => number;

const NONE: readonly SortKey[] = Object.freeze([]);

/** An API can send anything, whatever a type says: what is nothing to sort by is missing. */
function sortKeyOf(value: unknown): SortKey {
  if (typeof value === 'string') return value;
  const number = typeof value === 'number' || typeof value === 'boolean' || value instanceof Date ? Number(value) : NaN;
  return Number.isNaN(number) ? undefined : number;
}

function isDescending({ direction }: SortColumn<never>): boolean {
  return direction === 'descending';
}

function comparerOf<T>(column: SortColumn<T>): Comparer {
  const sign = isDescending(column) ? -1 : 1;
  const { collator } = column;
  const compareStrings = collator ? (a: string, b: string): number => collator.compare(a, b) : byCodeUnits;
  return (a, b) => {
    if (a === b) return 0;
    if (a === undefined) return 1;
    if (b === undefined) return -1;
    if (typeof a === 'number') return sign * (typeof b === 'number' && b < a ? 1 : -1);
    if (typeof b === 'number') return sign;
    return sign * compareStrings(a, b);
  };
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : 1;
}

/** By code units first, which is fast, and nearly what a collator says: that leaves it little to do. */
function stringsInOrder(strings: string[], collator: StringCollator | undefined): readonly string[] | undefined {
  strings.sort();
  if (!collator) return strings;
  let equal = 0;
  strings.sort((a, b) => {
    const difference = collator.compare(a, b);
    // Any sort compares those that stand side by side in the end, so it misses none.
    if (difference === 0) equal++;
    return difference;
  });
  return equal > 0 ? undefined : strings;
}

/** So few rows are not worth a Map. */
const FEW = 16;

/**
 * Rows in the order that `order.compare` gives.
 *
 * Rows with the same value in a column are put together before they are sorted, so that values are compared, not rows: most columns have few
 * values, values without their rows are sorted faster, and what compares strings as people expect takes long.
 */
export function sortRows<T, R extends Sortable>(rows: Iterable<R>, order: SortOrder<T>): readonly R[] {
  const sorted: R[] = [];
  sortInto(sorted, [...rows], order, 0);
  return sorted;
}

/** Takes rows that are equal in all columns before `position`. */
function sortInto<T, R extends Sortable>(sorted: R[], rows: R[], order: SortOrder<T>, position: number): void {
  const column = rows.length > FEW ? order.columns[position] : undefined;
  const groups = column && groupsOf(rows, position);
  const values = groups && valuesInOrder([...groups.keys()], column);
  if (!values) {
    for (const row of rows.sort(order.compare)) sorted.push(row);
    return;
  }
  for (const value of values) {
    const group = groups.get(value) as R | R[];
    if (Array.isArray(group)) sortInto(sorted, group, order, position + 1);
    else sorted.push(group);
  }
}

/** The rows by what they have in the column: an array only where there is more than one. */
function groupsOf<R extends Sortable>(rows: readonly R[], position: number): ReadonlyMap<SortKey, R | R[]> {
  const groups = new Map<SortKey, R | R[]>();
  for (const row of rows) {
    const value = row.sortKeys[position];
    const group = groups.get(value);
    if (!group) groups.set(value, row);
    else if (Array.isArray(group)) group.push(row);
    else groups.set(value, [group, row]);
  }
  return groups;
}
