import { useState } from 'react';
import { store, stored } from '../frame/stored.js';
import type { Column } from './columns.js';

/** Pixels of one character in the table's fonts, and pixels around the text of a cell. */
const character = 7.3;
const around = 20;

type Widths = Readonly<Record<string, number>>;

export interface ColumnWidths<T> {
  /** The value of `grid-template-columns`. */
  readonly template: string;
  /** The minimum width of a row. In a narrower window, the table scrolls sideways. */
  readonly least: number;
  readonly widthOf: (column: Column<T>) => number;
  /** Sets the width of a column, and stores it in the browser. `undefined` restores the default. */
  readonly resize: (name: string, width: number | undefined) => void;
}

/**
 * Makes columns as wide as their content. A column becomes wider when a longer text becomes
 * visible. It never becomes narrower by itself, so that nothing jumps while the table scrolls.
 *
 * @param table the name of the table, under which the browser stores the dragged widths
 */
export function useColumnWidths<T>(
  table: string,
  columns: readonly Column<T>[],
  rows: readonly (T | undefined)[],
): ColumnWidths<T> {
  const storageKey = `rx-informers-dashboard-columns ${table}`;
  const [dragged, setDragged] = useState(() => storedWidths(storageKey));
  const [longest, setLongest] = useState<Widths>({});
  const next = longestOf(columns, rows, longest);
  if (next !== longest) setLongest(next);
  const widthOf = ({ name, width: [, usual, greatest] }: Column<T>): number =>
    dragged[name] ?? Math.min(greatest, Math.max(usual, next[name] ?? 0));
  const leastOf = (column: Column<T>): number => Math.min(column.width[0], widthOf(column));
  const trackOf = (column: Column<T>): string => {
    const width = widthOf(column);
    const least = leastOf(column);
    return dragged[column.name] === undefined && least < width ? `minmax(${least}px, ${width}px)` : `${width}px`;
  };
  return {
    template: `${columns.map(trackOf).join(' ')} minmax(0, 1fr)`,
    least: columns.reduce((sum, column) => sum + (dragged[column.name] ?? leastOf(column)), 0),
    widthOf,
    resize(name, width) {
      const { [name]: _, ...others } = dragged;
      const widths = width === undefined ? others : { ...others, [name]: Math.max(40, Math.round(width)) };
      setDragged(widths);
      store(storageKey, JSON.stringify(widths));
    },
  };
}

function longestOf<T>(columns: readonly Column<T>[], rows: readonly (T | undefined)[], before: Widths): Widths {
  let next = before;
  for (const { name, text, mark = 0 } of columns) {
    if (text === undefined) continue;
    const characters = rows.reduce((most, row) => (row === undefined ? most : Math.max(most, text(row).length)), 0);
    const width = Math.ceil(characters * character) + around + mark;
    if (width > (next[name] ?? 0)) next = { ...next, [name]: width };
  }
  return next;
}

function storedWidths(storageKey: string): Widths {
  try {
    const widths: unknown = JSON.parse(stored(storageKey) ?? '{}');
    if (typeof widths !== 'object' || widths === null) return {};
    return Object.fromEntries(Object.entries(widths).filter(([, width]) => typeof width === 'number' && width >= 40));
  } catch {
    return {};
  }
}
