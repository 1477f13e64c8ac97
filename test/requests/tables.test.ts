import { configMaps, inNamespaces, informer, namespaces, resource, secrets, type KubeClient } from 'rx-informers';
import type { KubeRequest, ResponsePart } from 'rx-informers/client';
import { cellText, tables$, tableSource, type Table, type TableColumn, type TableOptions } from 'rx-informers/requests';
import {
  aConfigMap,
  createInMemoryApiServer,
  describeSourceConformance,
  randomFromSeed,
  serverFaults,
  virtualClock,
} from 'rx-informers/testing';
import { bufferTime, concatMap, delay, identity, toArray } from 'rxjs';
import { aDefinition } from '../fixtures/definition.js';
import { seedOf } from '../support/seed.js';

interface Widget {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: { readonly size: number; readonly started?: string };
}

const widgets = resource<Widget>({
  group: 'example.com',
  version: 'v1',
  plural: 'widgets',
  kind: 'Widget',
  namespaced: true,
});

const size = { name: 'Size', type: 'integer', jsonPath: '.spec.size' };
const started = { name: 'Started', type: 'date', jsonPath: '.spec.started' };
const age = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

const columnOf = ({ name, type }: typeof started): TableColumn => ({
  name,
  type,
  format: '',
  description: '',
  priority: 0,
});

function definition(...additionalPrinterColumns: readonly object[]) {
  const whole = aDefinition({ plural: 'widgets', kind: 'Widget' });
  const versions = whole.spec.versions.map((version) => ({ ...version, additionalPrinterColumns }));
  return { ...whole, spec: { ...whole.spec, versions } };
}

const aWidget = (name: string, spec: Widget['spec'], namespace = 'default') => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name, namespace },
  spec,
});

function setup(...columns: readonly object[]) {
  const scheduler = virtualClock();
  const server = createInMemoryApiServer({ scheduler, users: { viewer: { name: 'viewer', allow: [] } } });
  server.apply(definition(...(columns.length > 0 ? columns : [size, age])));
  const requests: string[] = [];
  server.requests$.subscribe(({ method, path, query }) => requests.push(`${method} ${path}?${query}`));
  const tables: Table<Widget>[] = [];
  const follow = (options: TableOptions = {}, client: KubeClient = server.client) =>
    tables$(client, widgets, options).subscribe((table) => tables.push(table));
  const rows = () => rowsOf(tables.at(-1));
  const rowsOf = (table: Table<Widget> | undefined) =>
    table?.rows.list().map(({ cells }) => cells.map((cell) => cellText(cell, scheduler.now())).join(' '));
  const titles = () =>
    tables
      .at(-1)
      ?.columns.map(({ name }) => name)
      .join(' ');
  const lists = () =>
    requests.filter((line) => line.startsWith('GET') && line.includes('/widgets?') && !line.includes('watch=true'));
  return { server, scheduler, requests, tables, follow, rows, titles, lists };
}

/** A client that emits what arrives within 100 ms together, as over a network. */
function gathering(client: KubeClient): KubeClient {
  const gather = (parts: readonly ResponsePart[]): readonly ResponsePart[] => {
    const bytes = parts.flatMap((part) => (part.type === 'bytes' ? [...part.bytes] : []));
    const heads = parts.filter(({ type }) => type === 'head');
    return bytes.length === 0 ? heads : [...heads, { type: 'bytes', bytes: Uint8Array.from(bytes) }];
  };
  return {
    ...client,
    exchange: (request) => client.exchange(request).pipe(bufferTime(100, client.scheduler), concatMap(gather)),
  };
}

/** A client whose lists are changed, and that says the time of the server. */
function answering(
  client: KubeClient,
  change: (body: { readonly rows: readonly object[] | null }) => object,
  serverTime?: () => number,
): KubeClient {
  const headers = (): Readonly<Record<string, string>> =>
    serverTime === undefined ? {} : { date: new Date(serverTime()).toUTCString() };
  return {
    ...client,
    exchange: (request) =>
      request.query?.['watch'] === true
        ? client.exchange(request)
        : client.exchange(request).pipe(
            toArray(),
            concatMap((parts): ResponsePart[] => {
              const [head] = parts;
              const bytes = parts.flatMap((part) => (part.type === 'bytes' ? [...part.bytes] : []));
              const body = JSON.parse(Buffer.from(bytes).toString()) as { readonly rows: readonly object[] | null };
              if (head?.type !== 'head') return [];
              return [
                { ...head, headers: { ...head.headers, ...headers() } },
                { type: 'bytes', bytes: Buffer.from(JSON.stringify(change(body))) },
              ];
            }),
          ),
  };
}

