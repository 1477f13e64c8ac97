import type { Row } from './row.js';

/** What a table shows: some rows of all those that the filter lets through, in order. */
export interface View<T> {
  /** The objects in the window; the same array while each of them is the same. */
  readonly rows: readonly T[];
  /** Their keys, in the same order; the same array while they are the same. For React's `key`, and for marking a selection. */
  readonly keys: readonly string[];
  /** How many objects the filter lets through, in the window and outside. */
  readonly total: number;
  /** Where `rows` begins, of `total`; `total` where there is no row. */
  readonly offset: number;
}

/** What there is to show before anything is known. */
export const emptyView: View<never> = Object.freeze({
  rows: Object.freeze([]),
  keys: Object.freeze([]),
  total: 0,
  offset: 0,
});

/** The view of a window, which shares with the previous one what they have in common; it is the previous one if that says the same. */
export function nextView<T>(previous: View<T>, window: readonly Row<T>[], total: number, offset: number): View<T> {
  const rows = window.map(({ object }) => object);
  const keys = window.map(({ key }) => key);
  const next: View<T> = {
    rows: areSame(previous.rows, rows) ? previous.rows : Object.freeze(rows),
    keys: areSame(previous.keys, keys) ? previous.keys : Object.freeze(keys),
    total,
    offset: window.length === 0 ? total : offset,
  };
  const isSame =
    next.rows === previous.rows &&
    next.keys === previous.keys &&
    next.total === previous.total &&
    next.offset === previous.offset;
  return isSame ? previous : Object.freeze(next);
}

function areSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, position) => item === b[position]);
}
