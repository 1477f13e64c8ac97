import {
  listWatch,
  type KubeClient,
  type Resource,
  configMaps,
  informer,
  type ConfigMap,
  type ListWatchOptions,
} from 'rx-informers';
import { exponentialBackoff } from 'rx-informers/client';
import { aConfigMap, createInMemoryApiServer, type ApiRequest, serverFaults, informerTest } from 'rx-informers/testing';
import type { DecodedEvent, State } from '../../src/sources/reflector/protocol.js';
import { initialState, step } from '../../src/sources/reflector/step.js';
import { podOf, pods, type Pod } from '../fixtures/pods.js';
import { added, endBookmark, errorLine, modified } from '../fixtures/wire.js';
import { list, open, refused, run, streamed } from './support/run-list-watch.js';
import { refuse, respond, statusError, scriptedClient, somewhere, type Answer } from './support/scripted-client.js';
import { timeline } from './support/timeline.js';

describe('listWatch when a streaming list fails', () => {
  it.each([
    ['429', refuse(statusError(429)), ['STREAM', 'STREAM']],
    ['429 in the stream', respond([[1, added('gone@1') + errorLine(429)]]), ['STREAM', 'STREAM']],
    ['connection refused', refuse(refused), ['STREAM', 'STREAM']],
    ['500', refuse(statusError(500)), ['STREAM', 'LIST limit=500 resourceVersion=0']],
    ['403', refuse(statusError(403)), ['STREAM', 'LIST limit=500 resourceVersion=0']],
    ['a short stream', respond([], { end: 100 }), ['STREAM', 'LIST limit=500 resourceVersion=0']],
    ['garbage', respond([[1, 'garbage\n']]), ['STREAM', 'LIST limit=500 resourceVersion=0']],
    [
      'an error in the stream',
      respond([[1, added('gone@1') + errorLine(500)]]),
      ['STREAM', 'LIST limit=500 resourceVersion=0'],
    ],
  ])('R25, R26: %s leads to %#', (_name, answer, log) => {
    const { client } = run([answer, open], 1_000, streamed);
    expect(client.log).toEqual(log);
  });

  it('R26: falls back for one cycle only (TestWatchList)', () => {
    const { client, data } = run(
      [
        refuse(statusError(500)),
        list('10'),
        respond([[1_000, errorLine(410)]]),
        respond([[1, added('b@1') + endBookmark('20')]]),
      ],
      10_000,
      streamed,
    );
    expect(client.log).toEqual([
      'STREAM',
      'LIST limit=500 resourceVersion=0',
      'WATCH resourceVersion=10',
      'STREAM resourceVersion=10',
    ]);
    expect(data.at(-1)).toMatch(/LISTED 20\(b@1\)/);
  });

  it.each([400, 405, 422])('R26 ▲: remembers %i, and does not try to stream again', (code) => {
    const { client } = run(
      [refuse(statusError(code)), list('10'), respond([[1_000, errorLine(410)]]), list('20'), open],
      10_000,
      streamed,
    );
    expect(client.log).toEqual([
      'STREAM',
      'LIST limit=500 resourceVersion=0',
      'WATCH resourceVersion=10',
      'LIST resourceVersion=10',
      'WATCH resourceVersion=20',
    ]);
  });

  it('R26: streams the most recent version at once after an expired version', () => {
    const first = respond([
      [1, endBookmark('10')],
      [1_000, errorLine(410)],
    ]);
    const { client } = run([first, refuse(statusError(410)), respond([[1, endBookmark('20')]])], 10_000, streamed);
    expect(client.log).toEqual(['STREAM', 'STREAM resourceVersion=10', 'STREAM']);
  });

  it('R27 ▲: lists in pages three seconds after the last byte if there is no end bookmark, and remembers that', () => {
    const swallowed = respond([[2_000, added('a@1')]]);
    const { client, seen } = run(
      [swallowed, list('10'), respond([[1_000, errorLine(410)]]), list('20'), open],
      100_000,
      streamed,
    );
    expect(seen.slice(0, 4)).toEqual([
      '0: <listing by stream 0>',
      '2000: <listing by stream 1>',
      '5000: ERROR RXI_BOOKMARK_DEADLINE <listing by pages 0>',
      '5002: LISTED 10(a@1)',
    ]);
    expect(client.log.slice(1)).toEqual([
      'LIST limit=500 resourceVersion=0',
      'WATCH resourceVersion=10',
      'LIST resourceVersion=10',
      'WATCH resourceVersion=20',
    ]);
  });

  it('reports its progress at most once a second', () => {
    const chunks = Array.from({ length: 50 }, (_, index) => [100 + index * 100, added(`p${index}@1`)] as const);
    const { seen } = run([respond(chunks)], 5_200, streamed);
    expect(seen.length).toBeLessThanOrEqual(7);
    expect(seen).toContain('1000: <listing by stream 10>');
  });
});

const every = (period: number, from: number, until: number, text: (at: number) => string): [number, string][] =>
  Array.from({ length: Math.ceil((until - from) / period) }, (_, index) => {
    const at = from + index * period;
    return [at, text(at)];
  });

