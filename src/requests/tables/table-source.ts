import {
  BehaviorSubject,
  catchError,
  defer,
  EMPTY,
  exhaustMap,
  filter,
  finalize,
  from,
  map,
  merge,
  mergeMap,
  type MonoTypeOperatorFunction,
  type Observable,
  tap,
  timer,
} from 'rxjs';
import { invalidOptionError } from '../../kubernetes/errors.js';
import type { PartialObjectMetadata } from '../../kubernetes/object.js';
import { resourcePath } from '../../kubernetes/resource-path.js';
import type { Resource } from '../../kubernetes/resource.js';
import { formatLabelSelector } from '../../kubernetes/selector.js';
import { isEqualContent } from '../../kubernetes/share-structure.js';
import { checkedDuration, wallTime } from '../../scheduling/clock.js';
import { type KubeClient, requestJson, schedulerOf } from '../../sources/client/kube-client.js';
import { listWatch, type ListWatchOptions } from '../../sources/list-watch.js';
import { checkedChoice } from '../../sources/model/checked-options.js';
import { Contacts, type ResourceSource, sourceWith } from '../../sources/model/source.js';
import type { WatchEvent, WatchEventBatch } from '../../sources/model/watch-event.js';
import { isRelative, type TableCell, type TableColumn } from './cells.js';
import { tableClient } from './table-client.js';

/** A row of a table: the metadata of an object, and a cell for each column. */
export interface TableRow<T = unknown> extends PartialObjectMetadata {
  readonly cells: readonly TableCell[];
  /** The whole object, with `includeObject: 'Object'`. */
  readonly object?: T;
}

/** Options of {@link tableSource} and {@link tables$}, besides those of `listWatch`. */
export interface TableOptions extends Omit<
  ListWatchOptions<never>,
  'metadataOnly' | 'initialList' | 'transform' | 'dedup' | 'shareAcrossObjects'
> {
  /**
   * The milliseconds after which the cells are listed again if a text depends on the time, such as
   * `3 (2m ago)`. Default 30,000; 0 or `Infinity`: never. The list comes from the cache of the API
   * server, in one response. A table without such a text is not listed again. Cells that are times,
   * such as those of the column `Age`, do not count.
   */
  readonly refresh?: number | undefined;
  /**
   * True to replace the age in every cell by its time, not only in the column `Age`: `{ before: '3
   * (', since, after: ' ago)' }`. Then {@link cellText} returns what the server would say at any
   * time. The times are in the objects, so the API server sends whole objects, as with
   * `includeObject: 'Object'`. The rows keep only their metadata. Refused for Secrets. Default
   * false.
   */
  readonly exactAges?: boolean | undefined;
  /**
   * What a row has besides its cells. Default `Metadata`. `Object` is the whole object, for which
   * the API server sends more, and is refused for Secrets.
   */
  readonly includeObject?: 'Metadata' | 'Object' | undefined;
}

/** A source of rows, and their columns. */
export interface TableSource<T = unknown> extends ResourceSource<TableRow<T>> {
  /**
   * Emits the columns when they are first known, and when they change, before the rows. A new
   * subscriber gets the last ones. Sends no requests: the subscriber of the rows sends them.
   */
  readonly columns$: Observable<readonly TableColumn[]>;
}

/**
 * Creates a source of the rows that the API server shows for the objects of a resource, for
 * `informer`. A row has the metadata of its object and the cells of the columns.
 *
 * The source is a `listWatch` in pages. The column `Age` has the time of creation in place of a
 * text that would be wrong a second later; {@link cellText} returns the age. With `exactAges`, all
 * columns with ages have times. Other cells that depend on the time are listed again (`refresh`).
 * If a definition gets other columns, the source lists again (410). A server that has no tables, as
 * some aggregated API servers, sends objects. Their rows have a name and an age, as in kubectl.
 *
 * **Guarantees**: those of `listWatch`. Never asks for the content of Secrets. The clock of
 * `refresh` runs only while the source has a subscriber. **Does not guarantee**: that a cell is
 * what the server would say now. An age stays a text, and is listed again, if several times in the
 * object have this age. Cells of built-in kinds depend on the version of the server.
 *
 * @param client the connection to the API server
 * @param resource what to read
 * @param options which objects, and how often cells are listed again; see {@link TableOptions}
 * @returns a source for `informer`, with the columns
 * @throws `RXI_INVALID_OPTION` for `includeObject: 'Object'` or `exactAges` of Secrets, and as
 *   `listWatch`
 * @example
 * import { informer, pods, type KubeClient } from 'rx-informers';
 * import { tableSource } from 'rx-informers/requests';
 *
 * declare const client: KubeClient;
 *
 * const source = tableSource(client, pods);
 * const rows = informer(source, { indexers: { status: ({ cells }) => [String(cells[2])] } });
 * rows.byIndex$('status', 'Pending').subscribe((pending) => console.log(pending.length));
 * source.columns$.subscribe((columns) => console.log(columns.map(({ name }) => name)));
 */
export function tableSource<T>(client: KubeClient, resource: Resource<T>, options: TableOptions = {}): TableSource<T> {
  const columns$ = new BehaviorSubject<readonly TableColumn[]>([]);
  return Object.assign(sourceOfRows(client, resource, options, columns$), {
    columns$: columns$.pipe(filter((columns) => columns.length > 0)),
  });
}

