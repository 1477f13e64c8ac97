import type { Resource } from 'rx-informers';
import type { DerivedCollection } from 'rx-informers/derived';
import { useObject } from 'rx-informers/react';
import type { TableColumn, TableRow } from 'rx-informers/requests';
import { useCluster } from '../cluster/cluster.js';
import { atShownTime } from '../history/recordings.js';
import { columnsKey, tableOf, type TableScope } from './kind-tables.js';

/** A table at the time that the page shows. */
export interface ShownTable {
  readonly rows: DerivedCollection<TableRow, 'namespace'>;
  /** The columns; `undefined` until they are known. */
  readonly columns: readonly TableColumn[] | undefined;
}

/**
 * Returns what `kubectl get -o wide` prints for a kind, at the time that the page shows. Its watch
 * runs while a component shows the rows.
 */
export function useTable(resource: Resource<unknown>, scope: TableScope): ShownTable {
  const { rows, columns } = tableOf(useCluster(), resource, scope);
  return { rows: atShownTime(rows), columns: useObject(atShownTime(columns), columnsKey)?.columns };
}
