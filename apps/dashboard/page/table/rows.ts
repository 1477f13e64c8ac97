import type { View } from 'rx-informers/views';

/**
 * The height of a row, and the height of the column titles, which stay visible above the rows. Both
 * are in CSS pixels.
 */
export interface RowSizes {
  readonly row: number;
  readonly head: number;
}

/** One line for each row. On a phone, rows have two lines that are easy to touch, and no titles. */
export const oneLine: RowSizes = { row: 28, head: 30 };
export const twoLines: RowSizes = { row: 56, head: 0 };
/** One line that is easy to touch. */
export const fingerLine: RowSizes = { row: 44, head: 45 };
/** A line with room for marks. */
export const highLine: RowSizes = { row: 36, head: 30 };

/** The row with the keyboard cursor: its object, and the last known position of the object. */
export interface ActiveRow {
  /** The key of the object; `undefined` until the row at `index` is loaded. */
  readonly key: string | undefined;
  readonly index: number;
}

/**
 * Returns the current index of the active row. The index changes when other rows are added, removed
 * or sorted.
 */
export function activeIndex(active: ActiveRow, { keys, offset, total }: View<unknown>): number {
  const position = active.key === undefined ? -1 : keys.indexOf(active.key);
  return position === -1 ? Math.max(0, Math.min(active.index, total - 1)) : offset + position;
}

/** Returns the number of rows that Page Down moves. One row stays visible. */
export function rowsInPage(clientHeight: number, { row, head }: RowSizes): number {
  return Math.max(1, Math.floor((clientHeight - head) / row) - 1);
}

/** Returns the row that a key moves to, or `undefined` for another key. */
export function movedTo(key: string, index: number, total: number, page: number): number | undefined {
  const target = targetOf(key, index, total, page);
  return target === undefined ? undefined : Math.max(0, Math.min(target, total - 1));
}

function targetOf(key: string, index: number, total: number, page: number): number | undefined {
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return index + 1;
    case 'ArrowUp':
    case 'k':
      return index - 1;
    case 'PageDown':
      return index + page;
    case 'PageUp':
      return index - page;
    case 'Home':
      return 0;
    case 'End':
      return total - 1;
    default:
      return undefined;
  }
}

export interface WindowRange {
  readonly offset: number;
  readonly limit: number;
}

/** The number of rows in one step. */
const step = 40;

/**
 * Returns the range of rows to read for the visible rows. Rounds it to steps, so that scrolling
 * rarely changes it.
 */
export function windowRange(first: number, last: number): WindowRange {
  const offset = Math.max(0, Math.floor(first / step) * step);
  const end = (Math.floor(Math.max(first, last) / step) + 1) * step;
  return { offset, limit: end - offset };
}
