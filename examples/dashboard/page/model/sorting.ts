import type { Pod } from 'rx-informers';
import type { SortColumn } from 'rx-informers/views';
import { podColumns, type ColumnName } from './pod-columns.js';

export interface SortedBy {
  readonly name: ColumnName;
  readonly direction: 'ascending' | 'descending';
}

/**
 * What a click on a column's title makes of the order.
 *
 * | column | click | with Shift |
 * | --- | --- | --- |
 * | not in the order | is the order, ascending | comes last in it, ascending |
 * | ascending | is the order, descending | descending, where it is |
 * | descending | no order | leaves the order |
 */
export function nextSorting(order: readonly SortedBy[], name: ColumnName, isAdding: boolean): readonly SortedBy[] {
  const before = order.find((column) => column.name === name);
  const next = before === undefined ? ascending(name) : before.direction === 'ascending' ? descending(name) : undefined;
  if (!isAdding) return next ? [next] : [];
  if (!before) return [...order, ascending(name)];
  return order.flatMap((column) => (column !== before ? [column] : next ? [next] : []));
}

function ascending(name: ColumnName): SortedBy {
  return { name, direction: 'ascending' };
}

function descending(name: ColumnName): SortedBy {
  return { name, direction: 'descending' };
}

/** As a window takes it. */
export function sortColumns(order: readonly SortedBy[]): readonly SortColumn<Pod>[] {
  return order.flatMap(({ name, direction }) =>
    podColumns.filter((column) => column.name === name).map(({ value }) => ({ value, direction })),
  );
}
