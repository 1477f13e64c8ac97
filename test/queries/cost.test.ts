import { allObjects, bucket, createIndexer, matching, objectByKey, type Indexer, type Query } from 'rx-informers';
import { bucketPrefix, bucketRange, buckets, bucketSize, collectionSize, indexValues } from 'rx-informers/store';
import { entriesFrom, SortedMap } from '../../src/store/sorted-map.js';

interface Thing {
  readonly name: string;
  readonly group: string;
  readonly size?: number;
}

const nameOf = (number: number): string => `t${String(number).padStart(5, '0')}`;

function things(count: number): Indexer<Thing, 'group'> {
  const all = createIndexer<Thing, 'group'>(({ name }) => name, { group: ({ group }) => group });
  all.replace(
    Array.from({ length: count }, (_, number) => ({ name: nameOf(number), group: `g${nameOf(number).slice(1, 5)}` })),
  );
  return all;
}

/** The same query, and how often a live form of it has read a version. */
function counted<R>(query: Query<Thing, R, 'group'>): { readonly query: typeof query; readonly reads: () => number } {
  let reads = 0;
  const count = <A extends readonly unknown[], V>(read: (...args: A) => V): ((...args: A) => V) => {
    return (...args) => {
      reads++;
      return read(...args);
    };
  };
  const { track } = query;
  return {
    query: { ...query, read: count(query.read), track: track && (() => count(track())) },
    reads: () => reads,
  };
}

describe('the cost of a live query', () => {
  it.each<readonly [string, Query<Thing, unknown, 'group'>]>([
    ['objectByKey', objectByKey(nameOf(1))],
    ['bucket', bucket('group', 'g0000')],
    ['buckets', buckets('group', ['g0000', 'g0001'])],
    ['bucketRange', bucketRange('group', { from: 'g0000', to: 'g0002' })],
    ['bucketPrefix', bucketPrefix('group', 'g00')],
    ['bucketSize', bucketSize('group', 'g0000')],
  ])('G10: %s reads nothing for a commit outside of its footprint', (_, query) => {
    const all = things(5_000);
    const { query: watched, reads } = counted(query);
    all.query$(watched).subscribe();
    all.add({ name: 'other', group: 'g0300' });
    all.update({ name: 'other', group: 'g0301' });
    all.delete('other');
    all.resync();
    expect(reads()).toBe(1);
    all.update({ name: nameOf(1), group: 'g0000', size: 1 });
    expect(reads()).toBe(2);
  });

  it('G10: a range emits objects that move into it and out of it', () => {
    const all = things(100);
    const { query, reads } = counted(bucketRange('group', { from: 'x', to: 'y' }));
    const sizes: number[] = [];
    all.query$(query).subscribe(({ length }) => sizes.push(length));
    all.add({ name: 'a', group: 'x1' });
    all.update({ name: 'a', group: 'y' });
    all.update({ name: 'a', group: 'z' });
    all.update({ name: 'a', group: 'xx' });
    all.delete('a');
    expect(sizes).toEqual([0, 1, 0, 1, 0]);
    expect(reads()).toBe(5);
  });

  it('G10: matching reads all objects once, and then only changed ones', () => {
    const all = things(1_000);
    const looked: string[] = [];
    const query = matching(({ name, size }: Thing) => {
      looked.push(name);
      return size === 1;
    });
    all.query$(query).subscribe();
    expect(looked.splice(0)).toHaveLength(1_000);
    all.update({ name: nameOf(7), group: 'g', size: 1 });
    all.update({ name: nameOf(8), group: 'g', size: 2 });
    expect(looked).toEqual([nameOf(7), nameOf(8)]);
  });

  it('a count creates no array', () => {
    const built: string[] = [];
    const snapshot = new Proxy(things(1_000).snapshot, {
      get(target, property) {
        if (/^(list|keys|byIndex|indexKeys|indexValues)$/.test(String(property))) built.push(String(property));
        return Reflect.get(target, property) as unknown;
      },
    });
    expect([collectionSize().read(snapshot), bucketSize('group', 'g0000').read(snapshot)]).toEqual([1_000, 10]);
    expect(built).toEqual([]);
  });

  it('a range reads only the path to its beginning and its content, in a tree of 100,000 values', () => {
    const draft = SortedMap.empty<number>().edit();
    for (let number = 0; number < 100_000; number++) draft.set(nameOf(number), number);
    let nodes = 0;
    const counting = <V extends object>(node: V): V =>
      new Proxy(node, {
        get(target, property) {
          const value: unknown = Reflect.get(target, property);
          if (property === 'isLeaf') nodes++;
          if (property !== 'slots' || (target as { isLeaf?: boolean }).isLeaf) return value;
          return new Proxy(value as object[], {
            get: (slots, at) => {
              const slot: unknown = Reflect.get(slots, at);
              return typeof slot === 'object' ? counting(slot as object) : slot;
            },
          });
        },
      });
    const { root, size } = draft.finish();
    const map = new SortedMap(counting(root), size);
    const read: number[] = [];
    for (const [, value] of entriesFrom(map, nameOf(50_000))) {
      if (value === 50_100) break;
      read.push(value);
    }
    expect(read).toHaveLength(100);
    // Four levels, and a leaf for each eight entries at least.
    expect(nodes).toBeLessThan(4 + 2 * (100 / 8) + 2);
  });
});

describe('the results of store queries', () => {
  it('list, bucket and values keep their identity while nothing in them changes', () => {
    const all = things(20);
    const queries = [allObjects(), bucket('group', 'g0000'), indexValues('group')] as const;
    const before = queries.map((query) => all.query(query as Query<Thing, unknown, 'group'>));
    all.resync();
    queries.forEach((query, position) => {
      expect(all.query(query as Query<Thing, unknown, 'group'>)).toBe(before[position]);
    });
  });
});
