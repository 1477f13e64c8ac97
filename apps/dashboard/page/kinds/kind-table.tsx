import { useMemo, type ReactNode } from 'react';
import type { Collection } from 'rx-informers';
import type { SortColumn } from 'rx-informers/views';
import { usePageAddress } from '../address/use-page-address.js';
import { useIsNarrow } from '../frame/narrow.js';
import type { PodFilter } from '../pods/pod-filter.js';
import { byAge, sortingOf, type Column } from '../table/columns.js';
import { fingerLine, oneLine } from '../table/rows.js';
import { Table } from '../table/table.js';
import { Age } from '../text/age.js';
import { deletionOf, terminating } from '../text/deletion.js';
import { naturalOrder, wordsTest } from '../text/text.js';
import { isUnconfirmed } from '../writes/unconfirmed.js';
import type { KindColumn } from './columns.js';
import type { AnyObject, Kind } from './discovery.js';

interface KindTableProps {
  readonly kind: Kind;
  readonly objects: Collection<AnyObject>;
  readonly columns: readonly KindColumn[];
  readonly onTotal: (total: number) => void;
}

/** Renders the table of the objects of a kind. */
export function KindTable({ kind, objects, columns, onTotal }: KindTableProps): ReactNode {
  const { filter, order } = usePageAddress();
  const isNarrow = useIsNarrow();
  const all = useMemo(() => allColumns(kind, columns), [kind, columns]);
  const shown = useMemo(() => all.map(tableColumn), [all]);
  const where = useMemo(() => conditionOf(filter, all), [filter, all]);
  const sortBy = useMemo(() => sortingOf(order, shown, byNamespaceAndName), [order, shown]);
  const linkTo = useMemo(() => (_: AnyObject, key: string) => ({ resource: kind.id, key }), [kind]);
  return (
    <Table
      name={kind.id}
      label={kind.kind}
      collection={objects}
      columns={shown}
      where={where}
      sortBy={sortBy}
      sizes={isNarrow ? fingerLine : oneLine}
      linkTo={linkTo}
      classOf={unconfirmedClass}
      empty="No objects, or none match the filter."
      onTotal={onTotal}
    />
  );
}

function unconfirmedClass(object: AnyObject): string {
  return isUnconfirmed(object) ? 'unconfirmed' : '';
}

function allColumns({ resource }: Kind, columns: readonly KindColumn[]): readonly KindColumn[] {
  return [
    {
      name: 'name',
      title: 'Name',
      type: 'text',
      value: ({ metadata }) => metadata.name,
      cell: (object) => (columns.some(({ value }) => value(object) === terminating) ? null : deletionMark(object)),
    },
    ...(resource.namespaced ? [namespaceColumn] : []),
    ...columns,
    ageColumn,
  ];
}

/** Renders since when an object is being deleted, beside its name. */
function deletionMark(object: AnyObject): ReactNode {
  const deletion = deletionOf(object);
  if (deletion === undefined) return null;
  return (
    <span className="deletion-mark">
      {' '}
      {terminating} <Age since={deletion.since} />
    </span>
  );
}

const namespaceColumn: KindColumn = {
  name: 'namespace',
  title: 'Namespace',
  type: 'text',
  value: ({ metadata }) => metadata.namespace,
};

const ageColumn: KindColumn = {
  name: 'age',
  title: 'Age',
  type: 'age',
  value: ({ metadata }) => metadata.creationTimestamp,
};

function tableColumn({ name, title, description, type, value, cell }: KindColumn): Column<AnyObject> {
  const own = { name, title, description, className: name === 'name' || name === 'namespace' ? name : type };
  const textOf = (object: AnyObject): string => String(value(object) ?? '');
  if (type === 'text') {
    const width = name === 'name' ? ([160, 260, 520] as const) : ([96, 110, 420] as const);
    return { ...own, sort: { value, collator: naturalOrder }, text: textOf, width, ...(cell && { cell }) };
  }
  const width = Math.max(64, 28 + 8 * title.length);
  const numeric = { ...own, width: [width, width, width] as const, isNumeric: true };
  if (cell !== undefined) return { ...numeric, sort: { value }, cell };
  if (type === 'number') return { ...numeric, sort: { value, collator: naturalOrder }, text: textOf };
  return {
    ...numeric,
    sort: { value: (object) => byAge(textOf(object)) },
    cell: (object) => (value(object) === undefined ? '' : <Age since={textOf(object)} />),
  };
}

/** Sorts in natural order: `web-2` before `web-10`. */
const byNamespaceAndName: readonly SortColumn<AnyObject>[] = [
  { value: ({ metadata }) => metadata.namespace },
  { value: ({ metadata }) => metadata.name, collator: naturalOrder },
];

function conditionOf(
  { chosen, text }: PodFilter,
  columns: readonly KindColumn[],
): ((object: AnyObject) => boolean) | undefined {
  const namespaces = columns.includes(namespaceColumn) ? chosen['namespace'] : undefined;
  const hasWords = wordsTest(text);
  if (namespaces === undefined && hasWords === undefined) return undefined;
  return (object) =>
    namespaces?.includes(object.metadata.namespace ?? '') !== false &&
    hasWords?.(
      columns
        .map(({ value }) => String(value(object) ?? ''))
        .concat(wordsOf(object))
        .join(' '),
    ) !== false;
}

function wordsOf(object: AnyObject): readonly string[] {
  return deletionOf(object) === undefined ? [] : [terminating];
}
