import { type Delta, emptySnapshot, reduceDeltas } from 'rx-informers/store';
import { connectionError } from '../../src/sources/model/errors.js';
import { keyError } from '../../src/store/errors.js';
import { aPod, type Pod } from '../fixtures/pods.js';
import { commitsOf, indexers, list, removal, storeOf, upsert } from './support/deltas.js';

const empty = () => emptySnapshot<Pod>();
const commit = (...deltas: readonly Delta<Pod>[]) => reduceDeltas(empty(), deltas);

describe('reduce, one object', () => {
  it.each(['Added', 'Updated'] as const)('S1, D1: %s of an unknown key is an addition', (type) => {
    const a = aPod({ version: 1 });
    const { changes, snapshot } = commit({ type, key: 'a', object: a });
    expect(changes).toEqual([{ type: 'added', key: 'a', object: a }]);
    expect(snapshot.get('a')).toBe(a);
    expect(snapshot.has('a')).toBe(true);
    expect(snapshot.size).toBe(1);
  });

  it.each(['Added', 'Updated'] as const)('S1, D1: %s of a known key is an update from the stored object', (type) => {
    const before = aPod({ version: 1 });
    const after = aPod({ version: 2 });
    const { changes, snapshot } = reduceDeltas(storeOf(before), [{ type, key: 'a', object: after }]);
    expect(changes).toEqual([{ type: 'updated', key: 'a', object: after, previous: before }]);
    expect(snapshot.get('a')).toEqual(after);
  });

  it('S1: a missing key reads as undefined, and its delete is no error and no change', () => {
    const { changes, errors, snapshot } = reduceDeltas(storeOf(aPod()), [removal(aPod({ name: 'x' }))]);
    expect(snapshot.get('x')).toBeUndefined();
    expect(snapshot.has('x')).toBe(false);
    expect({ changes, errors }).toEqual({ changes: [], errors: [] });
  });

  it('D2: a delete contains the final state that came with it', () => {
    const last = aPod({ version: 9, status: 'terminated' });
    const { changes, snapshot } = reduceDeltas(storeOf(aPod({ version: 1 })), [removal(last)]);
    expect(changes).toEqual([{ type: 'deleted', key: 'a', object: last, finalStateUnknown: false }]);
    expect(snapshot.size).toBe(0);
  });

  it('D2: a tombstone without an object contains the last known one', () => {
    const known = aPod({ version: 1 });
    const tombstone: Delta<Pod> = { type: 'Deleted', key: 'a', object: undefined, finalStateUnknown: true };
    const { changes } = reduceDeltas(storeOf(known), [tombstone]);
    expect(changes).toEqual([{ type: 'deleted', key: 'a', object: known, finalStateUnknown: true }]);
  });

  it('Q7: a delete that a relist has already reported is not reported again', () => {
    const [, relisted, late] = commitsOf({}, [[list([aPod()])], [list([])], [removal(aPod())]]);
    expect(relisted?.changes).toHaveLength(1);
    expect(late?.changes).toEqual([]);
    expect(late?.snapshot.version).toBe(relisted?.snapshot.version);
  });

  it('D9 ▲: the same key with another uid is a tombstone and an addition', () => {
    const first = aPod({ uid: '1', version: 1 });
    const second = aPod({ uid: '2', version: 5 });
    const { changes } = reduceDeltas(storeOf(first), [upsert(second)]);
    expect(changes).toEqual([
      { type: 'deleted', key: 'a', object: first, finalStateUnknown: true },
      { type: 'added', key: 'a', object: second },
    ]);
  });

  it('D9 ▲: so it is in a relist, and with the same resourceVersion', () => {
    const { changes } = reduceDeltas(storeOf(aPod({ uid: '1', version: 1 })), [list([aPod({ uid: '2', version: 1 })])]);
    expect(changes.map(({ type }) => type)).toEqual(['deleted', 'added']);
  });

  it('D9 ▲: an object without a uid is treated as the existing one', () => {
    const { changes } = reduceDeltas(storeOf(aPod({ uid: '1', version: 1 })), [upsert(aPod({ version: 2 }))]);
    expect(changes.map(({ type }) => type)).toEqual(['updated']);
  });

  it('D9 ▲: a late delete of an earlier incarnation does not affect the present one', () => {
    const { changes, snapshot } = reduceDeltas(storeOf(aPod({ uid: '2', version: 5 })), [removal(aPod({ uid: '1' }))]);
    expect(changes).toEqual([]);
    expect(snapshot.has('a')).toBe(true);
  });

  describe('an object of the version that is stored already', () => {
    const before = aPod({ uid: '1', version: 7 });
    const deltasOf = (pod: Pod): readonly (readonly [string, Delta<Pod>])[] => [
      ['an event', upsert(pod)],
      ['a list', list([pod])],
    ];

    it('I10 ▲: the existing version with the same content is no change', () => {
      const store = storeOf(before);
      for (const [, delta] of deltasOf(structuredClone(before))) {
        const { changes, snapshot } = reduceDeltas(store, [delta]);
        expect(changes).toEqual([]);
        expect(snapshot.get('a')).toBe(before);
        expect(snapshot.version).toBe(store.version);
      }
    });

    it.each(deltasOf(aPod({ uid: '1', version: 7, node: 'n' })))(
      'I10 ▲: the existing version with other content is an update, from %s',
      (_from, delta) => {
        const { changes, snapshot } = reduceDeltas(storeOf(before), [delta]);
        const object = aPod({ uid: '1', version: 7, node: 'n' });
        expect(changes).toEqual([{ type: 'updated', key: 'a', object, previous: before }]);
        expect(snapshot.get('a')).toEqual(object);
      },
    );

    it('I10 ▲: equal dates and numbers that are not a number are the same content', () => {
      const computed = (at: number) => ({ ...before, at: new Date(at), ratio: NaN });
      const store = storeOf(computed(5));
      expect(reduceDeltas(store, [list([computed(5)])]).changes).toEqual([]);
      expect(reduceDeltas(store, [list([computed(6)])]).changes).toHaveLength(1);
    });
  });

  it('I10 ▲: two objects without a version are never treated as the same version', () => {
    const { changes } = reduceDeltas(storeOf(aPod({ node: 'n1' })), [upsert(aPod({ node: 'n2' }))]);
    expect(changes).toHaveLength(1);
    const empties = ['n1', 'n2'].map((node) => ({ ...aPod({ node }), metadata: { name: 'a', resourceVersion: '' } }));
    const again = reduceDeltas(storeOf(empties[0]!), [upsert(empties[1]!)]);
    expect(again.changes).toHaveLength(1);
  });

  it('I10 ▲: an equal object without a version is no change', () => {
    const equal = () => aPod({ node: 'n1' });
    expect(reduceDeltas(storeOf(equal()), [upsert(equal())]).changes).toEqual([]);
  });

  it.each([true, false])('G4: stores an object that throws while it is read, and the others (freeze: %p)', (freeze) => {
    const fail = (): never => {
      throw new Error('not now');
    };
    const unreadable = (): Pod =>
      Object.defineProperties({ metadata: { name: 'a' } }, { spec: { get: fail, enumerable: true } }) as Pod;
    const blank = (): Pod => Object.defineProperties({}, { metadata: { get: fail, enumerable: true } }) as Pod;
    const first = [unreadable(), blank()] as const;
    const second = [unreadable(), blank()] as const;
    const inKeys = (pods: readonly Pod[], other: number): readonly Delta<Pod>[] => [
      ...pods.map((object, place) => ({ type: 'Updated', key: String(place), object }) as const),
      upsert(aPod({ name: 'other', version: other })),
    ];
    const stored = reduceDeltas(empty(), inKeys(first, 1), { freeze });
    const updated = reduceDeltas(stored.snapshot, inKeys(second, 2), { freeze });
    expect(updated.snapshot.get('0')).toBe(second[0]);
    expect(updated.snapshot.get('1')).toBe(second[1]);
    expect(updated.snapshot.get('other')).toEqual(aPod({ name: 'other', version: 2 }));
    expect([...stored.errors, ...updated.errors]).toEqual([]);
  });

  it('accepts updates of an object with a getter and a read-only property', () => {
    const withGetter = (version: number): Pod =>
      Object.defineProperties(aPod({ version }), {
        spec: { get: () => ({ nodeName: 'n' }), enumerable: true },
        status: { value: { phase: 'Running' }, writable: false, enumerable: true },
      });
    const { snapshot } = reduceDeltas(commit(upsert(withGetter(1))).snapshot, [upsert(withGetter(2))]);
    expect(snapshot.get('a')).toEqual({
      ...aPod({ version: 2 }),
      spec: { nodeName: 'n' },
      status: { phase: 'Running' },
    });
  });

  it('accepts objects that are not Kubernetes objects', () => {
    const input: readonly unknown[] = ['text', 3, null, { metadata: null }, { metadata: 'x' }];
    const deltas = input.map((object, position) => ({ type: 'Added' as const, key: String(position), object }));
    const first = reduceDeltas(emptySnapshot<unknown>(), deltas);
    expect(first.snapshot.list()).toEqual(input);
    const second = reduceDeltas(first.snapshot, [{ type: 'Updated', key: '0', object: 'other' }]);
    expect(second.changes).toEqual([{ type: 'updated', key: '0', object: 'other', previous: 'text' }]);
  });
});

