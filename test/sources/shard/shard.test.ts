import fc from 'fast-check';
import { informer, configMaps, listWatch } from 'rx-informers';
import { type Shard, shardOf } from 'rx-informers/shard';
import { aConfigMap, createInMemoryApiServer, type InMemoryApiServer, informerTest } from 'rx-informers/testing';
import { fnv1a64, shardFilter, shardRange, shardSelector } from '../../../src/sources/reflector/shard.js';
import { chooseScanner, createTextScanner } from '../../../src/sources/wire/choose-scanner.js';
import type { ScannedText, TextKind } from '../../../src/sources/wire/scanner.js';
import { podOf, type Pod } from '../../fixtures/pods.js';
import { added, bookmark, deleted, endBookmark, modified, podList } from '../../fixtures/wire.js';
import { errorWith } from '../../support/error-with.js';
import { expectOutput } from '../../support/unexpected-output.js';
import { open, paged, run, streamed } from '../support/run-list-watch.js';
import { respond } from '../support/scripted-client.js';

describe('fnv1a64', () => {
  // Of the hash's authors: http://www.isthe.com/chongo/src/fnv/test_fnv.c.
  it.each([
    ['', 'cbf29ce484222325'],
    ['a', 'af63dc4c8601ec8c'],
    ['b', 'af63df4c8601f1a5'],
    ['foobar', '85944171f73967e8'],
    ['chongo was here!\n', '46810940eff5f915'],
  ])('returns the published hash of %j', (text, expected) => {
    expect(hexadecimal(text)).toBe(expected);
  });

  it('equals its definition, computed with 64-bit integers, for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.uuid(), fc.string(), fc.string({ unit: 'grapheme' })), (text) => {
        expect(hexadecimal(text)).toBe(byDefinition(text).toString(16).padStart(16, '0'));
      }),
    );
  });
});

function hexadecimal(text: string): string {
  const { high, low } = fnv1a64(text);
  return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0');
}

function byDefinition(text: string): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash;
}

const counts = fc.integer({ min: 1, max: 1_000 });

function shards(count: number, by?: 'uid' | 'namespace') {
  return Array.from({ length: count }, (_, index) => ({ index, count, ...(by && { by }) }));
}

describe('shardRange', () => {
  it('returns ranges that begin at 0, are contiguous, and end at 2^64, for any count', () => {
    fc.assert(
      fc.property(counts, (count) => {
        const ranges = shards(count).map(shardRange);
        expect(ranges[0]?.start).toEqual({ high: 0, low: 0 });
        expect(ranges.at(-1)?.end).toEqual({ high: 2 ** 32, low: 0 });
        expect(ranges.slice(1).map(({ start }) => start)).toEqual(ranges.slice(0, -1).map(({ end }) => end));
      }),
    );
  });
});

describe('shardSelector', () => {
  it('writes every bound with sixteen digits, as the server requires, and only 2^64 with seventeen', () => {
    expect(shards(3).map(shardSelector)).toEqual([
      "shardRange(object.metadata.uid, '0x0000000000000000', '0x5555555555555555')",
      "shardRange(object.metadata.uid, '0x5555555555555555', '0xaaaaaaaaaaaaaaaa')",
      "shardRange(object.metadata.uid, '0xaaaaaaaaaaaaaaaa', '0x10000000000000000')",
    ]);
  });
  it('contains the hashed field', () => {
    expect(shardSelector({ index: 1, count: 2, by: 'namespace' })).toBe(
      "shardRange(object.metadata.namespace, '0x8000000000000000', '0x10000000000000000')",
    );
  });
});

describe('shardFilter', () => {
  it.each(['uid', 'namespace'] as const)('assigns every object to exactly one shard, by %s', (by) => {
    fc.assert(
      fc.property(counts, fc.string(), (count, text) => {
        const object = { metadata: { [by]: text } };
        expect(shards(count, by).filter((shard) => shardFilter(shard).owns(object))).toHaveLength(1);
      }),
    );
  });
  it('distributes uids as evenly as chance', () => {
    const uids = Array.from({ length: 8_000 }, (_, number) => ({ metadata: { uid: uidOf(number) } }));
    for (const shard of shards(8)) {
      const owned = uids.filter(shardFilter(shard).owns).length;
      expect(Math.abs(owned - 1_000)).toBeLessThan(150);
    }
  });
  it('assigns all objects without the hashed field to one shard', () => {
    const owners = (object: object) => shards(7, 'namespace').filter((shard) => shardFilter(shard).owns(object));
    expect(owners({})).toHaveLength(1);
    expect(owners({ metadata: { name: 'n1' } })).toEqual(owners({}));
    expect(owners({ metadata: { namespace: '' } })).toEqual(owners({}));
  });
});

