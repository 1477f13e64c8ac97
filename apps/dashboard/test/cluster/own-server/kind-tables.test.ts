import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { configMaps, listWatch, pods } from 'rx-informers';
import { cellText, type TableColumn, type TableRow } from 'rx-informers/requests';
import { defer, firstValueFrom, repeat, timer, type Subscription } from 'rxjs';
import { configMap, connect, type Cluster } from '../../../../../test/cluster/support/cluster.js';
import { eventually } from '../../../../../test/cluster/support/eventually.js';
import { hasKubectl } from '../../../../../test/cluster/support/kubectl.js';
import { startRig, type Rig } from '../../../../../test/cluster/support/rig.js';
import type { Cluster as PageCluster } from '../../../page/cluster/cluster.js';
import { atShownTime } from '../../../page/history/recordings.js';
import { shownTime } from '../../../page/history/shown-time.js';
import { requestKinds, type Kind } from '../../../page/kinds/discovery.js';
import { columnsKey, tableOf, type KindTable } from '../../../page/kinds/kind-tables.js';
import { shownWrites } from '../../../page/writes/shown-writes.js';
import { moveTimesBack } from '../support/earlier-objects.js';
import { certificates, createShownObjects } from '../support/shown-objects.js';

const namespace = 'shown';
const minute = 60_000;

// Without kubectl, there is nothing to compare with.
const withKubectl = (await hasKubectl()) ? describe.each(['kube120', 'rig'] as const) : () => () => undefined;

withKubectl('the tables of the page with the API server %s', (server) => {
  const flags = server === 'kube120' ? ['--storage-media-type=application/json'] : [];
  let rig: Rig;
  let cluster: Cluster;
  let shown: readonly ShownKind[];
  let following: Subscription[];
  /** What kubectl printed first, and when. */
  const first = new Map<string, Printed>();

  beforeAll(async () => {
    rig = await startRig({ kind: server, flags });
    cluster = connect(rig.kubeConfigFile);
    await promisify(execFile)('kubectl', ['--kubeconfig', rig.kubeConfigFile, 'create', 'namespace', namespace]);
    await createShownObjects(cluster, namespace, server === 'kube120');
    const { client } = cluster;
    const page = { client, writes: shownWrites(listWatch), tables: new Map() } as unknown as PageCluster;
    const { kinds } = await firstValueFrom(requestKinds(client));
    shown = kinds.map((kind) => ({ kind, table: tableOf(page, kind.resource, {}) }));
    following = shown.flatMap(({ table: { rows, columns } }) => [
      rows.connect(),
      atShownTime(rows).connect(),
      atShownTime(columns).connect(),
    ]);
    await Promise.all(shown.map(({ table }) => table.rows.whenSynced()));
  });
  afterAll(async () => {
    shownTime.moveTo(undefined);
    for (const each of following) each.unsubscribe();
    await rig.stop();
  });

  it('show for every kind what kubectl get -o wide prints', async () => {
    for (const { kind, table } of shown) {
      const printed = await print(kind);
      first.set(kind.id, printed);
      expect([kind.id, sameAs(rowsOf(table), printed)]).toEqual([kind.id, printed.lines]);
    }
    expect(shown.length).toBeGreaterThan(server === 'kube120' ? 45 : 20);
    expect(first.get('example.com/v1/certificates')?.lines).toHaveLength(5);
  });

  it('show it after 3 and 90 quiet minutes', async () => {
    const before = shown.map(({ kind, table }) => [kind, rowsOf(table)] as const);
    for (const [minutes, more] of [
      [3, 3],
      [90, 87],
    ] as const) {
      await moveTimesBack(rig, more * minute);
      for (const [kind, rows] of before) {
        const printed = await print(kind);
        const lines = printedLines(printed, minutes * minute);
        expect([kind.id, sameAs(rows, printed, minutes * minute)]).toEqual([kind.id, lines]);
      }
    }
  });

  it('show it after watch events', async () => {
    await cluster.create(configMaps, configMap(namespace, 'new'));
    await cluster.patch(certificates, { metadata: { name: 'valid', namespace } }, { status: { renewals: 13 } });
    if (server === 'kube120') await cluster.remove(pods, { metadata: { name: 'running', namespace } });
    for (const { kind, table } of shown) {
      const read = async () => {
        const printed = await print(kind);
        return { printed, lines: sameAs(rowsOf(table), printed) };
      };
      const { printed, lines } = await eventually(
        polled(read),
        (found) => JSON.stringify(found.lines) === JSON.stringify(found.printed.lines),
      ).catch(read);
      expect([kind.id, lines]).toEqual([kind.id, printed.lines]);
    }
  });

  it('show in the past what kubectl printed at that time', () => {
    for (const { kind, table } of shown) {
      const printed = first.get(kind.id);
      if (printed === undefined) throw new Error(`${kind.id} was not printed`);
      shownTime.moveTo(printed.from);
      expect([kind.id, sameAs(rowsOf(table, true), printed)]).toEqual([kind.id, printed.lines]);
    }
  });

  async function print({ resource: { group, version, plural, namespaced } }: Kind): Promise<Printed> {
    const name = group === '' ? plural : `${plural}.${version}.${group}`;
    const from = Date.now();
    const { stdout } = await promisify(execFile)(
      'kubectl',
      ['--kubeconfig', rig.kubeConfigFile, 'get', name, '-o', 'wide', ...(namespaced ? ['--all-namespaces'] : [])],
      { maxBuffer: 2 ** 26 },
    );
    return { from, until: Date.now(), lines: linesOf(stdout), isNamespaced: namespaced };
  }
});