describe('reduce, one batch', () => {
  it('G3: keeps the order of changes, and shows their sum', () => {
    const [a1, a2] = [aPod({ version: 1 }), aPod({ version: 2 })];
    const b = aPod({ name: 'b' });
    const { changes, snapshot } = commit(upsert(a1), upsert(b), upsert(a2), removal(b));
    expect(changes.map(({ type, key }) => `${type} ${key}`)).toEqual(['added a', 'added b', 'updated a', 'deleted b']);
    expect(snapshot.keys()).toEqual(['a']);
    expect(snapshot.version).toBe(1);
  });

  it('G3: does not modify the snapshot that it started from', () => {
    const before = storeOf(aPod({ version: 1, node: 'n1' }));
    reduceDeltas(before, [upsert(aPod({ version: 2, node: 'n2' })), upsert(aPod({ name: 'b', node: 'n1' }))]);
    expect(before.keys()).toEqual(['a']);
    expect(before.indexValues('node')).toEqual(['n1']);
    expect(before.get('a')?.metadata.resourceVersion).toBe('1');
  });

  it('is pure: the same snapshot and deltas result in the same commit', () => {
    const before = storeOf(aPod({ version: 1, node: 'n1' }));
    const commits = [0, 1].map(() =>
      reduceDeltas(before, [upsert(aPod({ version: 2, node: 'n2' })), list([aPod({ name: 'c' })])]),
    );
    expect(commits[0]?.changes).toEqual(commits[1]?.changes);
    expect(commits[0]?.snapshot.list()).toEqual(commits[1]?.snapshot.list());
  });

  it('does nothing with an empty batch', () => {
    const before = storeOf(aPod());
    expect(reduceDeltas(before, [])).toEqual({ snapshot: before, reason: 'watch', changes: [], errors: [] });
    expect(reduceDeltas(before, []).snapshot).toBe(before);
  });

  it('G4: contains passed errors in order before its own, and applies the rest', () => {
    const unreachable = keyError({}, new Error('no name'));
    const refused = connectionError({ method: 'GET', url: '/api/v1/pods' }, 'refused');
    const broken = { bad: () => 7 as unknown as string };
    const { errors, snapshot } = reduceDeltas(emptySnapshot<Pod, 'bad'>(broken), [
      { type: 'Failed', error: unreachable },
      upsert(aPod()),
      { type: 'Failed', error: refused },
    ]);
    expect(errors.map(({ name }) => name)).toEqual(['RXI_KEY', refused.name, 'RXI_INDEX_FUNCTION']);
    expect(errors[0]).toBe(unreachable);
    expect(snapshot.has('a')).toBe(true);
  });

  it('G4: an error alone is not content, and does not count as synced', () => {
    const { snapshot, reason } = commit({ type: 'Failed', error: keyError({}, 'no') });
    expect({ version: snapshot.version, reason }).toEqual({ version: 0, reason: 'watch' });
  });
});