describe('the shard of an event, determined without parsing', () => {
  const shard = { index: 2, count: 3 };
  const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
  const scanned = (kind: TextKind, text: Uint8Array): ScannedText => {
    return createTextScanner({ omitManagedFields: true }).scan(kind, text);
  };
  const { owns } = shardFilter(shard);
  const isForeignItem = (item: Uint8Array, { isForeign } = shardFilter(shard)) => isForeign(scanned('item', item));
  const foreignChange = (line: Uint8Array, filter = shardFilter(shard)) => filter.foreignChange(scanned('line', line));
  beforeAll(() => chooseScanner('wasm'));
  afterAll(() => chooseScanner('fastest'));
  const change = (uid: unknown, rest: object = {}) => ({
    type: 'MODIFIED',
    object: { kind: 'Pod', metadata: { name: 'a', uid, resourceVersion: '7' } },
    ...rest,
  });
  const foreign = Array.from({ length: 9 }, (_, number) => uidOf(number)).find((uid) => !owns({ metadata: { uid } }));

  it.each(['uid', 'namespace'] as const)('agrees with the parsed object, for any surroundings of its %s', (by) => {
    const filter = shardFilter({ ...shard, by });
    const text = fc.oneof(fc.uuid(), fc.string(), fc.string({ unit: 'grapheme' }));
    const metadata = fc.record({ annotations: fc.dictionary(text, text), name: text, namespace: text, uid: text });
    const anything = fc.oneof(metadata, fc.record({ name: text }), fc.record({ uid: fc.anything() }), fc.anything());
    fc.assert(
      fc.property(fc.anything(), anything, (status, found) => {
        const json = JSON.stringify({ status, metadata: found });
        if (!isForeignItem(new TextEncoder().encode(json), filter)) return;
        expect(filter.owns(JSON.parse(json) as object)).toBe(false);
      }),
    );
    fc.assert(
      fc.property(fc.uuid(), (uuid) => {
        const object = { kind: 'Pod', metadata: { name: 'a', [by]: uuid, resourceVersion: '1' } };
        expect(isForeignItem(bytes(object), filter)).toBe(!filter.owns(object));
        expect(foreignChange(bytes({ type: 'ADDED', object }), filter)).toEqual(
          filter.owns(object) ? undefined : { change: 'ADDED', resourceVersion: '1' },
        );
      }),
    );
  });

  it('is found for a change of another shard, with its version', () => {
    expect(foreignChange(bytes(change(foreign)))).toEqual({ change: 'MODIFIED', resourceVersion: '7' });
    expect(foreignChange(bytes(change(foreign, { type: 'DELETED' })))?.change).toBe('DELETED');
  });

  it.each([
    ['not a change', change(foreign, { type: 'BOOKMARK' })],
    ['of an unknown type', change(foreign, { type: 'MOVED' })],
    ['without a type', change(foreign, { type: undefined })],
    ['an error', { type: 'ERROR', object: { kind: 'Status', metadata: {}, code: 410 } }],
    ['without a uid', change(undefined)],
    ['with a uid that is not a string', change(7)],
    ['without a version', { type: 'ADDED', object: { metadata: { uid: foreign } } }],
    ['with an empty version', { type: 'ADDED', object: { metadata: { uid: foreign, resourceVersion: '' } } }],
    ['without metadata', { type: 'ADDED', object: { kind: 'Pod' } }],
    ['without an object', [change(foreign)]],
  ])('is not found if a line is %s, which is then parsed', (_, line) => {
    expect(foreignChange(bytes(line))).toBeUndefined();
  });

  it('is not found for a line that is cut off', () => {
    const line = bytes(change(foreign));
    for (let length = 0; length < line.length; length += 1)
      expect(foreignChange(line.subarray(0, length))).toBeUndefined();
  });

  it('is found for an object with a long beginning, and not for a uid with escape sequences', () => {
    const annotations = { long: 'x'.repeat(5_000) };
    expect(isForeignItem(bytes({ metadata: { annotations, uid: foreign } }))).toBe(true);
    expect(isForeignItem(new TextEncoder().encode('{"metadata":{"uid":"\\u0061"}}'))).toBe(false);
  });

  const owned = Array.from({ length: 9 }, (_, number) => uidOf(number)).find((uid) => owns({ metadata: { uid } }));
  it.each([
    ['uid', (one: string, two: string) => `{"metadata":{"uid":"${one}","resourceVersion":"7","uid":"${two}"}}`],
    [
      'metadata',
      (one: string, two: string) =>
        `{"metadata":{"uid":"${one}","resourceVersion":"7"},"metadata":{"uid":"${two}","resourceVersion":"7"}}`,
    ],
  ])('is not found if the key %s occurs twice, because only the last one counts', (_key, textOf) => {
    for (const uids of [[foreign, owned] as const, [owned, foreign] as const]) {
      const [one, two] = uids.map(String) as [string, string];
      const item = textOf(one, two);
      expect(owns(JSON.parse(item) as object)).toBe(two === owned);
      expect(isForeignItem(new TextEncoder().encode(item))).toBe(false);
      expect(foreignChange(new TextEncoder().encode(`{"type":"ADDED","object":${item}}`))).toBeUndefined();
    }
  });
});

/** One of many that differ in their first eight digits, as in a row. */
function uidOf(number: number): string {
  return `${number.toString(16).padStart(8, '0')}-9f0b-4f4e-8f57-2f8d3f0e9a11`;
}

