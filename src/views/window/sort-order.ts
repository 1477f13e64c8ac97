import { byCodeUnits, collated, type StringCollator } from './collation.js';

/**
 * A value by which a table can be sorted. All other values (`undefined`, `null`, `NaN`, an invalid
 * date) count as missing. Missing values come last in both directions.
 */
export type SortValue = string | number | boolean | Date | null | undefined;

/** One column of a sort order. */
export interface SortColumn<T> {
  /**
   * Returns the value to sort by. Numbers, dates (by time) and booleans (`false` first) come before
   * strings. The function is called once for each version of an object. Columns with different
   * functions are different columns, even if the functions return the same values.
   */
  readonly value: (object: T) => SortValue;
  /** The direction of the order. Default `ascending`. */
  readonly direction?: 'ascending' | 'descending' | undefined;
  /**
   * Compares strings. Default: by UTF-16 code units, which is the same on every machine, and
   * fastest. `new Intl.Collator(undefined, { numeric: true })` is slower, but sorts as people
   * expect: `pod-2` before `pod-10`. With this collator, names of lower-case ASCII letters, digits,
   * `-` and `.` take about three times as long in English and ten other languages, because these
   * languages have no special order for these characters. All other strings take about ten times as
   * long.
   */
  readonly collator?: StringCollator | undefined;
}

/** A sort value in the form in which it is stored and compared. */
export type SortKey = string | number | undefined;

/** An item to sort: anything with a key and sort values. */
export interface SortableItem {
  readonly key: string;
  readonly sortKeys: readonly SortKey[];
}

/** By columns, and for equal values by key: no two rows are equal. */
export interface SortOrder<T> {
  readonly columns: readonly SortColumn<T>[];
  readonly keysOf: (object: T) => readonly SortKey[];
  readonly compare: (a: SortableItem, b: SortableItem) => number;
}

export function sortOrder<T>(columns: readonly SortColumn<T>[]): SortOrder<T> {
  const comparers = columns.map(comparerOf);
  return {
    columns,
    keysOf: keysBy(columns),
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

/** Returns true if both lists have the same columns, with the same functions, in the same order. */
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

/** Sorts distinct values; `undefined` if the collator of the column takes two as equal. */
function valuesInOrder<T>(values: readonly SortKey[], column: SortColumn<T>): readonly SortKey[] | undefined {
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

/** Returns the stored form. APIs send any type; a value that cannot be sorted is missing. */
function sortKeyOf(value: unknown): SortKey {
  if (typeof value === 'string') return value;
  const number = typeof value === 'number' || typeof value === 'boolean' || value instanceof Date ? Number(value) : NaN;
  return Number.isNaN(number) ? undefined : number;
}

function keysBy<T>(columns: readonly SortColumn<T>[]): (object: T) => readonly SortKey[] {
  const [first, second] = columns;
  if (!first) return () => NONE;
  if (!second) return (object) => [sortKeyOf(first.value(object))];
  if (columns.length === 2) return (object) => [sortKeyOf(first.value(object)), sortKeyOf(second.value(object))];
  return (object) => columns.map(({ value }) => sortKeyOf(value(object)));
}

function isDescending({ direction }: SortColumn<never>): boolean {
  return direction === 'descending';
}

function comparerOf<T>(column: SortColumn<T>): Comparer {
  const sign = isDescending(column) ? -1 : 1;
  const compareStrings = column.collator ? collated(column.collator) : byCodeUnits;
  return (a, b) => {
    if (a === b) return 0;
    if (a === undefined) return 1;
    if (b === undefined) return -1;
    if (typeof a === 'number') return sign * (typeof b === 'number' && b < a ? 1 : -1);
    if (typeof b === 'number') return sign;
    return sign * compareStrings(a, b);
  };
}

/**
 * Sorts by code units first, which is fast. The result is nearly in the order of a collator, so
 * sorting with the collator then needs few comparisons.
 */
function stringsInOrder(strings: string[], collator: StringCollator | undefined): readonly string[] | undefined {
  strings.sort();
  if (!collator) return strings;
  let equal = 0;
  strings.sort((a, b) => {
    const difference = collator.compare(a, b);
    // Each sort compares the values that are adjacent in the result, so all equal values are found.
    if (difference === 0) equal++;
    return difference;
  });
  return equal > 0 ? undefined : strings;
}

/** Up to this number of rows, sorting without a `Map` is faster. */
const FEW = 16;

/**
 * Returns rows in the order of `order.compare`.
 *
 * Rows with the same value in a column are grouped first, and then the distinct values are sorted
 * instead of the rows. Most columns have few distinct values, plain values are sorted faster than
 * rows, and collators are slow.
 */
export function sortRows<T, R extends SortableItem>(rows: Iterable<R>, order: SortOrder<T>): readonly R[] {
  const sorted: R[] = [];
  sortInto(sorted, [...rows], order, 0);
  return sorted;
}

/** Sorts rows that are equal in all columns before `position`. */
function sortInto<T, R extends SortableItem>(sorted: R[], rows: R[], order: SortOrder<T>, position: number): void {
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

/** Groups the rows by their value in the column. A group of one row is stored without an array. */
function groupsOf<R extends SortableItem>(rows: readonly R[], position: number): ReadonlyMap<SortKey, R | R[]> {
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