describe('reduce, sync and bookmark', () => {
  it('D4: Sync emits the stored object as an update of itself, and changes nothing', () => {
    const a = aPod({ version: 1 });
    const store = storeOf(a);
    const { changes, reason, snapshot } = reduceDeltas(store, [{ type: 'Sync', key: 'a' }]);
    expect(changes).toEqual([{ type: 'updated', key: 'a', object: a, previous: a }]);
    expect(reason).toBe('resync');
    expect(snapshot).toBe(store);
  });

  it('Q9: Sync does not restore a deleted object, nor overtake a newer version in its batch', () => {
    const store = storeOf(aPod({ version: 1 }), aPod({ name: 'b' }));
    const newer = aPod({ version: 2 });
    const { changes, reason, snapshot } = reduceDeltas(store, [
      upsert(newer),
      { type: 'Sync', key: 'a' },
      removal(aPod({ name: 'b' })),
      { type: 'Sync', key: 'b' },
      { type: 'Sync', key: 'never' },
    ]);
    expect(changes.map(({ type, key }) => `${type} ${key}`)).toEqual(['updated a', 'updated a', 'deleted b']);
    expect(changes[1]?.object).toEqual(newer);
    expect(reason).toBe('watch');
    expect(snapshot.keys()).toEqual(['a']);
  });

  it('Q9: Sync in an empty store does not count as synced', () => {
    expect(commit({ type: 'Sync', key: 'a' }).snapshot.version).toBe(0);
  });

  it('D5: Bookmark moves the resourceVersion and nothing else', () => {
    const store = storeOf(aPod());
    const { changes, snapshot } = reduceDeltas(store, [{ type: 'Bookmark', resourceVersion: '900' }]);
    expect(changes).toEqual([]);
    expect(snapshot.resourceVersion).toBe('900');
    expect(snapshot.version).toBe(store.version);
    expect(snapshot.list()).toBe(store.list());
    expect(store.resourceVersion).toBe('1');
  });
});