const shard = shardOf({ index: 1, count: 3 });

const selector = "shardRange(object.metadata.uid, '0x5555555555555555', '0xaaaaaaaaaaaaaaaa')";

const letters = Array.from({ length: 26 }, (_, number) => String.fromCharCode(97 + number));

const isOwn = (name: string): boolean => shard?.filter.owns(podOf(name)) === true;

const [own = '', other = ''] = letters.filter(isOwn);

const [foreign = ''] = letters.filter((name) => !isOwn(name));

describe.each(['wasm', 'none'] as const)(
  'listWatch with a shard on a server that sends all objects (scanner: %s)',
  (choice) => {
    beforeAll(() => chooseScanner(choice));
    afterAll(() => chooseScanner('fastest'));

    it('requests its shard in every page, in the streaming list and in the watch', () => {
      const page = respond([[1, podList('5', [own], { continue: 'more' })]], { end: 2 });
      const last = respond([[1, podList('5', [other])]], { end: 2 });
      expect(run([page, last, open], 100, { ...paged, shard }).client.log).toEqual([
        `LIST shardSelector=${selector} limit=500 resourceVersion=0`,
        `LIST shardSelector=${selector} limit=500 continue=more`,
        `WATCH shardSelector=${selector} resourceVersion=5`,
      ]);
      expect(run([open], 100, { ...streamed, shard }).client.log).toEqual([`STREAM shardSelector=${selector}`]);
    });

    it('requests nothing special if there is only one shard', () => {
      expect(run([open], 100, { ...paged, shard: shardOf({ index: 0, count: 1 }) }).client.log).toEqual([
        'LIST limit=500 resourceVersion=0',
      ]);
    });

    it('lists only its own objects, and ignores a remaining item count that includes the others', () => {
      const page = respond([[1, podList('5', letters, { continue: 'more', remainingItemCount: 1 })]], { end: 2 });
      const last = respond([[1, podList('5', [foreign])]], { end: 2 });
      const { data, seen } = run([page, last, open], 3_000, { ...paged, shard });
      const names = letters.filter(isOwn).map((name) => `${name}@1`);
      expect(data).toEqual([expect.stringContaining(`LISTED 5(${names.join(' ')})`)]);
      expect(seen.join(' ')).not.toMatch(/listing by pages \d+\/\d+/);
    });

    it('emits changes and deletions only of its own objects, and every bookmark', () => {
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

    it('R13: resumes from the version of an event of another shard', () => {
      const list = respond([[1, podList('5', [])]], { end: 2 });
      const watch = respond([[1, modified(`${foreign}@8`)]], { end: 5_000 });
      expect(run([list, watch, open], 10_000, { ...paged, shard }).client.log.at(-1)).toBe(
        `WATCH shardSelector=${selector} resourceVersion=8`,
      );
    });

    it('R24: ignores objects of other shards in a streaming list, which still ends', () => {
      const lines = [added(foreign), added(own), deleted(`${foreign}@2`), endBookmark('5')].join('');
      expect(run([respond([[1, lines]])], 100, { ...streamed, shard }).data).toEqual([
        expect.stringContaining(`LISTED 5(${own}@1)`),
      ]);
    });

    it('R28: transforms only its own objects, and filters by the object that the server sent', () => {
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

    it('reports errors in an event of any shard', () => {
      const list = respond([[1, podList('5', [])]], { end: 2 });
      const broken = respond([[1, modified(`${foreign}@`)]]);
      const nameless = respond([[1, '{"type":"MODIFIED","object":{"kind":"Service","metadata":{}}}\n']]);
      for (const watch of [broken, nameless]) {
        expect(run([list, watch, open], 50, { ...paged, shard }).data.join(' ')).toContain('ERROR RXI_RESPONSE');
      }
    });
  },
);

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
  ])('throws at once for an invalid %s: %j', (option, value) => {
    const attempt = (): unknown => shardOf(value as Shard);
    expect(attempt).toThrow(errorWith('RXI_INVALID_OPTION'));
    expect(attempt).toThrow(option);
  });
});

describe.each([
  ['supports shards', true],
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

  it('contain every object exactly once in its latest version, through churn, disconnections and relists', () => {
    // A server that is restarted and compacted again within the backoff answers 410 a second time.
    expectOutput(/RXI_CONNECTION.*reset by a fault/, /410 Expired: too old resource version/);
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
          const runs = replicas.map((replica) => replica.connect());
          then.forEach((step, position) => {
            scheduler.schedule(() => carryOut(server, step), 1_000 * (position + 1));
          });
          let seen: readonly string[] = [];
          scheduler.schedule(
            () => {
              seen = replicas.flatMap((replica) => replica.list().map(spell));
              for (const lifetime of runs) lifetime.unsubscribe();
              server.stop();
            },
            1_000 * then.length + 200_000,
          );
          flush();
          expect([...seen].sort()).toEqual(server.objects.list(configMaps).map(spell).sort());
        }),
      ),
      { numRuns: 15 },
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
