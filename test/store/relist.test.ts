import { type Change } from 'rx-informers';
import { type KeyedObject, type ReplacedAllDelta, emptySnapshot, reduceDeltas } from 'rx-informers/store';
import { aPod, type Pod } from '../fixtures/pods.js';
import { errorWith } from '../support/error-with.js';
import { bucketsOf, commitsOf, indexers, list, removal, storeOf, upsert } from './support/deltas.js';

const brief = (changes: readonly Change<Pod>[]): readonly string[] => changes.map(({ type, key }) => `${type} ${key}`);
const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => aPod({ name, version: 1, node: `node-of-${name}` })) as [
  Pod,
  Pod,
  Pod,
  Pod,
];

describe('relist', () => {
  it('D3, TestReplaceEvents: deletions come first, as tombstones; then the items in the order of the list', () => {
    const { changes, snapshot, reason } = reduceDeltas(storeOf(a, b, c), [
      list([d, aPod({ name: 'b', version: 2 }), a]),
    ]);
    expect(brief(changes)).toEqual(['deleted c', 'added d', 'updated b']);
    expect(changes[0]).toEqual({ type: 'deleted', key: 'c', object: c, finalStateUnknown: true });
    expect(reason).toBe('relist');
    expect(snapshot.keys()).toEqual(['a', 'b', 'd']);
  });

  it('G7: a missed delete is found, with the last known object', () => {
    const last = aPod({ version: 3, status: 'running' });
    const { changes } = reduceDeltas(storeOf(last, b), [list([b])]);
    expect(changes).toEqual([{ type: 'deleted', key: 'a', object: last, finalStateUnknown: true }]);
  });

  it('S2: a key that is listed twice counts as its last object, once (▲ D11)', () => {
    const last = aPod({ version: 2, node: 'n2' });
    const { changes, snapshot } = reduceDeltas(emptySnapshot(indexers), [
      list([aPod({ version: 1, node: 'n1' }), b, last]),
    ]);
    expect(brief(changes)).toEqual(['added a', 'added b']);
    expect(snapshot.get('a')).toBe(last);
    expect(bucketsOf(snapshot, 'node')).toEqual({ n2: ['a'], 'node-of-b': ['b'] });
  });

  it('S2: rebuilds every index', () => {
    const { snapshot } = reduceDeltas(storeOf(a, b), [list([aPod({ name: 'b', version: 2, node: 'n9' }), c])]);
    expect(bucketsOf(snapshot, 'node')).toEqual({ n9: ['b'], 'node-of-c': ['c'] });
  });

  it('Q8: an object that was created and deleted before the list of the same batch results in exactly one deletion', () => {
    const { changes, snapshot } = reduceDeltas(storeOf(a), [
      upsert(b),
      upsert(aPod({ name: 'b', version: 2 })),
      list([a]),
    ]);
    expect(brief(changes)).toEqual(['added b', 'updated b', 'deleted b']);
    expect(changes[2]?.object).toEqual(aPod({ name: 'b', version: 2 }));
    expect(snapshot.keys()).toEqual(['a']);
  });

  it('Q8: a delete before a list that contains the key is a delete and an addition', () => {
    const { changes } = reduceDeltas(storeOf(a), [removal(a), list([a])]);
    expect(brief(changes)).toEqual(['deleted a', 'added a']);
  });

  it('keeps objects that the list names as unreadable', () => {
    const { changes, snapshot } = reduceDeltas(storeOf(a, b, c), [list([c], { missing: ['b', 'never-seen'] })]);
    expect(brief(changes)).toEqual(['deleted a']);
    expect(snapshot.keys()).toEqual(['b', 'c']);
    expect(snapshot.byIndex('node', 'node-of-b')).toEqual([b]);
  });

  it('G7: keeps objects that the list names as unreadable, for keys made from uids', () => {
    const inKeys = (...pods: readonly Pod[]): readonly KeyedObject<Pod>[] =>
      pods.map((object) => ({ key: `uid-of-${object.metadata.name}`, object }));
    const replaced = (items: readonly KeyedObject<Pod>[], missing: readonly string[]): ReplacedAllDelta<Pod> => ({
      type: 'ReplacedAll',
      items,
      missing,
      resourceVersion: '1',
    });
    const { snapshot } = reduceDeltas(emptySnapshot<Pod>(), [replaced(inKeys(a, b, c), [])]);
    const relisted = reduceDeltas(snapshot, [replaced(inKeys(c), ['b', 'undefined'])]);
    expect(brief(relisted.changes)).toEqual(['deleted uid-of-a']);
    expect(relisted.snapshot.keys()).toEqual(['uid-of-b', 'uid-of-c']);
  });

  it('accepts an item although its key is named as unreadable', () => {
    const newer = aPod({ version: 2 });
    expect(reduceDeltas(storeOf(a), [list([newer], { missing: ['a'] })]).snapshot.get('a')).toEqual(newer);
  });

  it('a list without differences changes only the resourceVersion', () => {
    const store = storeOf(a, b);
    const { changes, snapshot } = reduceDeltas(store, [
      list([structuredClone(a), structuredClone(b)], { resourceVersion: '77' }),
    ]);
    expect(changes).toEqual([]);
    expect(snapshot.version).toBe(store.version);
    expect(snapshot.resourceVersion).toBe('77');
    expect(snapshot.list()).toBe(store.list());
  });
});