describe('reduce, S14: the resourceVersion is that of the last delta', () => {
  const deleted = (facts: Partial<Extract<Delta<Pod>, { type: 'Deleted' }>>): Delta<Pod> => ({
    type: 'Deleted',
    key: 'a',
    object: undefined,
    finalStateUnknown: false,
    ...facts,
  });
  it.each<[string, readonly Delta<Pod>[], string]>([
    ['an upsert sets its own', [upsert(aPod({ version: 5 }))], '5'],
    [
      'a smaller version still counts, because versions are opaque',
      [upsert(aPod({ version: 50 })), upsert(aPod({ name: 'b', version: 5 }))],
      '5',
    ],
    ['an object without a version keeps it ▲', [upsert(aPod({ version: 5 })), upsert(aPod({ name: 'b' }))], '5'],
    ['a delete sets the version of the delete', [removal(aPod({ version: 9 }))], '9'],
    ['so does a delete of a missing object', [list([]), removal(aPod({ name: 'x', version: 9 }))], '9'],
    ['a delete by key keeps it', [upsert(aPod({ version: 5 })), deleted({})], '5'],
    [
      'a tombstone keeps it',
      [upsert(aPod({ version: 5 })), deleted({ object: aPod({ version: 3 }), finalStateUnknown: true })],
      '5',
    ],
    [
      'a list sets the list’s',
      [upsert(aPod({ version: 50 })), list([aPod({ version: 5 })], { resourceVersion: '7' })],
      '7',
    ],
    ['a bookmark sets the bookmark’s', [list([]), { type: 'Bookmark', resourceVersion: '12' }], '12'],
    [
      'the last delta of a batch counts',
      [{ type: 'Bookmark', resourceVersion: '12' }, upsert(aPod({ version: 5 }))],
      '5',
    ],
    [
      'a partition sets none: a merged store has no version of its own',
      [
        list([aPod({ version: 5 })], { partition: 'east' }),
        upsert(aPod({ version: 8 }), 'east'),
        removal(aPod({ version: 9 }), 'east'),
        { type: 'Bookmark', resourceVersion: '12', partition: 'east' },
      ],
      '',
    ],
  ])('S14: the version of the store after deltas: %s', (_, deltas, expected) => {
    expect(commit(...deltas).snapshot.resourceVersion).toBe(expected);
  });
});

describe('reduce, Q1: the version tells whether and how often there was content', () => {
  it('is 0 before the first content', () => {
    expect(empty().version).toBe(0);
  });

  it.each<[string, Delta<Pod>]>([
    ['an addition', upsert(aPod())],
    ['a delete of an object that never existed', removal(aPod())],
    ['a list', list([aPod()])],
    ['an empty list', list([])],
    ['an empty list of one partition', list([], { partition: 'east' })],
  ])('is 1 after %s, which is the initial content', (_, delta) => {
    const { snapshot, reason } = commit(delta);
    expect({ version: snapshot.version, reason }).toEqual({ version: 1, reason: 'initial' });
  });

  it.each<[string, Delta<Pod>]>([
    ['a bookmark', { type: 'Bookmark', resourceVersion: '3' }],
    ['a bookmark of a partition', { type: 'Bookmark', resourceVersion: '3', partition: 'east' }],
  ])('the version stays 0 after %s', (_, delta) => {
    expect(commit(delta).snapshot.version).toBe(0);
  });

  it('grows by one with each commit that changes content, and not with others', () => {
    const versions = commitsOf(indexers, [
      [list([aPod({ version: 1 })])],
      [list([aPod({ version: 1 })], { resourceVersion: '2' })],
      [upsert(aPod({ version: 2 })), upsert(aPod({ name: 'b' }))],
      [removal(aPod({ name: 'x' }))],
      [{ type: 'Bookmark', resourceVersion: '9' }],
      [{ type: 'Sync', key: 'a' }],
      [removal(aPod())],
    ]).map(({ snapshot }) => snapshot.version);
    expect(versions).toEqual([1, 1, 2, 2, 2, 2, 3]);
  });

  it('contains its reason: initial, watch, relist, resync', () => {
    const reasons = commitsOf({}, [
      [list([])],
      [upsert(aPod())],
      [upsert(aPod()), list([])],
      [list([], { partition: 'east' })],
      [upsert(aPod())],
      [{ type: 'Sync', key: 'a' }],
    ]).map(({ reason }) => reason);
    expect(reasons).toEqual(['initial', 'watch', 'relist', 'relist', 'watch', 'resync']);
  });
});
