import fc from 'fast-check';
import { shardFilter, shardRange, shardSelector } from '../../../src/sources/reflector/shard.js';

const counts = fc.integer({ min: 1, max: 1_000 });

function shards(count: number, by?: 'uid' | 'namespace') {
  return Array.from({ length: count }, (_, index) => ({ index, count, ...(by && { by }) }));
}

describe('shardRange', () => {
  it('makes ranges that begin at 0, meet without a gap, and end at 2^64, for any count', () => {
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
  it('spells every bound with sixteen digits, as the server insists, and only 2^64 with seventeen', () => {
    expect(shards(3).map(shardSelector)).toEqual([
      "shardRange(object.metadata.uid, '0x0000000000000000', '0x5555555555555555')",
      "shardRange(object.metadata.uid, '0x5555555555555555', '0xaaaaaaaaaaaaaaaa')",
      "shardRange(object.metadata.uid, '0xaaaaaaaaaaaaaaaa', '0x10000000000000000')",
    ]);
  });
  it('names the field that is hashed', () => {
    expect(shardSelector({ index: 1, count: 2, by: 'namespace' })).toBe(
      "shardRange(object.metadata.namespace, '0x8000000000000000', '0x10000000000000000')",
    );
  });
});

describe('shardFilter', () => {
  it.each(['uid', 'namespace'] as const)('gives every object to exactly one shard, by %s', (by) => {
    fc.assert(
      fc.property(counts, fc.string(), (count, text) => {
        const object = { metadata: { [by]: text } };
        expect(shards(count, by).filter((shard) => shardFilter(shard).owns(object))).toHaveLength(1);
      }),
    );
  });
  it('splits uids as evenly as chance does', () => {
    const uids = Array.from({ length: 8_000 }, (_, number) => ({ metadata: { uid: uidOf(number) } }));
    for (const shard of shards(8)) {
      const owned = uids.filter(shardFilter(shard).owns).length;
      expect(Math.abs(owned - 1_000)).toBeLessThan(150);
    }
  });
  it('gives all objects that lack what is hashed to one shard', () => {
    const owners = (object: object) => shards(7, 'namespace').filter((shard) => shardFilter(shard).owns(object));
    expect(owners({})).toHaveLength(1);
    expect(owners({ metadata: { name: 'n1' } })).toEqual(owners({}));
    expect(owners({ metadata: { namespace: '' } })).toEqual(owners({}));
  });
});

describe('what is found out without parsing', () => {
  const shard = { index: 2, count: 3 };
  const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
  const { owns, isForeignItem, foreignChange } = shardFilter(shard);
  const change = (uid: unknown, rest: object = {}) => ({
    type: 'MODIFIED',
    object: { kind: 'Pod', metadata: { name: 'a', uid, resourceVersion: '7' } },
    ...rest,
  });
  const foreign = Array.from({ length: 9 }, (_, number) => uidOf(number)).find((uid) => !owns({ metadata: { uid } }));

  it.each(['uid', 'namespace'] as const)('agrees with the parsed object, whatever stands around its %s', (by) => {
    const filter = shardFilter({ ...shard, by });
    const text = fc.oneof(fc.uuid(), fc.string(), fc.string({ unit: 'grapheme' }));
    const metadata = fc.record({ annotations: fc.dictionary(text, text), name: text, namespace: text, uid: text });
    const anything = fc.oneof(metadata, fc.record({ name: text }), fc.record({ uid: fc.anything() }), fc.anything());
    fc.assert(
      fc.property(fc.anything(), anything, (status, found) => {
        const json = JSON.stringify({ status, metadata: found });
        if (!filter.isForeignItem(new TextEncoder().encode(json))) return;
        expect(filter.owns(JSON.parse(json) as object)).toBe(false);
      }),
    );
    fc.assert(
      fc.property(fc.uuid(), (uuid) => {
        const object = { kind: 'Pod', metadata: { name: 'a', [by]: uuid, resourceVersion: '1' } };
        expect(filter.isForeignItem(bytes(object))).toBe(!filter.owns(object));
        expect(filter.foreignChange(bytes({ type: 'ADDED', object }))).toEqual(
          filter.owns(object) ? undefined : { change: 'ADDED', resourceVersion: '1' },
        );
      }),
    );
  });

  it('is what a change of another shard is, and its version', () => {
    expect(foreignChange(bytes(change(foreign)))).toEqual({ change: 'MODIFIED', resourceVersion: '7' });
    expect(foreignChange(bytes(change(foreign, { type: 'DELETED' })))?.change).toBe('DELETED');
  });

  it.each([
    ['no change', change(foreign, { type: 'BOOKMARK' })],
    ['of a type that is unknown', change(foreign, { type: 'MOVED' })],
    ['without a type', change(foreign, { type: undefined })],
    ['an error', { type: 'ERROR', object: { kind: 'Status', metadata: {}, code: 410 } }],
    ['without a uid', change(undefined)],
    ['with a uid that is no string', change(7)],
    ['without a version', { type: 'ADDED', object: { metadata: { uid: foreign } } }],
    ['with an empty version', { type: 'ADDED', object: { metadata: { uid: foreign, resourceVersion: '' } } }],
    ['without metadata', { type: 'ADDED', object: { kind: 'Pod' } }],
    ['no object', [change(foreign)]],
  ])('is nothing where a line is %s: it is parsed', (_, line) => {
    expect(foreignChange(bytes(line))).toBeUndefined();
  });

  it('ignores a line that is cut off before its type can be read', () => {
    const line = bytes(change(foreign));
    const end = JSON.stringify(change(foreign)).indexOf('"7"') + 3;
    for (let length = 0; length < end; length += 1) expect(foreignChange(line.subarray(0, length))).toBeUndefined();
  });

  it('is nothing of an object whose beginning is too long, and of a uid that is spelled with escapes', () => {
    const annotations = { long: 'x'.repeat(5_000) };
    expect(isForeignItem(bytes({ metadata: { annotations, uid: foreign } }))).toBe(false);
    expect(isForeignItem(new TextEncoder().encode('{"metadata":{"uid":"\\u0061"}}'))).toBe(false);
  });
});

/** One of many that differ in their first eight digits, as in a row. */
function uidOf(number: number): string {
  return `${number.toString(16).padStart(8, '0')}-9f0b-4f4e-8f57-2f8d3f0e9a11`;
}
