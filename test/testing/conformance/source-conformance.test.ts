import { configMaps, fromEvents, listWatch, mergeSources, replay, type ConfigMap, type Source } from 'rx-informers';
import { type WatchEvent, watchEvent } from 'rx-informers/store';
import {
  aConfigMap,
  createInMemoryApiServer,
  describeSourceConformance,
  type InMemoryApiServer,
  type SourceUnderTest,
} from 'rx-informers/testing';
import { interval, map, concat, of, Subject } from 'rxjs';

const { added, deleted, listed } = watchEvent;

const config = (name: string, text = ''): ConfigMap => aConfigMap({ name, data: { text } });

function overServer(through: (server: InMemoryApiServer) => Source<ConfigMap>): SourceUnderTest<ConfigMap> {
  const server = createInMemoryApiServer();
  server.apply(['a', 'b', 'c'].map((name) => config(name)));
  return {
    source: through(server),
    expected: () => server.objects.list(configMaps),
    change: (step) => {
      if (step === 2) server.remove(configMaps, 'b', 'default');
      else server.apply(config(`c${step % 2}`, `step ${step}`));
    },
    stop: () => {
      server.stop();
    },
  };
}

const items = [config('a'), config('b')];

describeSourceConformance(() => overServer(({ client }) => listWatch(client, configMaps)), { name: 'listWatch' });
describeSourceConformance(() => overServer(({ client }) => listWatch(client, configMaps, { initialList: 'pages' })), {
  name: 'listWatch in pages',
});
describeSourceConformance(
  () =>
    overServer(({ client }) =>
      mergeSources({
        east: listWatch(client, configMaps, { namespace: 'default' }),
        west: fromEvents([listed<ConfigMap>([])]),
      }),
    ),
  { name: 'mergeSources' },
);
describeSourceConformance(() => ({ source: fromEvents([listed(items)]), expected: () => items }), {
  name: 'fromEvents',
});
describeSourceConformance(
  () => {
    const lines = [
      { recording: 'rx-informers', version: 1, startedAt: 0, redacted: true },
      { at: 1, batch: [listed(items)] },
      { at: 5, batch: [added(config('c')), deleted(config('a'))] },
      { at: 9, end: 'completed' },
    ];
    return {
      source: replay<ConfigMap>(lines.map((line) => JSON.stringify(line))),
      expected: () => [config('b'), config('c')],
    };
  },
  { name: 'replay' },
);

/** The tests of the suite that fail for a source that breaks its promises. */
async function failuresOf(makeSource: () => SourceUnderTest<ConfigMap>): Promise<readonly string[]> {
  const failures: string[] = [];
  const tests: (readonly [string, () => void | Promise<void>])[] = [];
  describeSourceConformance(makeSource, {
    describe: (_name, define) => {
      define();
    },
    it: (name, test) => tests.push([name, test]),
  });
  for (const [name, test] of tests) {
    await Promise.resolve(test()).catch(() => failures.push(name));
  }
  return failures;
}

describe('describeSourceConformance', () => {
  it('finds a source that emits changes before the state', async () => {
    const source = fromEvents([added(config('a')), listed(items)]);
    expect(await failuresOf(() => ({ source, expected: () => items }))).toEqual([
      'emits well-formed events, the state before its changes, and ends with the expected objects',
      'emits the whole state to each subscriber, also to a late one',
    ]);
  });

  it('finds a source that lists an object twice, or one without a name', async () => {
    const twice = fromEvents([listed([...items, ...items])]);
    expect(await failuresOf(() => ({ source: twice, expected: () => items }))).not.toEqual([]);
    const nameless = fromEvents([listed([{ metadata: {} } as ConfigMap])]);
    expect(await failuresOf(() => ({ source: nameless, expected: () => [] }))).not.toEqual([]);
  });

  it('finds a source whose final content differs from its objects', async () => {
    const source = fromEvents([listed(items.slice(1))]);
    expect((await failuresOf(() => ({ source, expected: () => items }))).length).toBeGreaterThan(2);
  });

  it('finds a source that modifies emitted objects', async () => {
    const shared = { metadata: { ...config('a').metadata } };
    const source = concat(
      of(listed([shared as ConfigMap])),
      interval(1).pipe(
        map((): WatchEvent<ConfigMap> => {
          shared.metadata.resourceVersion = '2';
          return { type: 'BOOKMARK', resourceVersion: '2' };
        }),
      ),
    );
    const make = (): SourceUnderTest<ConfigMap> => {
      shared.metadata.resourceVersion = '1';
      return {
        source,
        expected: () => [{ ...config('a'), metadata: { ...config('a').metadata, resourceVersion: '2' } }],
      };
    };
    expect(await failuresOf(make)).toContain('does not change objects that it has emitted');
  });

  it('finds a source that fails', async () => {
    const source = new Subject<WatchEvent<ConfigMap>>();
    source.error(new Error('broken'));
    expect(await failuresOf(() => ({ source, expected: () => items }))).toHaveLength(4);
  });
});
