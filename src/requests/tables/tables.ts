import { BehaviorSubject, distinctUntilChanged, map, type Observable } from 'rxjs';
import type { Resource } from '../../kubernetes/resource.js';
import { dedupDeltas } from '../../operators/dedup-deltas.js';
import { reduceStore } from '../../operators/reduce-store.js';
import { toDeltas } from '../../operators/to-deltas.js';
import type { KubeClient } from '../../sources/client/kube-client.js';
import type { Commit } from '../../store/change.js';
import type { Snapshot } from '../../store/snapshot.js';
import type { TableColumn } from './cells.js';
import { sourceOfRows, type TableOptions, type TableRow } from './table-source.js';

/** A table as of one commit. */
export interface Table<T = unknown> {
  /** The columns; empty until they are known. */
  readonly columns: readonly TableColumn[];
  /** The rows, in the order of their keys. */
  readonly rows: Snapshot<TableRow<T>>;
  /** The errors of this commit. The table continues by itself. */
  readonly errors: Commit<TableRow<T>>['errors'];
}

/**
 * Emits the table that `kubectl get` shows, with the columns of the API server, and emits it again
 * when it changes.
 *
 * The rows are a snapshot, which costs nothing to emit. To sort them, to show a window or to look
 * them up by an index, create an informer from a {@link tableSource}.
 *
 * **Guarantees**: those of {@link tableSource}. Emits only if the rows or columns have changed, or
 * if something failed. It never errors and never completes.
 *
 * @param client the connection to the API server
 * @param resource what to read
 * @param options which objects, and how often cells are listed again; see {@link TableOptions}
 * @returns an Observable of tables
 * @throws what {@link tableSource} throws
 * @example
 * import { pods, type KubeClient } from 'rx-informers';
 * import { cellText, tables$ } from 'rx-informers/requests';
 *
 * declare const client: KubeClient;
 *
 * tables$(client, pods, { namespace: 'shop' }).subscribe(({ columns, rows }) => {
 *   console.log(columns.map(({ name }) => name).join('\t'));
 *   for (const { cells } of rows.list()) console.log(cells.map((cell) => cellText(cell, Date.now())).join('\t'));
 * });
 */
export function tables$<T>(
  client: KubeClient,
  resource: Resource<T>,
  options: TableOptions = {},
): Observable<Table<T>> {
  const columns$ = new BehaviorSubject<readonly TableColumn[]>([]);
  return sourceOfRows(client, resource, options, columns$).pipe(
    toDeltas(),
    dedupDeltas(),
    reduceStore(),
    map(({ snapshot, errors }) => ({ columns: columns$.value, rows: snapshot, errors })),
    distinctUntilChanged(
      (before, now) =>
        now.errors.length === 0 && before.columns === now.columns && before.rows.version === now.rows.version,
    ),
  );
}