describe('tables$', () => {
  it('emits the columns and rows of the API server, and what changes', () => {
    const { server, scheduler, tables, follow, rows, titles } = setup();
    server.apply([aWidget('b', { size: 2 }), aWidget('a', { size: 1 })]);
    follow();
    scheduler.advance(1_000);
    expect(titles()).toBe('Name Size Age');
    expect(rows()).toEqual(['a 1 1s', 'b 2 1s']);
    server.apply(aWidget('a', { size: 3 }));
    server.apply(aWidget('c', { size: 4 }));
    server.remove(widgets, 'b', 'default');
    scheduler.advance(1_000);
    expect(rows()).toEqual(['a 3 2s', 'c 4 1s']);
    expect(tables.at(-1)?.rows.get('default/a')).toMatchObject({
      kind: 'Widget',
      apiVersion: 'example.com/v1',
      metadata: { name: 'a', namespace: 'default' },
    });
    expect(tables.at(-1)?.rows.get('default/a')?.metadata.managedFields).toBeUndefined();
  });

  it('emits the columns of an empty table, and emits nothing while nothing changes', () => {
    const { scheduler, tables, follow, rows, titles } = setup();
    follow();
    scheduler.advance(3_600_000);
    expect(rows()).toEqual([]);
    expect(titles()).toBe('Name Size Age');
    expect(tables).toHaveLength(1);
  });

  it('reads tables in pages', () => {
    const { server, scheduler, follow, rows, lists } = setup();
    server.apply(Array.from({ length: 25 }, (_, n) => aWidget(`w-${n + 10}`, { size: n })));
    follow({ pageSize: 10, listConsistency: 'most-recent' });
    scheduler.advance(1_000);
    expect(rows()).toHaveLength(25);
    expect(lists().filter((line) => line.includes('limit=10'))).toHaveLength(3);
  });

  it('passes selectors to lists and watches', () => {
    const { server, scheduler, requests, follow, rows } = setup();
    server.apply([aWidget('a', { size: 1 }), aWidget('b', { size: 2 }, 'kube-system')]);
    follow({ namespace: 'default', fieldSelector: 'metadata.name=a' });
    scheduler.advance(1_000);
    expect(rows()).toEqual(['a 1 1s']);
    expect(requests).toHaveLength(2);
    expect(requests.every((line) => line.includes('fieldSelector=metadata.name%3Da'))).toBe(true);
  });

  it('lists again after the version has expired (410)', () => {
    const { server, scheduler, follow, rows } = setup();
    server.apply([aWidget('a', { size: 1 }), aWidget('b', { size: 2 })]);
    follow();
    scheduler.advance(1_000);
    server.faults.always('any', serverFaults.refuse());
    server.restart();
    server.remove(widgets, 'a', 'default');
    server.apply(aWidget('b', { size: 5 }));
    server.compact();
    scheduler.advance(5_000);
    expect(rows()).toEqual(['a 1 6s', 'b 2 6s']);
    server.faults.clear();
    scheduler.advance(60_000);
    expect(rows()).toEqual(['b 5 66s']);
  });

  it('lists again if a definition gets other columns, so that no row has cells of other columns', () => {
    const { server, scheduler, tables, follow, rows, titles } = setup();
    server.apply([aWidget('a', { size: 1 }), aWidget('b', { size: 2 })]);
    follow();
    scheduler.advance(1_000);
    server.apply(definition(started, size));
    server.restart();
    scheduler.advance(1_000);
    server.apply(aWidget('a', { size: 3 }));
    scheduler.advance(60_000);
    expect(titles()).toBe('Name Started Size');
    expect(rows()).toEqual(['a  3', 'b  2']);
    for (const { columns, rows } of tables) {
      for (const { cells } of rows.list()) expect(cells).toHaveLength(columns.length);
    }
  });

  it('reports errors and continues', () => {
    const { server, scheduler, tables, follow, rows } = setup();
    server.apply(aWidget('a', { size: 1 }));
    follow({}, server.clientFor('viewer'));
    scheduler.advance(1_000);
    expect(tables[0]).toMatchObject({ columns: [], errors: [{ code: 'RXI_STATUS' }] });
    server.grant('viewer', {
      name: 'viewer',
      allow: [{ verbs: ['list', 'watch'], resources: ['widgets'] }],
    });
    scheduler.advance(120_000);
    expect(rows()).toHaveLength(1);
  });

  it('shows the names and ages of the objects of a server that has no tables, as kubectl does', () => {
    const { server, scheduler, follow, rows, titles } = setup();
    server.apply([aWidget('a', { size: 1 }), aWidget('b', { size: 2 })]);
    follow({}, { ...server.client, exchange: ({ headers: _, ...request }) => server.client.exchange(request) });
    scheduler.advance(1_000);
    expect(titles()).toBe('Name Age');
    expect(rows()).toEqual(['a 1s', 'b 1s']);
    server.apply(aWidget('c', { size: 3 }));
    server.remove(widgets, 'a', 'default');
    scheduler.advance(120_000);
    expect(rows()).toEqual(['b 2m1s', 'c 2m']);
  });

  it('reports a server that answers with something else than objects or a table', () => {
    const { server, scheduler, tables, follow } = setup();
    follow(
      {},
      answering(server.client, (body) => ({ kind: 'Nothing', items: body.rows })),
    );
    scheduler.advance(1_000);
    expect(String(tables[0]?.errors[0])).toContain('expected a Table, received Nothing');
  });

  it('ends its requests and its clock when it is unsubscribed', () => {
    const { server, scheduler, requests, follow } = setup(started);
    server.apply(aWidget('a', { size: 1, started: new Date(scheduler.now() - 60_000).toISOString() }));
    const subscription = follow();
    scheduler.advance(1_000);
    subscription.unsubscribe();
    const sent = requests.length;
    scheduler.advance(3_600_000);
    expect(requests).toHaveLength(sent);
  });

  it('shows the same rows as a new list after random writes, in any order', () => {
    const random = randomFromSeed(seedOf('writes to tables'));
    const { server, scheduler, follow, tables } = setup(size, started, age);
    follow({ refresh: 5_000 });
    for (let step = 0; step < 300; step++) {
      const name = `w-${Math.floor(random() * 12)}`;
      const dice = random();
      if (dice < 0.2) server.remove(widgets, name, 'default');
      else if (dice < 0.22) server.restart({ compact: random() < 0.5 });
      else {
        const since = scheduler.now() - Math.floor(random() * 300_000);
        server.apply(aWidget(name, { size: step, ...(dice < 0.5 && { started: new Date(since).toISOString() }) }));
      }
      scheduler.advance(Math.floor(random() * 20_000));
    }
    scheduler.advance(120_000);
    const now: Table<Widget>[] = [];
    tables$(server.client, widgets).subscribe((table) => now.push(table));
    scheduler.advance(1_000);
    // The text of the column Started may be some seconds old.
    const fixed = (table: Table<Widget> | undefined) => table?.rows.list().map(({ cells }) => cells.with(2, null));
    expect(fixed(tables.at(-1))).toEqual(fixed(now.at(-1)));
    expect(fixed(now.at(-1))?.length).toBeGreaterThan(3);
  });
});