describe('listWatch when a streaming list does not end', () => {
  it('R27 ▲: lists in pages after three seconds without a byte, with or without objects', () => {
    const silent = run([open, list('10'), open], 10_000, streamed);
    expect(silent.seen).toEqual([
      '0: <listing by stream 0>',
      '3000: ERROR RXI_BOOKMARK_DEADLINE <listing by pages 0>',
      '3002: LISTED 10(a@1)',
      '3002: <watching 10>',
    ]);
    const objects = run([respond([[1_000, added('a@1')]]), list('10'), open], 10_000, streamed);
    expect(objects.data).toEqual(['4000: ERROR RXI_BOOKMARK_DEADLINE', '4002: LISTED 10(a@1)']);
  });

  it('R27 ▲: waits for a slow stream as long as objects or parts of objects arrive', () => {
    const slow = every(2_500, 1_000, 60_000, (at) => added(`p${100_000 + at}@1`));
    expect(run([respond([...slow, [60_000, endBookmark('10')]])], 61_000, streamed).client.log).toEqual(['STREAM']);
    const parts = Array.from(added('a@1')).map((character, index): [number, string] => [
      1_000 + index * 500,
      character,
    ]);
    const end = 1_000 + parts.length * 500;
    expect(run([respond([...parts, [end, endBookmark('10')]])], end + 1, streamed).data).toEqual([
      `${end}: LISTED 10(a@1)`,
    ]);
  });

  it('R27 ▲: does not extend the deadline for changes of objects', () => {
    const busy = respond([[1_000, added('a@1')], ...every(100, 1_100, 120_000, (at) => modified(`a@${at}`))]);
    const { data } = run([busy, list('10'), open], 120_000, streamed);
    expect(data).toEqual(['31000: ERROR RXI_BOOKMARK_DEADLINE', '31002: LISTED 10(a@1)']);
  });

  it('R27 ▲: does not extend the deadline for the heartbeat of a proxy', () => {
    const beating = respond([[1_000, added('a@1')], ...every(2_000, 2_000, 120_000, () => '\n')]);
    const { data } = run([beating, list('10'), open], 40_000, streamed);
    expect(data).toEqual(['31000: ERROR RXI_BOOKMARK_DEADLINE', '31002: LISTED 10(a@1)']);
  });

  it('R24: holds one version of each object, however many arrive', () => {
    const config = {
      initialList: 'stream' as const,
      listConsistency: 'any' as const,
      pageSize: 500,
      isPageSizeSet: false,
      watchTimeout: [300, 600] as const,
      grace: 30_000,
      listSilence: 30_000,
      watchSilence: Infinity,
      maxRetryAfter: 300_000,
      backoff: exponentialBackoff(),
      requestLine: () => somewhere,
    };
    let state: State<Pod> = initialState;
    const feed = (input: object): void => void ({ state } = step({ config, at: 0, random: 0 }, state, input as never));
    feed({ type: 'started' });
    feed({ type: 'head' });
    const change = (version: number): DecodedEvent<Pod> => {
      const resourceVersion = String(version);
      return { type: 'change', change: 'MODIFIED', object: podOf(`a@${version}`), resourceVersion };
    };
    for (let read = 0; read < 200; read += 1)
      feed({ type: 'events', events: Array.from({ length: 1_000 }, (_, index) => change(read * 1_000 + index)) });
    expect(JSON.stringify(state).match(/"uid"/g)?.length).toBeLessThan(5_000);
  });
});

describe('listWatch after a failed streaming list', () => {
  const configMaps: Resource<Pod> = { ...pods, plural: 'configmaps' };
  const deployments: Resource<Pod> = { ...pods, group: 'apps', plural: 'deployments' };

  /** The first request of a second source of the same client. */
  function secondSource(answers: readonly Answer[], resource: Resource<Pod> = configMaps): string | undefined {
    const client = scriptedClient([...answers, open]);
    const follow = (kind: Resource<Pod>, from: KubeClient): void =>
      void timeline(() => listWatch(from, kind, streamed), 20_000);
    follow(pods, client);
    const before = client.log.length;
    follow(resource, client);
    return client.log[before];
  }
  const paged = 'LIST limit=500 resourceVersion=0';

  it.each<[string, readonly Answer[]]>([
    ['was refused with 422', [refuse(statusError(422)), list('10'), open]],
    ['was refused with 400', [refuse(statusError(400)), list('10'), open]],
    ['was silent, while a page arrived at once', [open, list('10'), open]],
  ])('R26 ▲: other sources of the client and API group do not stream either if it %s', (_what, answers) => {
    expect(secondSource(answers)).toBe(paged);
    expect(secondSource(answers, deployments)).toBe('STREAM');
  });

  it.each<[string, readonly Answer[]]>([
    ['the server was only slow', [open, respond([[5_000, '{']], { end: 5_001 }), open]],
    ['only this kind cannot be watched (405)', [refuse(statusError(405)), list('10'), open]],
    ['streaming failed for another reason', [refuse(statusError(500)), list('10'), open]],
  ])('R26 ▲: other sources stream if %s', (_what, answers) => {
    expect(secondSource(answers)).toBe('STREAM');
  });
});

