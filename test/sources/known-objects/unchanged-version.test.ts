import { jest } from '@jest/globals';
import { informer, inNamespaces, listWatch, mergeSources, type ChangeSet, type InformerOptions } from 'rx-informers';
import { virtualClock } from 'rx-informers/testing';
import { map, Observable } from 'rxjs';
import type { ListWatchOptions } from '../../../src/sources/list-watch.js';
import type { Source } from '../../../src/sources/model/source.js';
import { chooseScanner } from '../../../src/sources/wire/choose-scanner.js';
import { pods, type Pod } from '../../fixtures/pods.js';
import { parsedIn, partIn } from './support/count-parsing.js';
import { ModelServer } from './support/model-server.js';

type MakeSource = (server: Pick<ModelServer, 'client'>) => Source<Pod>;

const of =
  (options: ListWatchOptions<Pod> = {}): MakeSource =>
  ({ client }) =>
    listWatch(client, pods, { backoff: () => 10, ...options });

const cases: readonly (readonly [string, MakeSource, InformerOptions<Pod, never>])[] = [
  ['in pages', of({ initialList: 'pages', pageSize: 2 }), {}],
  ['as a stream', of({ initialList: 'stream' }), {}],
  ['with a transform', of({ transform: (pod) => ({ ...pod }) }), {}],
  ['of objects that share nothing', of({ shareAcrossObjects: false }), {}],
  ['with keys of its own', of(), { keyOf: (pod) => `pod ${pod.metadata.name}` }],
  ['of a merged source', (server) => mergeSources({ one: of()(server) }), {}],
  ['of several namespaces', of({ namespace: inNamespaces(['web']) }), {}],
  ['through an operator', (server) => of()(server).pipe(map((batch) => batch)), {}],
];

function connected(make: MakeSource, options: InformerOptions<Pod, never> = {}) {
  const scheduler = virtualClock();
  const server = new ModelServer(scheduler);
  for (const name of ['a', 'b', 'c']) server.run({ type: 'create', name });
  const cache = informer(make(server), { ...options, scheduler });
  const sets: ChangeSet<Pod>[] = [];
  cache.errors$.subscribe();
  cache.changes$.subscribe((set) => sets.push(set));
  scheduler.advance(1);
  sets.splice(0);
  const relist = (): void => {
    server.run({ type: 'expire' });
    scheduler.advance(100);
  };
  const phases = () => cache.list().map(({ status }) => (status as { readonly phase?: string } | undefined)?.phase);
  return { scheduler, server, cache, sets, relist, phases };
}

afterEach(async () => {
  await chooseScanner('fastest');
});

describe.each(['wasm', 'none'] as const)('content at an unchanged version, with the scanner: %s,', (scanner) => {
  beforeEach(async () => {
    await chooseScanner(scanner);
  });

  it.each(cases)('I10 ▲: is taken over and announced by the next list, once: %s', (_name, make, options) => {
    const { server, sets, relist, phases } = connected(make, options);
    server.run({ type: 'default', name: 'b' });
    for (let lists = 0; lists < 3; lists++) relist();

    expect(phases()).toEqual(['Running', 'Default1', 'Running']);
    const changes = sets.flatMap(({ changes: all }) => all);
    expect(changes).toMatchObject([
      { type: 'updated', previous: { status: { phase: 'Running' } }, object: { status: { phase: 'Default1' } } },
    ]);
  });

  it('I10 ▲: is taken over each time if two API servers show it in turn', () => {
    const { server, sets, relist, phases } = connected(of());
    for (const phase of ['Default1', 'Default2', 'Running', 'Default1']) {
      server.run({ type: 'default', name: 'a' });
      relist();
      expect(phases()).toEqual([phase, 'Running', 'Running']);
    }
    expect(sets).toHaveLength(4);
  });

  it.each(['pages', 'stream'] as const)('I10 ▲: is taken over after a list with it was cut off (%s)', (initialList) => {
    let left = Infinity;
    const cut: MakeSource = ({ client }) =>
      of({ initialList, pageSize: 1 })({
        client: {
          ...client,
          exchange: (request) =>
            new Observable((subscriber) =>
              client.exchange(request).subscribe({
                next: (part) => {
                  if (part.type === 'bytes' && left-- === 0) subscriber.complete();
                  else subscriber.next(part);
                },
                error: (error) => subscriber.error(error),
                complete: () => subscriber.complete(),
              }),
            ),
        },
      });
    for (let parts = 1; parts < 8; parts++) {
      left = Infinity;
      const { scheduler, server, relist, phases } = connected(cut);
      server.run({ type: 'default', name: 'a' });
      left = parts;
      relist();
      scheduler.advance(60_000);

      expect(phases()).toEqual(['Default1', 'Running', 'Running']);
    }
  });
});

describe('a list with content at an unchanged version', () => {
  it('parses only the objects whose content differs', () => {
    const { server, relist } = connected(of());
    server.run({ type: 'default', name: 'b' });
    const parsed = parsedIn(relist);
    expect(parsed.map(partIn)).toEqual(['the status']);
    expect(parsedIn(relist)).toEqual([]);
  });
});

describe('a transform that is not deterministic', () => {
  const relists = 5;
  let warnings: string[];
  let warn: jest.SpiedFunction<typeof console.warn>;
  beforeEach(() => {
    warnings = [];
    warn = jest.spyOn(console, 'warn').mockImplementation((text: string) => void warnings.push(text));
  });
  afterEach(() => warn.mockRestore());

  const counting = (): MakeSource => {
    let count = 0;
    return of({ transform: (pod) => ({ ...pod, count: count++ }) });
  };

  it('announces every object at each list, and is named in one warning', () => {
    const { sets, relist } = connected(counting(), { name: 'counted pods' });
    for (let lists = 0; lists < relists; lists++) relist();
    expect(sets.map(({ changes }) => changes.length)).toEqual(Array.from({ length: relists }, () => 3));
    expect(warnings).toEqual([
      expect.stringMatching(/^counted pods: two lists in succession changed 3 of 3 .*transform/),
    ]);
  });

  it('is not warned about in production', () => {
    const { NODE_ENV } = process.env;
    process.env['NODE_ENV'] = 'production';
    try {
      const { relist } = connected(counting());
      for (let lists = 0; lists < relists; lists++) relist();
    } finally {
      process.env['NODE_ENV'] = NODE_ENV;
    }
    expect(warnings).toEqual([]);
  });

  it('is not suspected when a server shows a new default to all objects, again and again', () => {
    const { server, relist } = connected(of());
    for (let lists = 0; lists < relists; lists++) {
      for (const name of ['a', 'b', 'c']) server.run({ type: 'default', name });
      relist();
      relist();
    }
    expect(warnings).toEqual([]);
  });
});
