import { informer, inNamespaces, listWatch, mergeSources, type ChangeSet } from 'rx-informers';
import { virtualClock } from 'rx-informers/testing';
import { map } from 'rxjs';
import type { ListWatchOptions } from '../../../src/sources/list-watch.js';
import type { Source } from '../../../src/sources/model/source.js';
import { chooseScanner } from '../../../src/sources/wire/choose-scanner.js';
import { pods, type Pod } from '../../fixtures/pods.js';
import { nameIn, parsedIn, partIn } from './support/count-parsing.js';
import { ModelServer, type Operation } from './support/model-server.js';

type MakeSource = (server: ModelServer, options?: ListWatchOptions<Pod>) => Source<Pod>;

const plain: MakeSource = ({ client }, options) => listWatch(client, pods, options);

function connected(make: MakeSource, options: ListWatchOptions<Pod> = {}) {
  const scheduler = virtualClock();
  const server = new ModelServer(scheduler);
  for (const name of ['a', 'b', 'c']) server.run({ type: 'create', name });
  const cache = informer(make(server, { backoff: () => 10, ...options }), { scheduler });
  const sets: ChangeSet<Pod>[] = [];
  cache.changes$.subscribe((set) => sets.push(set));
  scheduler.advance(1);
  const relist = (): readonly string[] =>
    parsedIn(() => {
      server.run({ type: 'expire' });
      scheduler.advance(100);
    });
  return { server, scheduler, cache, sets, relist };
}

afterEach(async () => {
  await chooseScanner('fastest');
});

describe.each([
  ['wasm', 'parses no held object', 0],
  ['none', 'parses every object, because there are no digests,', 3],
] as const)('a relist of an unchanged list, with the scanner: %s,', (scanner, parses, count) => {
  beforeEach(async () => {
    await chooseScanner(scanner);
  });

  it.each<[string, MakeSource, ListWatchOptions<Pod>]>([
    ['in pages', plain, { initialList: 'pages', pageSize: 2 }],
    ['as a stream', plain, { initialList: 'stream' }],
    ['of metadata', (server, options) => plain(server, { ...options, metadataOnly: true } as never), {}],
    ['of a merged source', (server, options) => mergeSources({ one: plain(server, options) }), {}],
    ['of several namespaces', (server, options) => plain(server, { ...options, namespace: inNamespaces(['web']) }), {}],
  ])(`${parses} and changes nothing: %s`, (_name, make, options) => {
    const { cache, sets, relist } = connected(make, options);
    const before = cache.list();
    expect(before).toHaveLength(3);
    expect(relist()).toHaveLength(count);
    expect(cache.list()).toBe(before);
    expect(sets).toHaveLength(1);
  });

  it.each<[string, MakeSource, ListWatchOptions<Pod>]>([
    ['with a custom transform', (server, options) => plain(server, { ...options, transform: (pod) => pod }), {}],
    ['if the program may modify objects', plain, { shareAcrossObjects: false }],
    [
      'with an operator that may modify objects',
      (server, options) => plain(server, options).pipe(map((batch) => batch)),
      {},
    ],
  ])('parses every object and changes nothing %s', (_name, make, options) => {
    const { cache, sets, relist } = connected(make, options);
    const before = cache.list();
    expect(relist()).toHaveLength(3);
    expect(cache.list()).toBe(before);
    expect(sets).toHaveLength(1);
  });

  it.each(['pages', 'stream'] as const)(
    'parses only objects that are new, changed or recreated (%s)',
    (initialList) => {
      const { server, scheduler } = connected(plain, { initialList });
      const parsed = parsedIn(() => {
        server.run({ type: 'expire' });
        server.run({ type: 'status', name: 'a' });
        server.run({ type: 'recreate', name: 'b' });
        server.run({ type: 'delete', name: 'c' });
        for (const name of ['d', 'e']) server.run({ type: 'create', name });
        scheduler.advance(100);
      });
      const ofA = scanner === 'none' ? 'a' : 'the status';
      expect(parsed.map((text) => nameIn(text) ?? partIn(text))).toEqual([ofA, 'b', 'd', 'e']);
    },
  );

  it('parses an object that was changed by a watch event once more, and changes nothing', () => {
    const { server, cache, sets, relist } = connected(plain);
    server.run({ type: 'status', name: 'a' });
    server.run({ type: 'deliver', chunks: 1 });
    const before = cache.list();
    const announced = sets.length;
    expect(relist()).toHaveLength(count || 1);
    expect(relist()).toHaveLength(count);
    expect(cache.list()).toBe(before);
    expect(sets).toHaveLength(announced);
  });

  it('parses an object again after the informer was stopped, because it then contains nothing', () => {
    const { cache, relist } = connected(plain);
    cache.stop();
    const parsed = parsedIn(() => cache.connect());
    expect(parsed).toHaveLength(3);
    expect(relist()).toHaveLength(count);
  });
});

describe('a watch event', () => {
  beforeEach(async () => {
    await chooseScanner('wasm');
  });

  /** Returns what is parsed of each event. */
  function parsedBy(operations: readonly Operation[], options: ListWatchOptions<Pod> = {}) {
    const { server, cache } = connected(plain, options);
    const before = cache.get('web/a');
    const parsed = operations.map((operation) => {
      server.run(operation);
      const texts = parsedIn(() => server.run({ type: 'deliver', chunks: 2 }));
      return texts.map(partIn);
    });
    return { parsed: parsed.flat(), before, after: cache.get('web/a'), expected: server.get('a') };
  }

  it.each(['pages', 'stream'] as const)('is parsed without its unchanged spec and metadata (%s)', (initialList) => {
    const operations = ['status', 'labels', 'status'] as const;
    const { parsed, before, after } = parsedBy(
      operations.map((type) => ({ type, name: 'a' })),
      { initialList },
    );
    expect(parsed).toEqual(['the status', 'not the spec', 'the status']);
    expect(after?.spec).toBe(before?.spec);
    expect(after?.metadata.resourceVersion).not.toBe(before?.metadata.resourceVersion);
  });

  it('with a changed spec is parsed completely, and later events without it', () => {
    const { parsed, before, after } = parsedBy([
      { type: 'spec', name: 'a' },
      { type: 'status', name: 'a' },
    ]);
    expect(parsed).toEqual(['all', 'the status']);
    expect(after?.spec).not.toEqual(before?.spec);
  });

  it('of a recreated object is parsed completely, even if its spec has the same text', () => {
    const { parsed, before, after } = parsedBy([{ type: 'recreate', name: 'a' }]);
    expect(parsed).toEqual(['all', 'all']);
    expect(after?.spec).toEqual(before?.spec);
    expect(after?.spec).not.toBe(before?.spec);
  });

  it('is parsed completely without WebAssembly, because there are no digests', async () => {
    await chooseScanner('none');
    expect(parsedBy([{ type: 'status', name: 'a' }]).parsed).toEqual(['all']);
  });

  it('of an object with only metadata in the cache is parsed completely', () => {
    expect(parsedBy([{ type: 'status', name: 'a' }], { metadataOnly: true } as never).parsed).toEqual(['all']);
  });
});
