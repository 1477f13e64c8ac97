import { useEffect, useState, useSyncExternalStore, type RefObject } from 'react';
import { flushSync } from 'react-dom';
import type { RowSizes } from './rows.js';

/** A row that is higher than normal, with the additional pixels. */
export interface TallRow {
  readonly index: number;
  readonly extra: number;
}

/** Returns the distance in pixels from the first row to the start of a row. */
export function topOf(index: number, row: number, tall: readonly TallRow[]): number {
  return tall.reduce((top, each) => (each.index < index ? top + each.extra : top), index * row);
}

/** Returns the row at a distance in pixels from the start of the first row. */
export function indexAt(distance: number, row: number, tall: readonly TallRow[]): number {
  let extra = 0;
  for (const each of tall) {
    const top = each.index * row + extra;
    if (top >= distance) break;
    if (distance < top + row + each.extra) return each.index;
    extra += each.extra;
  }
  return Math.max(0, Math.floor((distance - extra) / row));
}

/** The visible part of a table. Lengths are in CSS pixels. */
export interface Viewport {
  readonly scrollTop: number;
  readonly clientHeight: number;
}

/** Returns the scroll position that makes a row visible. Scrolls as little as possible. */
export function scrollTopFor(
  index: number,
  { scrollTop, clientHeight }: Viewport,
  { row, head }: RowSizes,
  tall: readonly TallRow[],
): number {
  const above = topOf(index, row, tall);
  const below = head + topOf(index + 1, row, tall) - clientHeight;
  return Math.max(below, Math.min(above, scrollTop));
}

/** The heights of rows with expanded details, as the browser measures them. */
export class TallRows {
  readonly #row: number;
  readonly #extras = new Map<string, TallRow>();
  readonly #listeners = new Set<() => void>();
  readonly #observer =
    typeof ResizeObserver === 'undefined'
      ? undefined
      : new ResizeObserver((entries) => {
          for (const { target } of entries) this.#measured(target as HTMLElement);
        });
  #snapshot: readonly TallRow[] = [];

  constructor(row: number) {
    this.#row = row;
  }

  readonly getSnapshot = (): readonly TallRow[] => this.#snapshot;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  };

  /**
   * Measures the element of a row. Pass it as `ref`. The element names its row in `data-key` and
   * `data-index`.
   */
  readonly observe = (element: HTMLElement | null): (() => void) | undefined => {
    if (element === null) return undefined;
    this.#observer?.observe(element);
    return () => {
      this.#observer?.unobserve(element);
    };
  };

  /**
   * Sets the positions of rows, from `offset` on. Forgets the height of a row that is no longer
   * there.
   */
  place(keys: readonly string[], offset: number): void {
    let isChanged = false;
    for (const [key, { index, extra }] of this.#extras) {
      const position = keys.indexOf(key);
      const at = position === -1 ? index : offset + position;
      const isGone = position === -1 && index >= offset && index < offset + keys.length;
      if (at === index && !isGone) continue;
      isChanged = true;
      if (isGone) this.#extras.delete(key);
      else this.#extras.set(key, { index: at, extra });
    }
    if (isChanged) this.#notify();
  }

  #measured(element: HTMLElement): void {
    const { key = '', index } = element.dataset;
    const extra = element.offsetHeight - this.#row;
    if (extra === (this.#extras.get(key)?.extra ?? 0)) return;
    if (extra === 0) this.#extras.delete(key);
    else this.#extras.set(key, { index: Number(index), extra });
    this.#notify();
  }

  #notify(): void {
    this.#snapshot = [...this.#extras.values()].sort((a, b) => a.index - b.index);
    for (const listener of [...this.#listeners]) listener();
  }
}

/** The number of rows that are drawn above and below the visible ones. */
const overscan = 6;

interface RowsInSight {
  /** The range of rows to draw. The last one may lie after the end of the table. */
  readonly first: number;
  readonly last: number;
  readonly tall: readonly TallRow[];
}

/**
 * Returns the visible rows of a table, and renders the component again when they change.
 *
 * The tables do not use TanStack Virtual. It needs 9.5 KB, and a test limits the script for the
 * first rows to 170 KB. The timeline and the logs, which load later, use it.
 */
export function useRowsInSight(
  scroller: RefObject<HTMLElement | null>,
  { row, head }: RowSizes,
  tallRows: TallRows,
): RowsInSight {
  const tall = useSyncExternalStore(tallRows.subscribe, tallRows.getSnapshot);
  const [{ top, height }, setSight] = useState({ top: 0, height: innerHeight });
  useEffect(() => {
    const table = scroller.current;
    if (table === null) return undefined;
    const look = (): void => {
      // Rounds to whole rows, because a part of a row makes no difference.
      const sight = { top: Math.floor(table.scrollTop / row) * row, height: table.clientHeight };
      setSight((before) => (before.top === sight.top && before.height === sight.height ? before : sight));
    };
    // Renders synchronously, so that new rows exist when the browser draws the scrolled table.
    const onScroll = (): void => {
      flushSync(look);
    };
    table.addEventListener('scroll', onScroll, { passive: true });
    const observer = typeof ResizeObserver === 'undefined' ? undefined : new ResizeObserver(look);
    observer?.observe(table);
    return () => {
      table.removeEventListener('scroll', onScroll);
      observer?.disconnect();
    };
  }, [scroller, row]);
  return {
    first: Math.max(0, indexAt(top, row, tall) - overscan),
    last: indexAt(top + row + height - head, row, tall) + overscan,
    tall,
  };
}