describe('the cells of a table', () => {
  it('show the age of an object at any time, without a request', () => {
    const { server, scheduler, follow, rows, requests, tables } = setup();
    server.apply(aWidget('a', { size: 1 }));
    follow();
    scheduler.advance(90_000);
    expect(rows()).toEqual(['a 1 90s']);
    const lists = requests.filter((line) => !line.includes('watch=true')).length;
    scheduler.advance(7_200_000);
    expect(rows()).toEqual(['a 1 121m']);
    expect(requests.filter((line) => !line.includes('watch=true'))).toHaveLength(lists);
    expect(tables).toHaveLength(1);
  });

  it('are texts as kubectl prints them', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    const texts = [0, 5_000, 125_000, 3_600_000 * 5, -1_000, -2_000].map((age) =>
      cellText({ since: new Date(now - age).toISOString() }, now),
    );
    expect(texts).toEqual(['0s', '5s', '2m5s', '5h', '0s', '<invalid>']);
    expect([null, '3', 3, true].map((cell) => cellText(cell, now))).toEqual(['', '3', '3', 'true']);
  });

  it('keep a column Age that is not the age of the object', () => {
    const { server, scheduler, follow, tables } = setup({ ...started, name: 'Age' });
    server.apply(aWidget('a', { size: 1, started: new Date(scheduler.now() - 600_000).toISOString() }));
    follow({ refresh: 0 });
    scheduler.advance(1_000);
    expect(tables.at(-1)?.rows.list()[0]?.cells).toEqual(['a', '10m']);
  });

  it('show the first line of a text, as kubectl does', () => {
    expect(cellText('first\nsecond', 0)).toBe('first...');
  });

  describe('with exactAges', () => {
    const exactly = { exactAges: true, refresh: 0 };

    it('show the age of any time in the object at any time, without a request', () => {
      const { server, scheduler, follow, rows, requests, tables } = setup(started, age);
      const at = (ago: number) => new Date(scheduler.now() - ago).toISOString();
      server.apply(aWidget('past', { size: 1, started: at(600_000) }));
      server.apply(aWidget('future', { size: 1, started: at(-60_000) }));
      follow(exactly);
      scheduler.advance(1_000);
      expect(rows()).toEqual(['future <invalid> 1s', 'past 10m 1s']);
      const sent = requests.length;
      scheduler.advance(61_000);
      expect(rows()).toEqual(['future 2s 62s', 'past 11m 62s']);
      scheduler.advance(5_400_000);
      expect(rows()).toEqual(['future 90m 91m', 'past 101m 91m']);
      expect(requests.slice(sent).filter((line) => !line.includes('watch=true'))).toEqual([]);
      expect(tables.at(-1)?.rows.list()[0]).not.toHaveProperty('object');
    });

    it('show the age within a text', () => {
      const { server, scheduler, follow, rows } = setup(started, age);
      server.apply(aWidget('a', { size: 1, started: new Date(scheduler.now() - 125_000).toISOString() }));
      const restarts = (body: { readonly rows: readonly object[] | null }) => ({
        ...body,
        rows: body.rows?.map((row) => ({ ...row, cells: ['a', '3 (2m5s ago)', '0s'] })),
      });
      follow(exactly, answering(server.client, restarts));
      scheduler.advance(1);
      expect(rows()).toEqual(['a 3 (2m5s ago) 0s']);
      scheduler.advance(600_000);
      expect(rows()).toEqual(['a 3 (12m ago) 10m']);
    });

    it('keep a duration that is the time between two times, as of a Job that has ended', () => {
      const duration = { name: 'Duration', type: 'string', jsonPath: '.spec.duration' };
      const { server, scheduler, follow, rows } = setup(duration);
      const at = (ago: number) => new Date(scheduler.now() - ago).toISOString();
      const job = (name: string, status: object) => ({
        ...aWidget(name, { size: 1, duration: '5s' } as Widget['spec']),
        status,
      });
      server.apply(job('done', { started: at(5_000), ended: at(0) }));
      server.apply(job('runs', { started: at(5_000) }));
      follow(exactly);
      scheduler.advance(60_000);
      expect(rows()).toEqual(['done 5s', 'runs 65s']);
    });

    it('are found by the clock of the server, which may differ from the clock of the client', () => {
      const { server, scheduler, follow, tables } = setup(started);
      const ahead = 3_600_000;
      const time = new Date(scheduler.now() + ahead - 60_000).toISOString();
      server.apply(aWidget('a', { size: 1, started: time }));
      const says = () => ({
        kind: 'Table',
        metadata: { resourceVersion: '1' },
        columnDefinitions: [columnOf(started)],
        rows: [{ cells: ['60s'], object }],
      });
      const object = { metadata: { name: 'a', namespace: 'default', uid: 'a', resourceVersion: '1' }, time };
      follow(
        exactly,
        answering(server.client, says, () => scheduler.now() + ahead),
      );
      scheduler.advance(1);
      expect(tables.at(-1)?.rows.list()[0]?.cells).toEqual([{ since: time }]);
    });

    it('stay texts, and are listed again, while two times of the object have this age', () => {
      const { server, scheduler, follow, rows, tables } = setup(started);
      const at = (ago: number) => new Date(scheduler.now() - ago).toISOString();
      server.apply(aWidget('a', { size: 1, started: at(1_210_000), other: at(1_250_000) } as Widget['spec']));
      follow({ exactAges: true, refresh: 10_000 });
      scheduler.advance(1);
      expect(tables.at(-1)?.rows.list()[0]?.cells[1]).toBe('20m');
      scheduler.advance(60_000);
      expect(rows()).toEqual(['a 21m']);
      expect(tables.at(-1)?.rows.list()[0]?.cells[1]).toEqual({ since: at(1_270_001) });
    });

    it('are refused for Secrets', () => {
      const { server } = setup();
      expect(() => tableSource(server.client, secrets, { exactAges: true })).toThrow(
        expect.objectContaining({ code: 'RXI_INVALID_OPTION' }),
      );
    });
  });

  it('are listed again while they are <invalid>', () => {
    const { server, scheduler, follow, rows } = setup(started);
    server.apply(aWidget('a', { size: 1, started: new Date(scheduler.now() + 60_000).toISOString() }));
    follow({ refresh: 30_000 });
    scheduler.advance(1_000);
    expect(rows()).toEqual(['a <invalid>']);
    scheduler.advance(120_000);
    expect(rows()).toEqual(['a 60s']);
  });

  it('are listed again from the cache of the server if their text depends on the time', () => {
    const { server, scheduler, follow, rows, lists } = setup(started);
    server.apply(aWidget('a', { size: 1, started: new Date(scheduler.now() - 600_000).toISOString() }));
    follow({ refresh: 60_000, namespace: 'default' });
    scheduler.advance(59_000);
    expect(rows()).toEqual(['a 10m']);
    scheduler.advance(2_000);
    expect(rows()).toEqual(['a 11m']);
    scheduler.advance(120_000);
    expect(rows()).toEqual(['a 13m']);
    expect(
      lists()
        .slice(1)
        .every((line) => line.includes('/namespaces/default/widgets?resourceVersion=0')),
    ).toBe(true);
    expect(lists()).toHaveLength(4);
  });

  it.each([0, Infinity])('are not listed again with refresh: %d', (refresh) => {
    const { server, scheduler, follow, lists } = setup(started);
    server.apply(aWidget('a', { size: 1, started: new Date(scheduler.now() - 600_000).toISOString() }));
    follow({ refresh });
    scheduler.advance(600_000);
    expect(lists()).toHaveLength(1);
  });

  it('keep the last text while the list fails', () => {
    const { server, scheduler, follow, rows } = setup(started);
    server.apply(aWidget('a', { size: 1, started: new Date(scheduler.now() - 600_000).toISOString() }));
    follow({ refresh: 60_000 });
    scheduler.advance(1_000);
    server.faults.next('list', serverFaults.respond(500));
    scheduler.advance(60_000);
    expect(rows()).toEqual(['a 10m']);
    scheduler.advance(60_000);
    expect(rows()).toEqual(['a 12m']);
  });

  it('of a late list never bring back a deleted row, nor an older state', () => {
    const { server, scheduler, follow, rows } = setup(size, started);
    const spec = { size: 1, started: new Date(scheduler.now() - 600_000).toISOString() };
    server.apply([aWidget('a', spec), aWidget('b', spec), aWidget('c', spec)]);
    const isLate = ({ query }: KubeRequest) => query?.['resourceVersion'] === '0' && query['limit'] === undefined;
    const late: KubeClient['exchange'] = (request) =>
      server.client.exchange(request).pipe(isLate(request) ? delay(20_000, scheduler) : identity);
    follow({ refresh: 60_000 }, { ...server.client, exchange: late });
    scheduler.advance(61_000);
    server.remove(widgets, 'b', 'default');
    server.apply(aWidget('c', { ...spec, size: 2 }));
    scheduler.advance(21_000);
    expect(rows()).toEqual(['a 1 11m', 'c 2 11m']);
  });
});