interface ShownKind {
  readonly kind: Kind;
  readonly table: KindTable;
}

/** The lines of kubectl, with the titles first, and the times between which it read them. */
interface Printed {
  readonly from: number;
  readonly until: number;
  readonly lines: readonly (readonly string[])[];
  readonly isNamespaced: boolean;
}

interface Rows {
  readonly columns: readonly TableColumn[];
  readonly rows: readonly TableRow[];
}

function rowsOf({ rows, columns }: KindTable, isPast = false): Rows {
  const [shownRows, shownColumns] = isPast ? [atShownTime(rows), atShownTime(columns)] : [rows, columns];
  return { columns: shownColumns.snapshot.get(columnsKey)?.columns ?? [], rows: shownRows.snapshot.list() };
}

/** Returns the lines of a text whose columns begin below their titles. */
function linesOf(text: string): readonly (readonly string[])[] {
  const [titles = '', ...rows] = text.trimEnd().split('\n');
  if (titles === '') return [];
  const starts = [...titles.matchAll(/(?<=^| {2,})\S+( \S+)*/g)].map(({ index }) => index);
  const cellsOf = (line: string): readonly string[] => {
    const characters = Array.from(line);
    return starts.map((start, position) =>
      characters
        .slice(start, starts[position + 1])
        .join('')
        .trim(),
    );
  };
  return [cellsOf(titles), ...rows.map(cellsOf).sort(byText)];
}

/**
 * Returns the lines of the page. If a cell has the text of the printed line at any time between the
 * beginning and the end of kubectl, the line has this text.
 *
 * @param later milliseconds by which the clock of the server was moved forward
 */
function sameAs({ columns, rows }: Rows, printed: Printed, later = 0): readonly (readonly string[])[] {
  if (rows.length === 0) return [];
  const { from, until, isNamespaced } = printed;
  const lines = printedLines(printed, later);
  const nameAt = columns.findIndex(({ name }) => name === 'Name');
  const known = new Map(lines.map((line) => [keyOf(line, isNamespaced, nameAt), line]));
  const body = rows.map(({ cells, metadata: { namespace = '' } }) => {
    const lineAt = (time: number): readonly string[] => [
      ...(isNamespaced ? [namespace] : []),
      ...cells.map((cell) => cellText(cell, time + later).trim()),
    ];
    const possible = Array.from({ length: Math.ceil((until - from) / 100) + 1 }, (_, n) => lineAt(from + n * 100));
    const expected = known.get(keyOf(lineAt(from), isNamespaced, nameAt));
    return lineAt(from).map(
      (text, position) => possible.map((line) => line[position]).find((each) => each === expected?.[position]) ?? text,
    );
  });
  const titles = columns.map(({ name }) => name.toUpperCase());
  return [isNamespaced ? ['NAMESPACE', ...titles] : titles, ...body.sort(byText)];
}

/** Returns the lines with their times as they were before the test moved them back. */
function printedLines({ lines }: Printed, later: number): Printed['lines'] {
  if (later === 0) return lines;
  const moved = (cell: string): string =>
    /^\d{4}-\d\d-\d\dT[\d:]+Z$/.test(cell)
      ? new Date(Date.parse(cell) + later).toISOString().replace('.000', '')
      : cell;
  return lines.map((line) => line.map(moved));
}

function keyOf(line: readonly string[], isNamespaced: boolean, nameAt: number): string {
  return isNamespaced ? `${line[0]}/${line[nameAt + 1]}` : (line[nameAt] ?? '');
}

/** The page has an order of its own. */
function byText(a: readonly string[], b: readonly string[]): number {
  return a.join('|') < b.join('|') ? -1 : 1;
}

function polled<T>(read: () => Promise<T>) {
  return defer(read).pipe(repeat({ delay: () => timer(200) }));
}