describe('partitions', () => {
  const east = { partition: 'east' };
  const west = { partition: 'west' };
  const both = () => reduceDeltas(emptySnapshot(indexers), [list([a, b], east), list([c], west)]).snapshot;

  it('a list of one partition replaces that partition only', () => {
    const { changes, snapshot } = reduceDeltas(both(), [list([b, d], east)]);
    expect(brief(changes)).toEqual(['deleted a', 'added d']);
    expect(snapshot.keys()).toEqual(['b', 'c', 'd']);
  });

  it('a partition that left is an empty list', () => {
    const { changes, snapshot } = reduceDeltas(both(), [list([], east)]);
    expect(brief(changes)).toEqual(['deleted a', 'deleted b']);
    expect(snapshot.keys()).toEqual(['c']);
    expect(reduceDeltas(snapshot, [list([], east)]).changes).toEqual([]);
  });

  it('an object from the watch belongs to the partition of the event', () => {
    const { snapshot } = reduceDeltas(both(), [upsert(d, 'east')]);
    expect(brief(reduceDeltas(snapshot, [list([a, b], east)]).changes)).toEqual(['deleted d']);
    expect(brief(reduceDeltas(snapshot, [list([c], west)]).changes)).toEqual([]);
  });

  it('an updated object stays in its partition', () => {
    const { snapshot } = reduceDeltas(both(), [upsert(aPod({ version: 2 }), 'east')]);
    expect(brief(reduceDeltas(snapshot, [list([], east)]).changes)).toEqual(['deleted a', 'deleted b']);
  });

  it('two lists of one partition in one batch are applied in order', () => {
    const { snapshot } = reduceDeltas(both(), [list([d], east), list([a], east)]);
    expect(snapshot.keys()).toEqual(['a', 'c']);
  });

  it('a key that another partition has is refused with an error, and the existing object stays', () => {
    const { changes, errors, snapshot } = reduceDeltas(both(), [upsert(aPod({ name: 'c', version: 9 }), 'east')]);
    expect(changes).toEqual([]);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toEqual(errorWith('RXI_KEY_COLLISION'));
    expect(errors[0]).toMatchObject({ key: 'c', partitions: ['west', 'east'] });
    expect(errors[0]?.message).toContain('keyOf');
    expect(snapshot.get('c')).toBe(c);
  });

  it('a collision in a list affects no other item', () => {
    const { changes, errors } = reduceDeltas(both(), [list([aPod({ name: 'c', version: 9 }), d], east)]);
    expect(brief(changes)).toEqual(['deleted a', 'deleted b', 'added d']);
    expect(errors).toHaveLength(1);
  });

  it('a delete from a partition that does not have the key is ignored', () => {
    const { changes, snapshot } = reduceDeltas(both(), [removal(c, 'east')]);
    expect(changes).toEqual([]);
    expect(snapshot.has('c')).toBe(true);
  });

  it('a key that its partition has removed can be used by another one', () => {
    const { errors, snapshot } = reduceDeltas(both(), [
      removal(c, 'west'),
      upsert(aPod({ name: 'c', version: 9 }), 'east'),
    ]);
    expect(errors).toEqual([]);
    expect(brief(reduceDeltas(snapshot, [list([], west)]).changes)).toEqual([]);
    expect(brief(reduceDeltas(snapshot, [list([a, b], east)]).changes)).toEqual(['deleted c']);
  });

  describe('whose key two partitions hold', () => {
    /** `east` holds the object of the key `c`, and `west` holds another one, which was refused. */
    const shared = (object: Pod, refused: Pod) =>
      reduceDeltas(emptySnapshot(indexers), [list([object, b], east), upsert(refused, 'west')]).snapshot;
    const stored = aPod({ name: 'c', uid: '1', version: 2, node: 'n1' });
    const other = aPod({ name: 'c', uid: '2', version: 7, node: 'n2' });

    it('the same object stays without a change when the first partition leaves, and is deleted with the second one', () => {
      const left = reduceDeltas(shared(stored, structuredClone(stored)), [list([], east)]);
      expect(brief(left.changes)).toEqual(['deleted b']);
      expect([left.snapshot.get('c'), left.snapshot.byIndex('node', 'n1')]).toEqual([stored, [stored]]);
      expect(brief(reduceDeltas(left.snapshot, [list([], east)]).changes)).toEqual([]);
      expect(brief(reduceDeltas(left.snapshot, [list([], west)]).changes)).toEqual(['deleted c']);
    });

    it('another version of the object takes its place as an update', () => {
      const newer = aPod({ name: 'c', uid: '1', version: 3, node: 'n2' });
      const { changes, snapshot } = reduceDeltas(shared(stored, newer), [removal(stored, 'east')]);
      expect(changes).toEqual([{ type: 'updated', key: 'c', object: newer, previous: stored }]);
      expect(bucketsOf(snapshot, 'node')).toMatchObject({ n2: ['c'] });
    });

    it('an object with another uid takes its place as a deletion and an addition', () => {
      const { changes, snapshot } = reduceDeltas(shared(stored, other), [removal(stored, 'east')]);
      expect(changes).toEqual([
        { type: 'deleted', key: 'c', object: stored, finalStateUnknown: false },
        { type: 'added', key: 'c', object: other },
      ]);
      expect(bucketsOf(snapshot, 'node')).toMatchObject({ n2: ['c'] });
      expect(brief(reduceDeltas(snapshot, [list([], west)]).changes)).toEqual(['deleted c']);
    });

    it('an object that was deleted before takes no place', () => {
      for (const gone of [removal(other, 'west'), list([], west)]) {
        const { snapshot } = reduceDeltas(shared(stored, other), [gone]);
        expect(brief(reduceDeltas(snapshot, [removal(stored, 'east')]).changes)).toEqual(['deleted c']);
      }
    });

    it('a refused object that a list names as unreadable is kept', () => {
      const { snapshot } = reduceDeltas(shared(stored, other), [list([], { ...west, missing: ['c'] })]);
      expect(brief(reduceDeltas(snapshot, [removal(stored, 'east')]).changes)).toEqual(['deleted c', 'added c']);
    });

    it('a partition that deletes the object and adds it again in one batch keeps the key', () => {
      for (const again of [upsert(stored, 'east'), list([stored, b], east)]) {
        const { changes, errors, snapshot } = reduceDeltas(shared(stored, other), [removal(stored, 'east'), again]);
        expect([changes, errors]).toEqual([[], []]);
        expect(snapshot.get('c')).toBe(stored);
        expect(brief(reduceDeltas(snapshot, [list([], west)]).changes)).toEqual([]);
      }
    });

    it('a third partition may take over the object in the batch that deletes it', () => {
      const { changes, snapshot } = reduceDeltas(shared(stored, other), [
        removal(stored, 'east'),
        upsert(structuredClone(stored), 'north'),
      ]);
      expect(changes).toEqual([]);
      const left = reduceDeltas(snapshot, [list([], { partition: 'north' })]);
      expect(brief(left.changes)).toEqual(['deleted c', 'added c']);
    });

    it('a list without a partition forgets refused objects', () => {
      expect(brief(reduceDeltas(shared(stored, other), [list([])]).changes)).toEqual(['deleted b', 'deleted c']);
    });
  });

  it('a list without a partition replaces everything', () => {
    expect(reduceDeltas(both(), [list([d])]).snapshot.keys()).toEqual(['d']);
  });

  it('indexes that were added later are exact after a list of one partition', () => {
    const indexed = both().withIndexers({ name: (pod: Pod) => pod.metadata.name }, () => undefined);
    const { snapshot } = reduceDeltas(indexed, [list([b], east)]);
    expect(snapshot.indexValues('name')).toEqual(['b', 'c']);
    expect(snapshot.byIndex('name', 'a')).toEqual([]);
  });

  it('the values of one partition are not visible as an index', () => {
    const [commit] = commitsOf(indexers, [[list([a], east)]]);
    expect(Object.keys(commit!.snapshot.indexers)).toEqual(['node', 'values']);
  });
});
