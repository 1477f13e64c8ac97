import fc from 'fast-check';
import { informer, configMaps, listWatch, InvalidOptionError, type Shard, shardOf } from 'rx-informers';
import { aConfigMap, createInMemoryApiServer, type InMemoryApiServer, informerTest } from 'rx-informers/testing';
import { podOf, type Pod } from '../../fixtures/pods.js';
import { added, bookmark, deleted, endBookmark, modified, podList } from '../../fixtures/wire.js';
import { open, paged, run, streamed } from '../support/run-list-watch.js';
import { respond } from '../support/scripted-client.js';

const shard = shardOf({ index: 1, count: 3 });
const selector = "shardRange(object.metadata.uid, '0x5555555555555555', '0xaaaaaaaaaaaaaaaa')";
const letters = Array.from({ length: 26 }, (_, number) => String.fromCharCode(97 + number));
const isOwn = (name: string): boolean => shard?.filter.owns(podOf(name)) === true;
const [own = '', other = ''] = letters.filter(isOwn);
const [foreign = ''] = letters.filter((name) => !isOwn(name));

describe('listWatch with a shard, on a server that sends everything', () => {
  it('asks for its shard in every page, in the streaming list and in the watch', () => {
    const page = respond([[1, podList('5', [own], { continue: 'more' })]], { end: 2 });
    const last = respond([[1, podList('5', [other])]], { end: 2 });
    expect(run([page, last, open], 100, { ...paged, shard }).client.log).toEqual([
      `LIST shardSelector=${selector} limit=500 resourceVersion=0`,
      `LIST shardSelector=${selector} limit=500 continue=more`,
      `WATCH shardSelector=${selector} resourceVersion=5`,
    ]);
    expect(run([open], 100, { ...streamed, shard }).client.log).toEqual([`STREAM shardSelector=${selector}`]);
  });

  it('asks for nothing special where one shard is all there is', () => {
    expect(run([open], 100, { ...paged, shard: shardOf({ index: 0, count: 1 }) }).client.log).toEqual([
      'LIST limit=500 resourceVersion=0',
    ]);
  });

  it('lists its own objects only, and expects no number of them that counts the others', () => {
    const page = respond([[1, podList('5', letters, { continue: 'more', remainingItemCount: 1 })]], { end: 2 });
    const last = respond([[1, podList('5', [foreign])]], { end: 2 });
    const { data, seen } = run([page, last, open], 3_000, { ...paged, shard });
    const names = letters.filter(isOwn).map((name) => `${name}@1`);
    expect(data).toEqual([expect.stringContaining(`LISTED 5(${names.join(' ')})`)]);
    expect(seen.join(' ')).not.toMatch(/listing by pages \d+\/\d+/);
  });

  it('delivers changes and deletions of its own objects only, and every bookmark', () => {
    const lines = [
      added(`${foreign}@6`),
      added(`${own}@7`),
      modified(`${foreign}@8`),
      deleted(`${foreign}@9`),
      bookmark('10'),
      deleted(`${own}@11`),
    ].join('');
    const list = respond([[1, podList('5', [])]], { end: 2 });
    expect(run([list, respond([[1, lines]])], 100, { ...paged, shard }).data).toEqual([
      expect.stringContaining('LISTED 5()'),
      expect.stringContaining(`ADDED(${own}@7) BOOKMARK 10 DELETED(${own}@11)`),
    ]);
  });

  it('R13: resumes from the version of an event that was not its own', () => {
    const list = respond([[1, podList('5', [])]], { end: 2 });
    const watch = respond([[1, modified(`${foreign}@8`)]], { end: 5_000 });
    expect(run([list, watch, open], 10_000, { ...paged, shard }).client.log.at(-1)).toBe(
      `WATCH shardSelector=${selector} resourceVersion=8`,
    );
  });

  it('R24: leaves the others out of a streaming list, which ends all the same', () => {
    const lines = [added(foreign), added(own), deleted(`${foreign}@2`), endBookmark('5')].join('');
    expect(run([respond([[1, lines]])], 100, { ...streamed, shard }).data).toEqual([
      expect.stringContaining(`LISTED 5(${own}@1)`),
    ]);
  });

  it('R28: transforms its own objects only, and filters by what the server sent', () => {
    const transformed: string[] = [];
    const transform = (pod: Pod): Pod => {
      transformed.push(pod.metadata.name);
      return pod;
    };
    const list = respond([[1, podList('5', letters)]], { end: 2 });
    const watch = respond([[1, modified(`${foreign}@8`) + modified(`${own}@9`)]]);
    run([list, watch], 100, { ...paged, shard, transform });
    expect(transformed).toEqual([...letters.filter(isOwn), own]);
  });

  it('reports what is wrong with an event, whosever it is', () => {
    const list = respond([[1, podList('5', [])]], { end: 2 });
    const broken = respond([[1, modified(`${foreign}@`)]]);
    const nameless = respond([[1, '{"type":"MODIFIED","object":{"kind":"Service","metadata":{}}}\n']]);
    for (const watch of [broken, nameless]) {
      expect(run([list, watch, open], 50, { ...paged, shard }).data.join(' ')).toContain('ERROR ResponseError');
    }
  });
});

