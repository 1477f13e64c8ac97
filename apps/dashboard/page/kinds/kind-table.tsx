import { useMemo, type ReactNode } from 'react';
import type { Collection } from 'rx-informers';
import type { TableColumn, TableRow } from 'rx-informers/requests';
import { usePageAddress } from '../address/use-page-address.js';
import { useIsNarrow } from '../frame/narrow.js';
import type { PodFilter } from '../pods/pod-filter.js';
import { sortingOf } from '../table/columns.js';
import { fingerLine, oneLine } from '../table/rows.js';
import { Table } from '../table/table.js';
import { typedTest } from '../text/typed.js';
import { isUnconfirmed } from '../writes/unconfirmed.js';
import type { Kind } from './discovery.js';
import { byNamespaceAndName, searchedText, tableColumns } from './table-columns.js';
import { useUsageColumns } from './usage-columns.js';

interface KindTableProps {
  readonly kind: Kind;
  readonly rows: Collection<TableRow>;
  readonly columns: readonly TableColumn[];
  readonly onTotal: (total: number) => void;
}

/** Renders the table of the objects of a kind. */
export function KindTable({ kind, rows, columns, onTotal }: KindTableProps): ReactNode {
  const { filter, order } = usePageAddress();
  const isNarrow = useIsNarrow();
  const usage = useUsageColumns(kind);
  const { namespaced } = kind.resource;
  const shown = useMemo(() => [...tableColumns(columns, namespaced), ...usage], [columns, namespaced, usage]);
  const where = useMemo(() => conditionOf(filter, namespaced), [filter, namespaced]);
  const sortBy = useMemo(() => sortingOf(order, shown, byNamespaceAndName), [order, shown]);
  const linkTo = useMemo(() => (_: TableRow, key: string) => ({ resource: kind.id, key }), [kind]);
  return (
    <Table
      name={kind.id}
      label={kind.kind}
      collection={rows}
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

function unconfirmedClass(row: TableRow): string {
  return isUnconfirmed(row) ? 'unconfirmed' : '';
}

function conditionOf({ chosen, text }: PodFilter, isNamespaced: boolean): ((row: TableRow) => boolean) | undefined {
  const namespaces = isNamespaced ? chosen['namespace'] : undefined;
  const isTyped = typedTest(text);
  if (namespaces === undefined && isTyped === undefined) return undefined;
  return (row) =>
    namespaces?.includes(row.metadata.namespace ?? '') !== false &&
    isTyped?.(() => searchedText(row), row.metadata.labels) !== false;
}
