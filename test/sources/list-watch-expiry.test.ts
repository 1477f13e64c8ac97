import { configMaps, informer, listWatch, type ConfigMap, type KubeClient, type ListWatchOptions } from 'rx-informers';
import { aConfigMap, createInMemoryApiServer, type ApiRequest, serverFaults, informerTest } from 'rx-informers/testing';

interface Server {
  readonly watchList: boolean;
  /** False: `resourceVersionMatch` is ignored, as it was before Kubernetes 1.19. */
  readonly knowsMatch: boolean;
}

/**
 * Follows ten objects, and loses the connection while one object goes and two come. Then the server still has the old version in
 * etcd but not in its watch cache: it lists exactly that version when asked to, and answers every watch from it with 410.
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

describe('listWatch, when its version has expired from the watch cache but not from etcd', () => {
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

  it('R4 ▲: a list that brings back the expired version is followed by one of the most recent state', () => {
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
