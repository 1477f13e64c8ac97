import { type IndexedSnapshot, reduceDeltas } from 'rx-informers/store';
import { aPod, type Pod } from '../fixtures/pods.js';
import { list, removal, storeOf, upsert } from './support/deltas.js';

type Store = IndexedSnapshot<Pod, 'node' | 'values'>;

const reads = (store: Store) => ({
  list: store.list(),
  keys: store.keys(),
  bucket: store.byIndex('node', 'n1'),
  bucketKeys: store.indexKeys('node', 'n1'),
  otherBucket: store.byIndex('node', 'n2'),
  values: store.indexValues('node'),
});

/** The names of the reads that return another array after than before. */
function differing(before: Store, after: Store): readonly string[] {
  const [old, now] = [reads(before), reads(after)];
  return (Object.keys(old) as (keyof typeof old)[]).filter((name) => old[name] !== now[name]);
}

const a = aPod({ name: 'a', version: 1, node: 'n1' });
const b = aPod({ name: 'b', version: 1, node: 'n2' });
const c = aPod({ name: 'c', version: 1, node: 'n1' });

describe('the identity of read results', () => {
  it('G2: two reads of one version return one array', () => {
    const store = storeOf(a, b);
    expect(differing(store, store)).toEqual([]);
  });

  it('G2: an update of content renews the list and its bucket, not keys, not values, not other buckets', () => {
    const store = storeOf(a, b, c);
    const { snapshot } = reduceDeltas(store, [upsert(aPod({ name: 'a', version: 2, node: 'n1' }))]);
    expect(differing(store, snapshot)).toEqual(['list', 'bucket']);
  });

  it('G2: keys stay shared even if they were not read before the update', () => {
    const store = storeOf(a);
    const { snapshot } = reduceDeltas(store, [upsert(aPod({ name: 'a', version: 2, node: 'n1' }))]);
    expect(snapshot.keys()).toBe(store.keys());
    expect(snapshot.indexKeys('node', 'n1')).toBe(store.indexKeys('node', 'n1'));
    expect(snapshot.indexValues('node')).toBe(store.indexValues('node'));
  });

  it('G2: a move renews both buckets, and values if one disappears', () => {
    const store = storeOf(a, b, c);
    const moved = reduceDeltas(store, [upsert(aPod({ name: 'c', version: 2, node: 'n2' }))]).snapshot;
    expect(differing(store, moved)).toEqual(['list', 'bucket', 'bucketKeys', 'otherBucket']);
    const emptied = reduceDeltas(moved, [upsert(aPod({ name: 'a', version: 2, node: 'n2' }))]).snapshot;
    expect(differing(moved, emptied)).toEqual(['list', 'bucket', 'bucketKeys', 'otherBucket', 'values']);
  });

  it('G2: an addition to one bucket leaves the arrays of the others', () => {
    const store = storeOf(a, b);
    const { snapshot } = reduceDeltas(store, [upsert(c)]);
    expect(differing(store, snapshot)).toEqual(['list', 'keys', 'bucket', 'bucketKeys']);
  });

  it('G2: an object added and deleted within one batch leaves every array unchanged', () => {
    const store = storeOf(a, b);
    const { changes, snapshot } = reduceDeltas(store, [
      upsert(c),
      upsert(aPod({ name: 'c', version: 2, node: 'n3' })),
      removal(c),
    ]);
    expect(changes).toHaveLength(3);
    expect(differing(store, snapshot)).toEqual([]);
  });

  it('G2: an object added, updated and deleted within one batch leaves every array unchanged', () => {
    const store = storeOf(a, b);
    const { changes, snapshot } = reduceDeltas(store, [
      upsert(c),
      upsert(aPod({ name: 'c', version: 2, node: 'n1' })),
      removal(c),
    ]);
    expect(changes).toHaveLength(3);
    expect(differing(store, snapshot)).toEqual([]);
  });

  it('G2: deleting an object and adding the same object again within one batch leaves every array unchanged', () => {
    const store = storeOf(a, b);
    const { snapshot } = reduceDeltas(store, [removal(a), upsert(a)]);
    expect(differing(store, snapshot)).toEqual([]);
  });

  it('G2: deleting an object and adding a different one with its key renews its arrays, but not keys', () => {
    const store = storeOf(a, b);
    const { snapshot } = reduceDeltas(store, [removal(a), upsert(aPod({ name: 'a', version: 2, node: 'n1' }))]);
    expect(snapshot.byIndex('node', 'n1')).not.toBe(store.byIndex('node', 'n1'));
    expect(snapshot.keys()).toEqual(store.keys());
  });

  it('G2: replacing one member by another renews both', () => {
    const store = storeOf(a, b);
    const { snapshot } = reduceDeltas(store, [removal(a), upsert(c)]);
    expect(differing(store, snapshot)).toEqual(['list', 'keys', 'bucket', 'bucketKeys']);
  });

  it('without a change returns the same snapshot', () => {
    const store = storeOf(a, b);
    expect(
      reduceDeltas(store, [upsert(structuredClone(a)), removal(c), { type: 'Sync', key: 'a' }]).snapshot.list(),
    ).toBe(store.list());
    expect(reduceDeltas(store, [removal(aPod({ name: 'x' }))]).snapshot).toBe(store);
  });

  it('an update of only the resourceVersion keeps the identity of the rest of the object', () => {
    const store = storeOf(a);
    const { snapshot } = reduceDeltas(store, [upsert(aPod({ name: 'a', version: 2, node: 'n1' }))]);
    expect(snapshot.get('a')).not.toBe(store.get('a'));
    expect(snapshot.get('a')?.spec).toBe(store.get('a')?.spec);
  });

  it('S3: a snapshot reads the same after 1,000 further commits, for the first time or again', () => {
    const store = storeOf(a, b, c);
    const unread = storeOf(a, b, c);
    const before = structuredClone(reads(store));
    let later = [store, unread];
    for (let round = 1; round <= 500; round++) {
      later = later.map((each) => {
        const { snapshot } = reduceDeltas(each, [
          upsert(aPod({ name: 'a', version: round + 1, node: `n${round % 3}` })),
        ]);
        return reduceDeltas(snapshot, round % 2 === 1 ? [removal(b)] : [list([a, b, aPod({ name: `extra-${round}` })])])
          .snapshot;
      });
    }
    expect(reads(store)).toEqual(before);
    expect(reads(unread)).toEqual(before);
    expect(later[0]?.version).toBe(1001);
  });

  it.each([1, 63, 64, 65, 200])(
    'S3: a bucket that was read is correct after %i further changes in it, and so is the version that was read',
    (changes) => {
      let store = storeOf(...['b', 'd', 'f', 'h'].map((name) => aPod({ name, version: 1, node: 'n1' })));
      const first = store;
      const before = [...store.byIndex('node', 'n1')];
      for (let version = 2; version < changes + 2; version++) {
        const name = ['a', 'b', 'c', 'd', 'e', 'h', 'i'][(version * 5) % 7] as string;
        const pod = aPod({ name, version, node: 'n1' });
        store = reduceDeltas(store, [version % 4 === 3 ? removal(pod) : upsert(pod)]).snapshot;
      }
      const inBucket = store.list().filter(({ spec }) => spec.nodeName === 'n1');
      expect(store.byIndex('node', 'n1')).toEqual(inBucket);
      expect(store.indexKeys('node', 'n1')).toEqual(store.keys());
      expect(first.byIndex('node', 'n1')).toEqual(before);
    },
  );

  it('two histories can continue from one snapshot', () => {
    const store = storeOf(a);
    const left = reduceDeltas(store, [upsert(b)]).snapshot;
    const right = reduceDeltas(store, [upsert(c)]).snapshot;
    expect([left.keys(), right.keys(), store.keys()]).toEqual([['a', 'b'], ['a', 'c'], ['a']]);
  });
});
