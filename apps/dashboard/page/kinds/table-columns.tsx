import type { ReactNode } from 'react';
import { cellText, type TableCell, type TableColumn, type TableRow, type TimeSince } from 'rx-informers/requests';
import type { SortColumn } from 'rx-informers/views';
import { byAge, type Column } from '../table/columns.js';
import { Age, useSecond } from '../text/age.js';
import { deletionOf, terminating } from '../text/deletion.js';
import { naturalOrder, plainText } from '../text/text.js';

/**
 * Returns the columns of a table, as `kubectl get -o wide` has them. The name comes first, and then
 * the namespace.
 */
export function tableColumns(columns: readonly TableColumn[], isNamespaced: boolean): readonly Column<TableRow>[] {
  const nameOf = distinctNames();
  const others = columns.flatMap((column, position) =>
    isName(column) ? [] : [cellColumn(column, nameOf(column.name), ({ cells }) => cells[position] ?? null)],
  );
  return [nameColumn, ...(isNamespaced ? [namespaceColumn] : []), ...others];
}

/** Returns the text of all cells in which a user searches. */
export function searchedText({ metadata, cells }: TableRow): string {
  const deletion = deletionOf({ metadata }) === undefined ? '' : terminating;
  return [metadata.namespace, metadata.name, ...cells.map(fixedText), deletion].join(' ');
}

/** Sorts in natural order: `web-2` before `web-10`. */
export const byNamespaceAndName: readonly SortColumn<TableRow>[] = [
  { value: ({ metadata }) => metadata.namespace },
  { value: ({ metadata }) => metadata.name, collator: naturalOrder },
];

function isName({ name, format }: TableColumn): boolean {
  return format === 'name' && name.toLowerCase() === 'name';
}

const nameColumn: Column<TableRow> = {
  name: 'name',
  title: 'Name',
  sort: { value: ({ metadata }) => metadata.name, collator: naturalOrder },
  text: ({ metadata }) => metadata.name,
  width: [160, 260, 520],
  cell: (row) => (row.cells.includes(terminating) ? null : <DeletionMark row={row} />),
};

/** Renders since when an object is being deleted, beside its name. */
function DeletionMark({ row }: { readonly row: TableRow }): ReactNode {
  const deletion = deletionOf({ metadata: row.metadata });
  if (deletion === undefined) return null;
  return (
    <span className="deletion-mark">
      {' '}
      {terminating} <Age since={deletion.since} />
    </span>
  );
}

const namespaceColumn: Column<TableRow> = {
  name: 'namespace',
  title: 'Namespace',
  sort: { value: ({ metadata }) => metadata.namespace, collator: naturalOrder },
  text: ({ metadata }) => metadata.namespace ?? '',
  width: [96, 110, 420],
};

function cellColumn(
  { name: title, type, description }: TableColumn,
  name: string,
  cellOf: (row: TableRow) => TableCell,
): Column<TableRow> {
  const isAge = title === 'Age' || type === 'date';
  const isNumeric = isAge || type === 'integer' || type === 'number';
  const usual = isNumeric ? Math.max(64, 28 + 8 * title.length) : 110;
  return {
    name,
    title,
    description,
    className: isAge ? 'age' : isNumeric ? 'number' : 'text',
    sort: { value: (row) => sortValue(cellOf(row)), collator: naturalOrder },
    text: (row) => fixedText(cellOf(row)),
    cell: (row) => <Cell cell={cellOf(row)} />,
    width: [isNumeric ? usual : 96, usual, 420],
    isNumeric,
  };
}

/** Renders a cell as `kubectl get` prints it, and keeps its age up to date. */
export function Cell({ cell }: { readonly cell: TableCell }): ReactNode {
  return isTime(cell) ? <TimeCell cell={cell} /> : plainText(cellText(cell, 0));
}

function TimeCell({ cell }: { readonly cell: TimeSince }): ReactNode {
  return <time dateTime={cell.since}>{plainText(useSecond((now) => cellText(cell, now)))}</time>;
}

/** The part of a text that does not depend on the time. */
function fixedText(cell: TableCell): string {
  return isTime(cell) ? (cell.before ?? '') : cellText(cell, 0);
}

function sortValue(cell: TableCell): string | number | undefined {
  if (isTime(cell)) return cell.before ?? byAge(cell.since);
  return typeof cell === 'boolean' ? String(cell) : (cell ?? undefined);
}

function isTime(cell: TableCell): cell is TimeSince {
  return typeof cell === 'object' && cell !== null;
}

/**
 * Returns a function that returns a different name for each column, for the address: the letters of
 * its title. If another column has that name, `x` is appended until none has it.
 */
function distinctNames(): (title: string) => string {
  const taken = new Set(['name', 'namespace']);
  return (title) => {
    let name = title.replace(/[^a-z]/gi, '').toLowerCase() || 'column';
    while (taken.has(name)) name += 'x';
    taken.add(name);
    return name;
  };
}
