import { configMaps, customResourceDefinitions, pods, resource, StatusError, type Resource } from 'rx-informers';
import { resourcePath } from 'rx-informers/client';
import { cellText, requestJson, resourceClient, tables$, type Table, type TableCell } from 'rx-informers/requests';
import { randomFromSeed } from 'rx-informers/testing';
import { catchError, defer, EMPTY, exhaustMap, firstValueFrom, retry, throwError, timer, type Observable } from 'rxjs';
import { aDefinition } from '../../fixtures/definition.js';
import { configMap, connect, uniqueName, type Cluster, type Manifest } from '../support/cluster.js';
import { eventually } from '../support/eventually.js';
import { startRig, type Rig } from '../support/rig.js';
import { untilTestEnds } from '../support/until-test-ends.js';

const namespace = 'default';

describe.each(['kube120', 'rig'] as const)('tables$ of the API server %s', (kind) => {
  let rig: Rig;
  let cluster: Cluster;
  beforeAll(async () => {
    rig = await startRig({ kind });
    cluster = connect(rig.kubeConfigFile);
  });
  afterAll(() => rig.stop());

  it.each([
    ['configmaps', configMaps, 'Data', (n: number) => configMap(namespace, '', String(n))],
    ['pods', pods, 'Restarts', aPod],
  ] as const)('shows %s as a new list of the server does, after random writes', async (_, of, column, anObject) => {
    const titles = await titlesAfterWrites(of, anObject);
    expect(titles).toContain(kind === 'kube120' ? column : 'Created At');
  });

  it('shows custom resources as a new list of the server does, after random writes', async () => {
    const { of, anObject } = await newKind();
    expect(await titlesAfterWrites(of, anObject)).toEqual(['Name', 'Size', 'Started', 'Age']);
  });

  it('shows the new columns of a definition that is changed', async () => {
    const { of, anObject } = await newKind();
    const followed = follow(of);
    await write(of, anObject);
    await cluster.patch(customResourceDefinitions, definitionOf(of, 'Size'), definitionOf(of, 'Extent'));
    await eventually(sentTable(of), ({ columnDefinitions }) => columnDefinitions.some(({ name }) => name === 'Extent'));
    await write(of, anObject);
    await eventually(sentTable(of), (sent) => sameText(followed.table(), sent));
    expect(titlesOf(followed.table())).toEqual(['Name', 'Extent', 'Started', 'Age']);
  });

  /** Resolves with the titles of a table that is as the server sends it. */
  async function titlesAfterWrites(of: Resource<unknown>, anObject: (n: number) => object) {
    const followed = follow(of);
    await write(of, anObject);
    await eventually(sentTable(of), (sent) => sameText(followed.table(), sent));
    expect(followed.table()?.rows.size).toBeGreaterThan(5);
    return titlesOf(followed.table());
  }

  /** Defines a kind that no other attempt of a test uses. Resolves when the server lists it. */
  async function newKind() {
    const group = `${uniqueName('g')}.example.com`;
    const of = resource({ group, version: 'v1', plural: 'widgets', kind: 'Widget', namespaced: true });
    await cluster.create(customResourceDefinitions, definitionOf(of, 'Size'));
    await eventually(sentTable(of), () => true);
    const anObject = (n: number): object => ({
      apiVersion: `${group}/v1`,
      kind: 'Widget',
      spec: { size: n, started: new Date(Date.now() - n * 10_000).toISOString().replace(/\.\d+/, '') },
    });
    return { of, anObject };
  }

  function follow(of: Resource<unknown>) {
    let last: Table | undefined;
    const following = tables$(cluster.client, of, { namespace, refresh: 730 }).subscribe((table) => (last = table));
    untilTestEnds(following);
    return { table: () => last };
  }

  /** Creates, changes and deletes objects of twelve names. */
  async function write(of: Resource<unknown>, anObject: (n: number) => object): Promise<void> {
    const random = randomFromSeed(1);
    const client = resourceClient(cluster.client, of as typeof configMaps);
    const listed = await accepted(() => firstValueFrom(client.list({ namespace })));
    const existing = new Set(listed.map(({ metadata }) => metadata.name));
    for (let step = 0; step < 60; step++) {
      const name = `object-${Math.floor(random() * 12)}`;
      const metadata = { namespace, name, labels: { step: String(step) } };
      if (!existing.has(name)) {
        await accepted(() => cluster.create(of, { ...anObject(step), metadata }));
        existing.add(name);
      } else if (random() < 0.3) {
        await accepted(() => client.delete({ metadata }, { gracePeriodSeconds: 0 }));
        existing.delete(name);
      } else await accepted(() => cluster.patch(of, { metadata }, { metadata }));
    }
  }

  /**
   * Requests the table, as kubectl does, until it is unsubscribed. Ages change at full seconds. Two
   * clocks whose periods divide a second could stand so that the followed table is always a second
   * behind, so neither does.
   */
  function sentTable(of: Resource<unknown>): Observable<SentTable> {
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const path = resourcePath(of, { namespace });
    const sent$ = requestJson<SentTable>(cluster.client, { method: 'GET', path, headers: { accept } }).pipe(
      catchError((error: unknown) => (isNotReady(error) ? EMPTY : throwError(() => error))),
    );
    return timer(0, 437).pipe(exhaustMap(() => sent$));
  }
});

/** Repeats a request while the server refuses it because it has just read the definition. */
function accepted<T>(send: () => PromiseLike<T>): Promise<T> {
  const again = (error: unknown): Observable<unknown> => (isNotReady(error) ? timer(100) : throwError(() => error));
  return firstValueFrom(defer(send).pipe(retry({ count: 600, delay: again })));
}

/** True for the answers of a server that has just read the definition of the kind. */
function isNotReady(error: unknown): boolean {
  return error instanceof StatusError && (error.statusCode === 404 || error.statusCode === 429);
}

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

function titlesOf(table: Table | undefined): readonly string[] | undefined {
  return table?.columns.map(({ name }) => name);
}

function definitionOf({ group }: Resource<unknown>, firstColumn: string): Manifest {
  const whole = aDefinition({ group, plural: 'widgets', kind: 'Widget' });
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
