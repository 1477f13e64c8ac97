import { createIndexer, indexByNamespace, informer, type Collection, type Informer, type Resource } from 'rx-informers';
import { tableSource, type TableColumn, type TableRow } from 'rx-informers/requests';
import { browserWake$ } from 'rx-informers/views';
import type { Cluster } from '../cluster/cluster.js';
import { onUnobservedError } from '../cluster/informers.js';
import { nameSelector } from '../cluster/name-selector.js';
import { reading } from '../cluster/reading.js';
import { atShownTime } from '../history/recordings.js';

/** The columns of a table, as the only row of a collection. So the history records them, too. */
interface Columns {
  readonly columns: readonly TableColumn[];
}

/** The key of the only row with the columns. */
export const columnsKey = 'columns';

/** What `kubectl get -o wide` prints for the objects of a kind. */
export interface KindTable {
  readonly rows: Informer<TableRow, 'namespace'>;
  readonly columns: Collection<Columns>;
}

/** The objects of a table. */
export interface TableScope {
  readonly namespace?: string | undefined;
  /** The only object of the table. */
  readonly name?: string | undefined;
}

/** Returns a table of a cluster. The same resource and scope return the same table. */
export function tableOf(cluster: Cluster, resource: Resource<unknown>, scope: TableScope): KindTable {
  const { group, version, plural } = resource;
  const id = JSON.stringify([group, version, plural, scope.namespace, scope.name]);
  const table = cluster.tables.get(id) ?? createTable(cluster, resource, scope);
  cluster.tables.set(id, table);
  return table;
}

function createTable({ client, writes }: Cluster, resource: Resource<unknown>, scope: TableScope): KindTable {
  const { namespace, name } = scope;
  const source = tableSource(client, resource, {
    watchTimeout: reading.watchTimeout,
    namespace,
    fieldSelector: name === undefined ? undefined : nameSelector(name),
    // The API server does not send the content of Secrets to the page.
    exactAges: !(resource.group === '' && resource.plural === 'secrets'),
  });
  const columns = createIndexer<Columns>(() => columnsKey, {}, { name: `columns of ${resource.plural}` });
  source.columns$.subscribe((latest) => {
    columns.add({ columns: latest });
  });
  // Records from the beginning, so that earlier rows have the columns of their time.
  atShownTime(columns);
  const rows = informer(writes.shownInTable(source, resource, scope), {
    onUnobservedError,
    wakeOn: browserWake$(),
    indexers: { namespace: indexByNamespace },
  });
  return { rows, columns };
}
