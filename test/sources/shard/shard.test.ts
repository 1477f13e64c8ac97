import fc from 'fast-check';
import { shardFilter } from '../../../src/sources/shard/shard-filter.js';
import { shardRange } from '../../../src/sources/shard/shard-range.js';
import { shardSelector } from '../../../src/sources/shard/shard-selector.js';

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
        expect(shards(count, by).filter((shard) => shardFilter(shard)(object))).toHaveLength(1);
      }),
    );
  });
  it('splits uids as evenly as chance does', () => {
    const uids = Array.from({ length: 8_000 }, (_, number) => ({ metadata: { uid: uidOf(number) } }));
    for (const shard of shards(8)) {
      const owned = uids.filter(shardFilter(shard)).length;
      expect(Math.abs(owned - 1_000)).toBeLessThan(150);
    }
  });
  it('gives all objects that lack what is hashed to one shard', () => {
    const owners = (object: object) => shards(7, 'namespace').filter((shard) => shardFilter(shard)(object));
    expect(owners({})).toHaveLength(1);
    expect(owners({ metadata: { name: 'n1' } })).toEqual(owners({}));
    expect(owners({ metadata: { namespace: '' } })).toEqual(owners({}));
  });
});

/** One of many that differ in their first eight digits, as in a row. */
function uidOf(number: number): string {
  return `${number.toString(16).padStart(8, '0')}-9f0b-4f4e-8f57-2f8d3f0e9a11`;
}
