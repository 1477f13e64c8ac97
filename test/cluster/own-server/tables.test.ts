import { jest } from '@jest/globals';
import { configMaps, customResourceDefinitions, pods, resource, type Resource } from 'rx-informers';
import { resourcePath } from 'rx-informers/client';
import { cellText, requestJson, resourceClient, tables$, type Table, type TableCell } from 'rx-informers/requests';
import { randomFromSeed } from 'rx-informers/testing';
import { catchError, EMPTY, exhaustMap, firstValueFrom, retry, timer, type Observable } from 'rxjs';
import { aDefinition } from '../../fixtures/definition.js';
import { configMap, connect, type Cluster, type Manifest } from '../support/cluster.js';
import { eventually } from '../support/eventually.js';
import { startRig, type Rig } from '../support/rig.js';
import { untilTestEnds } from '../support/until-test-ends.js';

jest.setTimeout(180_000);

const widgets = resource({ group: 'example.com', version: 'v1', plural: 'widgets', kind: 'Widget', namespaced: true });
const namespace = 'default';

describe.each(['kube120', 'rig'] as const)('tables$ of the API server %s', (kind) => {
  let rig: Rig;
  let cluster: Cluster;
  beforeAll(async () => {
    rig = await startRig({ kind });
    cluster = connect(rig.kubeConfigFile);
    await cluster.create(customResourceDefinitions, definition('Size'));
    await eventually(sentTable(widgets), () => true);
  });
  afterAll(() => rig.stop());

  it.each([
    ['configmaps', configMaps, 'Data', (n: number) => configMap(namespace, '', String(n))],
    ['pods', pods, 'Restarts', aPod],
    ['custom resources', widgets, 'Size', aWidget],
  ] as const)('shows %s as a new list of the server does, after random writes', async (_, of, column, anObject) => {
    const followed = follow(of);
    await write(of, anObject);
    await eventually(sentTable(of), (sent) => sameText(followed.table(), sent));
    expect(followed.table()?.rows.size).toBeGreaterThan(5);
    const titles = followed.table()?.columns.map(({ name }) => name);
    expect(titles).toContain(kind === 'kube120' || of === widgets ? column : 'Created At');
  });

  it('shows the new columns of a definition that is changed', async () => {
    const followed = follow(widgets);
    await write(widgets, aWidget);
    await cluster.patch(customResourceDefinitions, { metadata: { name: 'widgets.example.com' } }, definition('Extent'));
    await eventually(sentTable(widgets), ({ columnDefinitions }) =>
      columnDefinitions.some(({ name }) => name === 'Extent'),
    );
    await write(widgets, aWidget);
    await eventually(sentTable(widgets), (sent) => sameText(followed.table(), sent), 90_000);
    expect(followed.table()?.columns.map(({ name }) => name)).toEqual(['Name', 'Extent', 'Started', 'Age']);
  });

  function follow(of: Resource<unknown>) {
    let last: Table | undefined;
    const following = tables$(cluster.client, of, { namespace, refresh: 1_000 }).subscribe((table) => (last = table));
    untilTestEnds(following);
    return { table: () => last };
  }

  /** Creates, changes and deletes objects of twelve names. */
  async function write(of: Resource<unknown>, anObject: (n: number) => object): Promise<void> {
    const random = randomFromSeed(1);
    const client = resourceClient(cluster.client, of as typeof configMaps);
    const existing = new Set(
      (await firstValueFrom(client.list({ namespace }).pipe(retry({ delay: 100, count: 100 })))).map(
        ({ metadata }) => metadata.name,
      ),
    );
    for (let step = 0; step < 60; step++) {
      const name = `object-${Math.floor(random() * 12)}`;
      const metadata = { namespace, name, labels: { step: String(step) } };
      if (!existing.has(name)) {
        await cluster.create(of, { ...anObject(step), metadata });
        existing.add(name);
      } else if (random() < 0.3) {
        await client.delete({ metadata: { namespace, name } }, { gracePeriodSeconds: 0 });
        existing.delete(name);
      } else await cluster.patch(of, { metadata: { namespace, name } }, { metadata });
    }
  }

  /** Requests the table, as kubectl does, until it is unsubscribed. */
  function sentTable(of: Resource<unknown>): Observable<SentTable> {
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const path = resourcePath(of, { namespace });
    const sent$ = requestJson<SentTable>(cluster.client, { method: 'GET', path, headers: { accept } }).pipe(
      // A server that has just read a definition refuses requests for its objects (404, 429).
      catchError(() => EMPTY),
    );
    return timer(0, 500).pipe(exhaustMap(() => sent$));
  }
});

interface SentTable {
  readonly columnDefinitions: readonly { readonly name: string }[];
  readonly rows: readonly { readonly cells: readonly TableCell[] }[] | null;
}

function sameText(table: Table | undefined, { columnDefinitions, rows }: SentTable): boolean {
  const text = (titles: readonly { readonly name: string }[], cells: readonly (readonly TableCell[])[]): string =>
    [titles.map(({ name }) => name), ...cells.map((row) => row.map((cell) => cellText(cell, Date.now())))]
      .map((line) => line.join('|'))
      .join('\n');
  const sent = text(
    columnDefinitions,
    (rows ?? []).map(({ cells }) => cells),
  );
  return (
    table !== undefined &&
    sent ===
      text(
        table.columns,
        table.rows.list().map(({ cells }) => cells),
      )
  );
}

function definition(firstColumn: string): Manifest {
  const whole = aDefinition({ plural: 'widgets', kind: 'Widget' });
  const additionalPrinterColumns = [
    { name: firstColumn, type: 'integer', jsonPath: '.spec.size' },
    { name: 'Started', type: 'date', jsonPath: '.spec.started' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ];
  const versions = whole.spec.versions.map((version) => ({ ...version, additionalPrinterColumns }));
  return { ...whole, spec: { ...whole.spec, versions } };
}

function aPod(): object {
  return { spec: { schedulerName: 'none', containers: [{ name: 'main', image: 'example.com/none' }] } };
}

function aWidget(n: number): object {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    spec: { size: n, started: new Date(Date.now() - n * 10_000).toISOString().replace(/\.\d+/, '') },
  };
}