/** Returns the source of `tableSource`, which writes the columns to `columns$`. */
export function sourceOfRows<T>(
  client: KubeClient,
  resource: Resource<T>,
  { refresh = 30_000, includeObject = 'Metadata', exactAges = false, ...options }: TableOptions,
  columns$: BehaviorSubject<readonly TableColumn[]>,
): ResourceSource<TableRow<T>> {
  checkedChoice('includeObject', includeObject, 'Metadata', 'Object');
  if (resource.group === '' && resource.plural === 'secrets') {
    const wanted = 'for Secrets, whose content stays in the API server';
    if (includeObject === 'Object') throw invalidOptionError('includeObject', includeObject, `"Metadata" ${wanted}`);
    if (exactAges) throw invalidOptionError('exactAges', exactAges, `false ${wanted}`);
  }
  if (refresh !== Infinity) checkedDuration('refresh', refresh);
  const scheduler = schedulerOf(client, options);
  const ticks$ = refresh === 0 || refresh === Infinity ? EMPTY : timer(refresh, refresh, scheduler);
  const onColumns = (columns: readonly TableColumn[]): void => {
    if (!isEqualContent(columns$.value, columns)) columns$.next(columns);
  };
  const create = (): ResourceSource<TableRow<T>> => {
    const asTables = tableClient(client, { includeObject, exactAges, onColumns, now: () => wallTime(scheduler) });
    const rows = listWatch(asTables, resource as Resource<unknown> as Resource<TableRow<T>>, {
      ...options,
      initialList: 'pages',
    });
    return rows.through(refreshed(listOf<T>(asTables, resource, options), ticks$));
  };
  const contact = new Contacts();
  const rows$ = defer(() => {
    const rows = create();
    const member = rows.contact && contact.add(rows.contact, wallTime(scheduler));
    return rows.pipe(finalize(() => member?.unsubscribe()));
  });
  const { selection, random } = listWatch(client, resource, options as ListWatchOptions<T>);
  return sourceWith(rows$, { resource, client, clientOf: () => client, selection, contact, scheduler, random });
}

/** Returns a function that lists the rows of a partition, from the cache of the API server. */
function listOf<T>(
  client: KubeClient,
  resource: Resource<unknown>,
  { namespace = '', labelSelector = '', fieldSelector }: TableOptions,
): (partition: string | undefined) => Observable<readonly TableRow<T>[]> {
  return (partition) =>
    requestJson<{ readonly items: readonly TableRow<T>[] }>(client, {
      method: 'GET',
      path: resourcePath(resource, { namespace: partition ?? (typeof namespace === 'string' ? namespace : '') }),
      query: { labelSelector: formatLabelSelector(labelSelector) || undefined, fieldSelector, resourceVersion: '0' },
    }).pipe(
      map(({ items }) => items),
      // The next list may succeed.
      catchError(() => EMPTY),
    );
}

/** What is kept of a row to recognize it in a later list. */
type KeptRow = Pick<TableRow, 'cells'> & { readonly resourceVersion: string };

/**
 * Lists the rows again at each tick, if a cell depends on the time. Emits those whose cells have
 * changed and that are in the listed version. All other changes come from the watch.
 */
function refreshed<T>(
  list: (partition: string | undefined) => Observable<readonly TableRow<T>[]>,
  clock$: Observable<unknown>,
): MonoTypeOperatorFunction<WatchEventBatch<TableRow<T>>> {
  return (batches$) =>
    defer(() => {
      const partitions = new Map<string | undefined, Map<string, KeptRow>>();
      const keep = (event: WatchEvent<TableRow<T>>): void => {
        if (event.type === 'LISTED') partitions.set(event.partition, new Map(event.items.map(entryOf)));
        if (event.type === 'DELETED') partitions.get(event.partition)?.delete(event.object.metadata.uid);
        if (event.type === 'ADDED' || event.type === 'MODIFIED') {
          partitions.get(event.partition)?.set(...entryOf(event.object));
        }
      };
      const again$ = clock$.pipe(
        exhaustMap(() =>
          from(partitions).pipe(
            filter(([, kept]) => [...kept.values()].some(({ cells }) => cells.some(isRelative))),
            mergeMap(([partition, kept]) =>
              list(partition).pipe(
                map((rows) =>
                  rows
                    .filter((row) => hasNewCells(row, kept))
                    .map((object) => ({
                      type: 'MODIFIED' as const,
                      object,
                      ...(partition !== undefined && { partition }),
                    })),
                ),
              ),
            ),
          ),
        ),
        filter((batch) => batch.length > 0),
      );
      return merge(batches$, again$).pipe(tap((batch) => batch.forEach(keep)));
    });
}

function entryOf<T>({ cells, metadata: { uid, resourceVersion } }: TableRow<T>): [string, KeptRow] {
  return [uid, { cells, resourceVersion }];
}

function hasNewCells<T>({ cells, metadata }: TableRow<T>, kept: ReadonlyMap<string, KeptRow>): boolean {
  const before = kept.get(metadata.uid);
  return before?.resourceVersion === metadata.resourceVersion && !isEqualContent(before.cells, cells);
}
