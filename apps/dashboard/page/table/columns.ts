import type { ReactNode } from 'react';
import type { SortColumn } from 'rx-informers/views';

/**
 * One column of a table. Define it once or memoise it: a new sort function makes a window sort all
 * rows again.
 */
export interface Column<T> {
  /** The name of the column in the parameter `order` of the address. It has only letters. */
  readonly name: string;
  readonly title: string;
  readonly description?: string | undefined;
  /**
   * The CSS class of its cells; default: the name. Set it if the name of the column comes from a
   * cluster, because that name could be a class of the style sheet.
   */
  readonly className?: string;
  readonly sort: Omit<SortColumn<T>, 'direction'>;
  /** Returns the text of a cell. Without it, the width does not depend on the rows. */
  readonly text?: (row: T) => string;
  /** Draws the content of a cell; default: the text. In the column `name`, drawn beside the link. */
  readonly cell?: (row: T) => ReactNode;
  /** Returns an additional CSS class for the cell of a row. */
  readonly tone?: (row: T) => string | undefined;
  /** The minimum, default and maximum width in CSS pixels. The user may drag it further. */
  readonly width: readonly [least: number, usual: number, greatest: number];
  /** Pixels for a mark beside the text; default: none. */
  readonly mark?: number;
  /** Whether the text is aligned at its end. */
  readonly isNumeric?: boolean;
}

/** Returns a column that shows a text and is sorted by it. */
export function textColumn<T>(
  name: string,
  title: string,
  width: Column<T>['width'],
  text: (row: T) => string,
): Column<T> {
  return { name, title, sort: { value: text }, text, width };
}

/** One column of an order. Names without a column are ignored. */
export interface SortedBy {
  readonly name: string;
  readonly direction: 'ascending' | 'descending';
}

/**
 * Returns an order in the format of a window. `otherwise` is the default order. It also sorts rows
 * that are equal in the chosen order.
 */
export function sortingOf<T>(
  order: readonly SortedBy[],
  columns: readonly Column<T>[],
  otherwise: readonly SortColumn<T>[],
): readonly SortColumn<T>[] {
  const chosen = order.flatMap(({ name, direction }) =>
    columns.filter((column) => column.name === name).map(({ sort }) => ({ ...sort, direction })),
  );
  return [...chosen, ...otherwise];
}

/**
 * Returns the order after a click on a column's title.
 *
 * | column before | click | click with Shift |
 * | --- | --- | --- |
 * | not in the order | sorts only by it, ascending | added last, ascending |
 * | ascending | sorts only by it, descending | descending, same position |
 * | descending | default order | removed from the order |
 */
export function nextSorting(order: readonly SortedBy[], name: string, isAdding: boolean): readonly SortedBy[] {
  const before = order.find((column) => column.name === name);
  const next = before === undefined ? ascending(name) : before.direction === 'ascending' ? descending(name) : undefined;
  if (!isAdding) return next ? [next] : [];
  if (!before) return [...order, ascending(name)];
  return order.flatMap((column) => (column !== before ? [column] : next ? [next] : []));
}

function ascending(name: string): SortedBy {
  return { name, direction: 'ascending' };
}

function descending(name: string): SortedBy {
  return { name, direction: 'descending' };
}

/** Returns a sort key by age, not by time of creation. Ascending order begins with the youngest. */
export function byAge(time: string | undefined): number {
  return -Date.parse(time ?? '');
}