interface Server {
  readonly watchList: boolean;
  /** False: `resourceVersionMatch` is ignored, as it was before Kubernetes 1.19. */
  readonly knowsMatch: boolean;
}

/**
 * Follows ten objects, and loses the connection while one object goes and two come. Then the server
 * still has the old version in etcd but not in its watch cache: it lists exactly that version when
 * asked to, and answers every watch from it with 410.
 */
function relistAfterExpiry(
  options: ListWatchOptions<ConfigMap>,
  { watchList, knowsMatch }: Server,
): { readonly currentAfter: number; readonly requests: readonly string[] } {
  const requests: string[] = [];
  let currentAfter = Infinity;
  informerTest(({ flush, scheduler }) => {
    const server = createInMemoryApiServer({ scheduler, watchList });
    server.apply(Array.from({ length: 10 }, (_, index) => aConfigMap({ name: `c${index}` })));
    const client = knowsMatch ? server.client : withoutMatch(server.client);
    const followed = informer(listWatch(client, configMaps, { ...options, scheduler, random: () => 0 }), {
      scheduler,
      onUnobservedError: () => {},
    });
    followed.connect();
    scheduler.schedule(() => {
      server.faults.always('any', serverFaults.refuse());
      server.restart();
      server.apply([aConfigMap({ name: 'new0' }), aConfigMap({ name: 'new1' })]);
      server.remove(configMaps, 'c1', 'default');
      server.faults.clear();
      const present = Number(server.resourceVersion);
      server.faults.always((request) => isWatchFromBefore(request, present), serverFaults.expire());
      server.requests$.subscribe((request) => requests.push(describeRequest(request)));
      followed.list$().subscribe((objects) => {
        if (objects.length === 11) currentAfter = Math.min(currentAfter, scheduler.now() - 1_000);
      });
    }, 1_000);
    scheduler.schedule(() => {
      followed.stop();
      server.stop();
    }, 600_000);
    flush();
  });
  return { currentAfter, requests };
}

function withoutMatch(client: KubeClient): KubeClient {
  return {
    exchange: (request) => {
      const { resourceVersionMatch: match, ...query } = request.query ?? {};
      return client.exchange({
        ...request,
        query: query['watch'] === true ? { ...query, resourceVersionMatch: match } : query,
      });
    },
  };
}

function isWatchFromBefore({ query }: ApiRequest, present: number): boolean {
  const isWatch = query.get('watch') === 'true' && query.get('sendInitialEvents') === null;
  return isWatch && Number(query.get('resourceVersion')) < present;
}

function describeRequest({ query }: ApiRequest): string {
  const verb = query.get('sendInitialEvents') ? 'STREAM' : query.get('watch') ? 'WATCH' : 'LIST';
  const version = query.get('resourceVersion') === null ? 'most recent' : 'version';
  const match = query.get('resourceVersionMatch');
  return [
    verb,
    query.get('limit') ?? 'all',
    query.get('continue') ? 'continue' : version,
    ...(match ? [match] : []),
  ].join(' ');
}

const everyCombination = [undefined, 3, 500].flatMap((pageSize) =>
  (['stream', 'pages'] as const).flatMap((initialList) =>
    (['any', 'most-recent'] as const).flatMap((listConsistency) =>
      [true, false].map((watchList) => ({ pageSize, initialList, listConsistency, watchList })),
    ),
  ),
);

describe('listWatch when its version has expired from the watch cache but not from etcd', () => {
  it.each(everyCombination)(
    'R4, R15: is current again within seconds ($initialList, pages of $pageSize, $listConsistency, server streams lists: $watchList)',
    ({ watchList, ...options }) => {
      const { currentAfter } = relistAfterExpiry(options, { watchList, knowsMatch: true });
      expect(currentAfter).toBeLessThan(5_000);
    },
  );

  it('R2: a page size never makes the server list an old version exactly', () => {
    const { requests } = relistAfterExpiry(
      { initialList: 'pages', pageSize: 3 },
      { watchList: true, knowsMatch: true },
    );
    expect(requests.slice(0, 6)).toEqual([
      'WATCH all version',
      'LIST 3 version NotOlderThan',
      'LIST 3 continue',
      'LIST 3 continue',
      'LIST 3 continue',
      'WATCH all version',
    ]);
  });

  it('R4 ▲: requests the most recent state after a list that returns the expired version', () => {
    const { currentAfter, requests } = relistAfterExpiry(
      { initialList: 'pages', pageSize: 500 },
      { watchList: true, knowsMatch: false },
    );
    expect(currentAfter).toBeLessThan(10_000);
    expect(requests.filter((request) => request.startsWith('LIST'))).toEqual([
      'LIST 500 version',
      'LIST 500 most recent',
    ]);
  });
});