describe('the option shard', () => {
  it.each<[string, unknown]>([
    ['shard.count', { index: 0, count: 0 }],
    ['shard.count', { index: 0, count: 1.5 }],
    ['shard.count', { index: 0, count: NaN }],
    ['shard.count', { index: 0 }],
    ['shard.index', { index: -1, count: 2 }],
    ['shard.index', { index: 2, count: 2 }],
    ['shard.index', { index: 0.5, count: 2 }],
    ['shard.index', { index: '1', count: 2 }],
    ['shard.by', { index: 0, count: 2, by: 'name' }],
  ])('is refused at once where %s cannot be meant: %j', (option, value) => {
    const attempt = (): unknown => shardOf(value as Shard);
    expect(attempt).toThrow(InvalidOptionError);
    expect(attempt).toThrow(option);
  });
});

describe.each([
  ['knows shards', true],
  ['ignores shards', false],
])('three shards together, on a server that %s', (_, shardedListAndWatch) => {
  const settings = fc.record({
    by: fc.constantFrom('uid' as const, 'namespace' as const),
    initialList: fc.constantFrom('stream' as const, 'pages' as const),
    pageSize: fc.constantFrom(1, 2, 500),
  });
  const name = fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'd'),
    namespace: fc.constantFrom('red', 'green', 'blue'),
  });
  const act = fc.oneof(
    { weight: 8, arbitrary: fc.record({ type: fc.constant('apply' as const), of: name, data: fc.nat(99) }) },
    { weight: 4, arbitrary: fc.record({ type: fc.constant('remove' as const), of: name }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('restart' as const, 'compact and restart' as const) }) },
  );

  it('see every object exactly once, and in its latest version, through churn, disconnections and relists', () => {
    fc.assert(
      fc.property(settings, fc.array(act, { maxLength: 8 }), fc.array(act, { maxLength: 30 }), (options, first, then) =>
        informerTest(({ scheduler, flush }) => {
          const server = createInMemoryApiServer({ shardedListAndWatch, scheduler });
          for (const step of first) carryOut(server, step);
          const replicas = [0, 1, 2].map((index) =>
            informer(
              listWatch(server.client, configMaps, { ...options, shard: shardOf({ index, count: 3, by: options.by }) }),
            ),
          );
          const lives = replicas.map((replica) => replica.connect());
          then.forEach((step, position) => {
            scheduler.schedule(() => carryOut(server, step), 1_000 * (position + 1));
          });
          let seen: readonly string[] = [];
          scheduler.schedule(
            () => {
              seen = replicas.flatMap((replica) => replica.list().map(spell));
              for (const life of lives) life.unsubscribe();
              server.stop();
            },
            1_000 * then.length + 200_000,
          );
          flush();
          expect([...seen].sort()).toEqual(server.objects.list(configMaps).map(spell).sort());
        }),
      ),
      { numRuns: 40 },
    );
  });

  type Act = typeof act extends fc.Arbitrary<infer Value> ? Value : never;

  function carryOut(server: InMemoryApiServer, step: Act): void {
    switch (step.type) {
      case 'apply':
        server.apply(aConfigMap({ ...step.of, data: { value: String(step.data) } }));
        break;
      case 'remove':
        server.remove(configMaps, step.of.name, step.of.namespace);
        break;
      case 'restart':
        server.restart();
        break;
      case 'compact and restart':
        server.compact();
        server.restart();
        break;
      default:
        step satisfies never;
    }
  }
});

interface Versioned {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly resourceVersion: string };
}

function spell({ metadata: { namespace, name, resourceVersion } }: Versioned): string {
  return `${namespace ?? ''}/${name}@${resourceVersion}`;
}