describe('tableSource', () => {
  it('is a source for an informer with indexes, and has the columns', () => {
    const { server, scheduler } = setup();
    server.apply(Array.from({ length: 20 }, (_, n) => aWidget(`w-${n}`, { size: n % 4 })));
    const source = tableSource(server.client, widgets);
    const rows = informer(source, { indexers: { size: ({ cells }) => [String(cells[1])] } });
    const columns: (readonly TableColumn[])[] = [];
    source.columns$.subscribe((each) => columns.push(each));
    rows.connect();
    scheduler.advance(1_000);
    expect(rows.byIndex('size', '3').map(({ metadata }) => metadata.name)).toEqual([
      'w-11',
      'w-15',
      'w-19',
      'w-3',
      'w-7',
    ]);
    expect(columns.map((each) => each.map(({ name, type }) => `${name}:${type}`))).toEqual([
      ['Name:string', 'Size:integer', 'Age:date'],
    ]);
  });

  it('follows a set of namespaces, and lists each of them again', () => {
    const { server, scheduler, lists } = setup(started);
    const spec = { size: 1, started: new Date(scheduler.now() - 600_000).toISOString() };
    server.apply(['default', 'kube-system', 'kube-public'].map((namespace) => aWidget('a', spec, namespace)));
    const rows = informer(tableSource(server.client, widgets, { namespace: inNamespaces(['default', 'kube-system']) }));
    rows.connect();
    scheduler.advance(130_000);
    expect(rows.list().map(({ cells }) => cells[1])).toEqual(['12m', '12m']);
    expect(
      lists().some((line) => line.includes('kube-public') || line.startsWith('GET /apis/example.com/v1/widgets')),
    ).toBe(false);
  });

  it('lists each namespace again, for each subscriber, if a definition gets other columns', () => {
    const { server, scheduler } = setup();
    const both = ['default', 'kube-system'];
    server.apply(both.map((namespace) => aWidget('a', { size: 1 }, namespace)));
    const source = tableSource(server.client, widgets, { namespace: inNamespaces(both) });
    const informers = [informer(source), informer(source)];
    for (const each of informers) each.connect();
    scheduler.advance(1_000);
    server.apply(definition(started, size));
    server.restart();
    scheduler.advance(10_000);
    server.apply(both.map((namespace) => aWidget('b', { size: 2 }, namespace)));
    scheduler.advance(60_000);
    for (const each of informers) {
      expect(each.list().map(({ cells }) => cells)).toEqual([
        ['a', null, 1],
        ['b', null, 2],
        ['a', null, 1],
        ['b', null, 2],
      ]);
    }
  });

  it('makes one commit of what one network read delivers', () => {
    const { server, scheduler, follow, tables } = setup();
    follow({}, gathering(server.client));
    scheduler.advance(1_000);
    server.apply(Array.from({ length: 20 }, (_, n) => aWidget(`w-${n}`, { size: n })));
    scheduler.advance(1_000);
    expect(tables.map(({ rows }) => rows.size)).toEqual([0, 20]);
  });

  it('has the whole objects with includeObject: Object', () => {
    const { server, scheduler, follow, tables, requests } = setup();
    server.apply(aWidget('a', { size: 1 }));
    follow({ includeObject: 'Object' });
    scheduler.advance(1_000);
    const row = tables.at(-1)?.rows.list()[0];
    expect(row?.object?.spec.size).toBe(1);
    expect(row?.object?.metadata).not.toHaveProperty('managedFields');
    expect(requests.every((line) => line.includes('includeObject=Object'))).toBe(true);
  });

  it('never asks for the content of Secrets', () => {
    const { server, requests } = setup();
    const read = () => tableSource(server.client, secrets, { includeObject: 'Object' });
    expect(read).toThrow(expect.objectContaining({ code: 'RXI_INVALID_OPTION' }));
    expect(requests).toEqual([]);
    tables$(server.client, secrets).subscribe();
    expect(requests.length).toBeGreaterThan(0);
    expect(requests.join()).not.toContain('includeObject');
  });

  it('refuses an unknown includeObject and a negative refresh', () => {
    const { server } = setup();
    const invalid = expect.objectContaining({ code: 'RXI_INVALID_OPTION' }) as Error;
    expect(() => tableSource(server.client, widgets, { includeObject: 'All' as never })).toThrow(invalid);
    expect(() => tableSource(server.client, widgets, { refresh: -1 })).toThrow(invalid);
  });

  it('shows the columns of the library of Kubernetes for built-in kinds', () => {
    const { server, scheduler } = setup();
    const found: Table[] = [];
    tables$(server.client, namespaces).subscribe((table) => found.push(table));
    scheduler.advance(1_000);
    expect(found.at(-1)?.columns.map(({ name }) => name)).toEqual(['Name', 'Created At']);
    expect(found.at(-1)?.rows.get('default')?.cells[0]).toBe('default');
  });
});

describeSourceConformance(
  () => {
    const server = createInMemoryApiServer();
    const settings = (name: string, text = '') => aConfigMap({ name, data: { text } });
    server.apply(Array.from({ length: 40 }, (_, index) => settings(`b${index}`)));
    return {
      source: tableSource(server.client, configMaps, { namespace: inNamespaces(['default', 'kube-system']) }),
      expected: () =>
        server.objects.list(configMaps).map(({ apiVersion, kind, metadata }) => ({
          apiVersion,
          kind,
          metadata,
          cells: [metadata.name, String(metadata.creationTimestamp)],
        })),
      change: (step) => {
        if (step === 2) server.remove(configMaps, 'b7', 'default');
        else server.apply(settings(`c${step % 2}`, `step ${step}`));
      },
      stop: () => server.stop(),
    };
  },
  { name: 'tableSource' },
);
