import { jest } from '@jest/globals';
import { type IndexFunction, type RxInformersError } from 'rx-informers';
import { emptySnapshot, reduceDeltas } from 'rx-informers/store';
import { unknownIndexError } from '../../src/store/errors.js';
import { aPod, type Pod } from '../fixtures/pods.js';
import { errorWith } from '../support/error-with.js';
import { bucketsOf, indexers, list, removal, storeOf, upsert } from './support/deltas.js';

const ignore = () => undefined;

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

/** Calls `act`, and returns how many items it has searched through in arrays, at most. */
function searchedDuring(act: () => void): number {
  const { includes, indexOf } = Array.prototype;
  let searched = 0;
  const counting = (original: (...args: never[]) => unknown) =>
    function (this: unknown[], ...args: never[]): unknown {
      searched += this.length;
      return original.apply(this, args);
    };
  Object.assign(Array.prototype, { includes: counting(includes), indexOf: counting(indexOf) });
  try {
    act();
  } finally {
    Object.assign(Array.prototype, { includes, indexOf });
  }
  return searched;
}

describe('buckets of an index', () => {
  it('S4: contain an object under each of its 0..n values', () => {
    const store = storeOf(
      aPod({ name: 'none' }),
      aPod({ name: 'empty', values: [] }),
      aPod({ name: 'one', values: ['x'] }),
      aPod({ name: 'two', values: ['y', 'x'] }),
      aPod({ name: 'twice', values: ['y', 'y'] }),
    );
    expect(bucketsOf(store, 'values')).toEqual({ x: ['one', 'two'], y: ['twice', 'two'] });
  });

  it('have only their own objects, also for a reader that asks for a key', () => {
    const mine = aPod({ name: 'mine', node: 'n' });
    const bucket = storeOf(mine, aPod({ name: 'other', node: 'm' })).bucket('node', 'n');
    expect(['mine', 'other', 'none'].map((key) => bucket?.has(key))).toEqual([true, false, false]);
    expect(['mine', 'other', 'none'].map((key) => bucket?.get(key)?.object)).toEqual([mine, undefined, undefined]);
  });

  it('S4 ▲: contain the new version of an object that keeps its value', () => {
    const { snapshot } = reduceDeltas(storeOf(aPod({ version: 1, node: 'n' })), [
      upsert(aPod({ version: 2, node: 'n', status: 'ready' })),
    ]);
    expect(snapshot.byIndex('node', 'n')).toEqual([aPod({ version: 2, node: 'n', status: 'ready' })]);
  });

  it.each([
    ['the same values', (values: readonly string[]) => values],
    ['one other value', (values: readonly string[]) => [...values.slice(1), 'other']],
    ['only other values', (values: readonly string[]) => values.map((value) => `other ${value}`)],
  ])('G10: an update of an object with 5,000 values to %s looks at each value a few times', (_, change) => {
    const before = Array.from({ length: 5_000 }, (_value, number) => `value ${number}`);
    const store = storeOf(aPod({ version: 1, values: before }));
    const searched = searchedDuring(() => {
      const { snapshot } = reduceDeltas(store, [upsert(aPod({ version: 2, values: change(before) }))]);
      expect(snapshot.indexValues('values')).toHaveLength(5_000);
    });
    expect(searched).toBeLessThan(10 * before.length);
  });

  const transitions = [[], ['x'], ['y'], ['x', 'y'], ['y', 'x'], ['x', 'y', 'z'], ['z', 'w']].flatMap(
    (before, _, all) => all.map((after) => ({ before, after })),
  );
  it.each(transitions)(
    'S5, TestThreadSafeStoreIndexingFunctionsWithMultipleValues: $before → $after keeps buckets exact',
    ({ before, after }) => {
      const previousItem = aPod({ name: 'b', values: ['x', 'z'] });
      const store = storeOf(aPod({ version: 1, values: before }), previousItem);
      const { snapshot } = reduceDeltas(store, [upsert(aPod({ version: 2, values: after }))]);
      const expected = (values: readonly string[]) =>
        Object.fromEntries(
          ['w', 'x', 'y', 'z'].flatMap((value) => {
            const keys = [...(values.includes(value) ? ['a'] : []), ...('xz'.includes(value) ? ['b'] : [])];
            return keys.length > 0 ? [[value, keys]] : [];
          }),
        );
      expect(bucketsOf(store, 'values')).toEqual(expected(before));
      expect(bucketsOf(snapshot, 'values')).toEqual(expected(after));
      expect(bucketsOf(reduceDeltas(snapshot, [removal(aPod())]).snapshot, 'values')).toEqual(expected([]));
    },
  );

  it('S6: are removed with their value when they become empty', () => {
    const { snapshot } = reduceDeltas(storeOf(aPod({ node: 'n' })), [removal(aPod())]);
    expect(snapshot.indexValues('node')).toEqual([]);
    expect(snapshot.byIndex('node', 'n')).toEqual([]);
    expect(snapshot.bucket('node', 'n')).toBeUndefined();
  });

  it('S6: stay if other objects share them', () => {
    const b = aPod({ name: 'b', node: 'n' });
    const { snapshot } = reduceDeltas(storeOf(aPod({ node: 'n' }), b), [removal(aPod())]);
    expect(snapshot.byIndex('node', 'n')).toEqual([b]);
  });

  it('S6: leave nothing behind when values come and go', () => {
    let snapshot = storeOf();
    for (let round = 1; round <= 1000; round++) {
      ({ snapshot } = reduceDeltas(snapshot, [upsert(aPod({ version: round, node: `node-${round}` }))]));
    }
    expect(snapshot.indexValues('node')).toEqual(['node-1000']);
  });

  it('TestGetIndexFuncValues: have only distinct live values, in order', () => {
    const store = storeOf(
      aPod({ name: 'a', node: 'n2' }),
      aPod({ name: 'b', node: 'n10' }),
      aPod({ name: 'c', node: 'n2' }),
    );
    expect(store.indexValues('node')).toEqual(['n10', 'n2']);
  });

  it('S9 ▲: are in key order, by UTF-16 code unit', () => {
    const names = ['b', 'a/b', 'a', 'a-b', 'Z', 'ä', '10', '9', '\u{1F600}', '\uFFFD'];
    const store = storeOf(...names.map((name) => aPod({ name, node: 'n' })));
    const sorted = [...names].sort();
    expect(store.keys()).toEqual(sorted);
    expect(store.list().map((pod) => pod.metadata.name)).toEqual(sorted);
    expect(store.indexKeys('node', 'n')).toEqual(sorted);
    expect(store.byIndex('node', 'n').map((pod) => pod.metadata.name)).toEqual(sorted);
  });

  it('support values and keys that are names of properties', () => {
    const names = ['__proto__', 'constructor', 'toString', ''];
    const store = storeOf(...names.filter(Boolean).map((name) => aPod({ name, values: names })));
    expect(store.indexValues('values')).toEqual([...names].sort());
    expect(store.indexKeys('values', '__proto__')).toEqual(names.filter(Boolean).sort());
  });
});

describe('index(name, object)', () => {
  const store = storeOf(
    aPod({ name: 'a', values: ['x', 'y'] }),
    aPod({ name: 'b', values: ['y'] }),
    aPod({ name: 'c', values: ['z'] }),
  );

  it('S10: returns the union of the buckets of all its values, each object once, in order', () => {
    const found = store.index('values', aPod({ name: 'unknown', values: ['y', 'x'] }));
    expect(found.map((pod) => pod.metadata.name)).toEqual(['a', 'b']);
  });

  it('S10: returns the bucket itself for one value, and nothing for none', () => {
    expect(store.index('values', aPod({ values: ['z'] }))).toBe(store.byIndex('values', 'z'));
    expect(store.index('values', aPod())).toEqual([]);
    expect(store.index('values', aPod({ values: ['never', 'seen'] }))).toEqual([]);
  });

  it('S7: throws what the index function throws', () => {
    const failing = emptySnapshot<Pod, 'bad'>({
      bad: () => {
        throw new RangeError('no such thing');
      },
    });
    expect(() => failing.index('bad', aPod())).toThrow(new RangeError('no such thing'));
  });
});

describe('index functions that fail', () => {
  const failing: readonly [string, IndexFunction<Pod>, string][] = [
    [
      'throws',
      () => {
        throw new Error('broken');
      },
      'broken',
    ],
    ['returns a number', () => 7 as unknown as string, 'not number'],
    ['returns null', () => null as unknown as undefined, 'not null'],
    ['returns an object', () => ({ length: 1, 0: 'x' }) as unknown as string[], 'not object'],
    ['returns a promise', () => Promise.resolve('x') as unknown as string, 'not object'],
    ['returns an array that contains a number', () => ['x', 7] as unknown as string[], 'not number'],
    ['returns an array with a hole', () => new Array<string>(1), 'not undefined'],
    [
      'writes to the object',
      (pod) => {
        (pod.metadata as { name: string }).name = 'other';
        return pod.metadata.name;
      },
      'read only',
    ],
  ];
  it.each(failing)('S7 ▲: one that %s: the object is stored, and is in the other indexes', (_, bad, message) => {
    const { changes, errors, snapshot } = reduceDeltas(
      emptySnapshot<Pod, 'bad' | 'node'>({ bad, node: indexers.node }),
      [upsert({ ...aPod({ node: 'n' }), kind: 'Pod' })],
    );
    expect(changes).toHaveLength(1);
    expect(snapshot.has('a')).toBe(true);
    expect(snapshot.indexValues('bad')).toEqual([]);
    expect(bucketsOf(snapshot, 'node')).toEqual({ n: ['a'] });
    expect(errors).toHaveLength(1);
    expect(errors[0]).toEqual(errorWith('RXI_INDEX_FUNCTION'));
    expect(errors[0]).toMatchObject({ index: 'bad', key: 'a' });
    expect(errors[0]?.message).toContain('index function "bad" failed for Pod a, which is missing from that index: ');
    expect(errors[0]?.message).toContain(message);
  });

  it.each([
    ['an object without a prototype', Object.create(null)],
    ['a symbol', Symbol('thrown')],
    ['a proxy that was revoked', revoked()],
  ])('S7 ▲: an index function may throw %s: the object is stored, and the others', (_, thrown: unknown) => {
    const index = (pod: Pod): string => {
      if (pod.metadata.name === 'a') throw thrown;
      return 'x';
    };
    const { snapshot, errors } = reduceDeltas(emptySnapshot({ index }), [
      list([aPod({ name: 'a' }), aPod({ name: 'b' })]),
    ]);
    expect(snapshot.keys()).toEqual(['a', 'b']);
    expect(snapshot.indexKeys('index', 'x')).toEqual(['b']);
    expect(errors).toEqual([expect.objectContaining({ code: 'RXI_INDEX_FUNCTION', key: 'a' })]);
  });

  it('S7 ▲: the cause is kept', () => {
    const cause = new Error('broken');
    const { errors } = reduceDeltas(
      emptySnapshot<Pod, 'bad'>({
        bad: () => {
          throw cause;
        },
      }),
      [upsert(aPod())],
    );
    expect(errors[0]?.cause).toBe(cause);
  });

  it('S7 ▲: an update that cannot be indexed is removed from the bucket of the old value', () => {
    const strict = {
      node: (pod: Pod) => {
        if (pod.spec.nodeName === undefined) throw new Error('no node');
        return pod.spec.nodeName;
      },
    };
    const before = reduceDeltas(emptySnapshot<Pod, 'node'>(strict), [upsert(aPod({ version: 1, node: 'n' }))]).snapshot;
    const { errors, snapshot } = reduceDeltas(before, [upsert(aPod({ version: 2 }))]);
    expect(errors).toHaveLength(1);
    expect(snapshot.indexValues('node')).toEqual([]);
    const mended = reduceDeltas(snapshot, [upsert(aPod({ version: 3, node: 'n' }))]);
    expect(mended.errors).toEqual([]);
    expect(bucketsOf(mended.snapshot, 'node')).toEqual({ n: ['a'] });
  });

  it('G4: an object whose index function failed is indexed when it is delivered again, even unchanged', () => {
    let isBroken = true;
    const moody = {
      node: (pod: Pod) => {
        if (isBroken) throw new Error('not today');
        return pod.spec.nodeName;
      },
      values: indexers.values,
    };
    const a = aPod({ version: 1, node: 'n', values: ['x'] });
    const before = reduceDeltas(emptySnapshot<Pod, 'node' | 'values'>(moody), [upsert(a)]).snapshot;
    const stillBroken = reduceDeltas(before, [list([a])]);
    expect(stillBroken).toMatchObject({ changes: [], errors: [{ index: 'node', key: 'a' }] });
    isBroken = false;
    const bucket = stillBroken.snapshot.byIndex('values', 'x');
    const { changes, errors, snapshot } = reduceDeltas(stillBroken.snapshot, [list([structuredClone(a)])]);
    expect(changes).toEqual([{ type: 'updated', key: 'a', object: a, previous: a }]);
    expect(errors).toEqual([]);
    expect(bucketsOf(snapshot, 'node')).toEqual({ n: ['a'] });
    expect(snapshot.byIndex('values', 'x')).toBe(bucket);
    expect(reduceDeltas(snapshot, [list([a])]).changes).toEqual([]);
  });

  it('S12 ▲: no index function is called for a deleted object', () => {
    const node = jest.fn(indexers.node);
    const store = reduceDeltas(emptySnapshot<Pod, 'node'>({ node }), [
      list([aPod({ node: 'n' }), aPod({ name: 'b', node: 'n' })]),
    ]);
    expect(node).toHaveBeenCalledTimes(2);
    const { snapshot } = reduceDeltas(store.snapshot, [removal(aPod({ node: 'somewhere else' })), list([])]);
    expect(node).toHaveBeenCalledTimes(2);
    expect(snapshot.indexValues('node')).toEqual([]);
  });

  it('S12 ▲: an impure index function cannot leave an object behind in a bucket', () => {
    let calls = 0;
    const impure = () => `value-${++calls}`;
    let { snapshot } = reduceDeltas(emptySnapshot<Pod, 'impure'>({ impure }), [upsert(aPod({ version: 1 }))]);
    ({ snapshot } = reduceDeltas(snapshot, [upsert(aPod({ version: 2 }))]));
    expect(bucketsOf(snapshot, 'impure')).toEqual({ 'value-2': ['a'] });
    const more = snapshot.withIndexers({ node: indexers.node }, ignore);
    expect(bucketsOf(more, 'impure')).toEqual({ 'value-2': ['a'] });
    expect(reduceDeltas(more, [removal(aPod())]).snapshot.indexValues('impure')).toEqual([]);
  });

  it('S12 ▲: an array that the index function keeps and modifies does not change the index', () => {
    const kept = ['x', 'y'];
    const { snapshot } = reduceDeltas(emptySnapshot<Pod, 'kept'>({ kept: () => kept }), [upsert(aPod())]);
    kept.length = 0;
    expect(reduceDeltas(snapshot, [removal(aPod())]).snapshot.indexValues('kept')).toEqual([]);
  });
});

describe('index names', () => {
  const store = storeOf(aPod({ node: 'n' }));
  const unknown = 'nodde' as 'node';

  it.each<[string, () => unknown]>([
    ['byIndex', () => store.byIndex(unknown, 'n')],
    ['index', () => store.index(unknown, aPod())],
    ['indexKeys', () => store.indexKeys(unknown, 'n')],
    ['indexValues ▲', () => store.indexValues(unknown)],
    ['indexValuesOf', () => store.indexValuesOf(unknown, 'a')],
  ])('S8: %s of an unknown index throws, and names the existing indexes', (_, read) => {
    expect(read).toThrow(errorWith('RXI_UNKNOWN_INDEX'));
    expect(read).toThrow('there is no index "nodde"; known indexes: node, values');
  });

  it('S8: the error has its own name, contains both versions, and quotes unreadable names', () => {
    expect(unknownIndexError('a"b\n', ['x'])).toMatchObject({
      code: 'RXI_UNKNOWN_INDEX',
      index: 'a"b\n',
      known: ['x'],
    });
    expect(unknownIndexError('a"b\n', ['x']).message).toContain(JSON.stringify('a"b\n'));
    expect(unknownIndexError('node', []).message).toContain('the collection has no indexes');
  });

  it('S8: names of inherited properties are unknown too', () => {
    expect(() => store.byIndex('toString' as 'node', 'n')).toThrow(errorWith('RXI_UNKNOWN_INDEX'));
    expect(() => store.byIndex('__proto__' as 'node', 'n')).toThrow(errorWith('RXI_UNKNOWN_INDEX'));
  });

  it('S8: a known index with an unknown value is empty, without an error', () => {
    expect(store.byIndex('node', 'never')).toEqual([]);
    expect(store.indexKeys('node', 'never')).toEqual([]);
    expect(store.byIndex('node', 'never')).toBe(store.byIndex('node', 'other'));
  });
});

describe('adding indexes', () => {
  const zone = (pod: Pod) => pod.metadata.labels?.['zone'];
  const store = storeOf(
    aPod({ name: 'a', node: 'n1', labels: { zone: 'x' } }),
    aPod({ name: 'b', node: 'n2', labels: { zone: 'x' } }),
    aPod({ name: 'c', node: 'n2' }),
  );

  it('S11: indexes every existing object, and every later one', () => {
    const indexed = store.withIndexers({ zone }, ignore);
    expect(bucketsOf(indexed, 'zone')).toEqual({ x: ['a', 'b'] });
    expect(bucketsOf(indexed, 'node')).toEqual({ n1: ['a'], n2: ['b', 'c'] });
    const { snapshot } = reduceDeltas(indexed, [
      upsert(aPod({ name: 'a', version: 2, labels: { zone: 'y' } })),
      removal(aPod({ name: 'b' })),
    ]);
    expect(bucketsOf(snapshot, 'zone')).toEqual({ y: ['a'] });
    expect(bucketsOf(snapshot, 'node')).toEqual({ n2: ['c'] });
  });

  it('S11: works before the first content', () => {
    const { snapshot } = reduceDeltas(emptySnapshot<Pod>().withIndexers({ zone }, ignore), [list(store.list())]);
    expect(bucketsOf(snapshot, 'zone')).toEqual({ x: ['a', 'b'] });
  });

  it('S11: changes no content: the same version, the same arrays', () => {
    const [objects, keys, bucket] = [store.list(), store.keys(), store.byIndex('node', 'n2')];
    const indexed = store.withIndexers({ zone }, ignore);
    expect(indexed.version).toBe(store.version);
    expect(indexed.resourceVersion).toBe(store.resourceVersion);
    expect(indexed.list()).toBe(objects);
    expect(indexed.keys()).toBe(keys);
    expect(indexed.byIndex('node', 'n2')).toBe(bucket);
  });

  it('S11: leaves the earlier snapshot without the new index', () => {
    store.withIndexers({ zone }, ignore);
    expect(Object.keys(store.indexers)).toEqual(['node', 'values']);
    expect(() => store.byIndex('zone' as 'node', 'x')).toThrow(errorWith('RXI_UNKNOWN_INDEX'));
  });

  it('S11: adds none if a name is taken, and the error names all of them', () => {
    const add = () => store.withIndexers({ zone, values: zone, node: zone }, ignore);
    expect(add).toThrow(errorWith('RXI_INDEXER_CONFLICT'));
    expect(add).toThrow('values, node');
    expect(Object.keys(store.indexers)).toEqual(['node', 'values']);
  });

  it('S11 ▲: neither keeps nor modifies the object that the caller passed', () => {
    const mine: Record<string, IndexFunction<Pod>> = { node: indexers.node };
    const snapshot = emptySnapshot<Pod, string>(mine).withIndexers({ zone }, ignore);
    expect(Object.keys(mine)).toEqual(['node']);
    mine['late'] = zone;
    delete mine['node'];
    expect(Object.keys(snapshot.indexers)).toEqual(['node', 'zone']);
    expect(reduceDeltas(snapshot, [upsert(aPod({ node: 'n' }))]).snapshot.indexValues('node')).toEqual(['n']);
    expect(Object.isFrozen(snapshot.indexers)).toBe(true);
  });

  it('S11: reports objects for which new functions fail, once for each object, and adds the index without them', () => {
    const errors: RxInformersError<'RXI_INDEX_FUNCTION'>[] = [];
    const strict = (pod: Pod) => {
      const value = zone(pod);
      if (value === undefined) throw new Error('no zone');
      return value;
    };
    const indexed = store.withIndexers({ strict }, (error) => errors.push(error));
    expect(errors.map(({ index, key }) => `${index} ${key}`)).toEqual(['strict c']);
    expect(bucketsOf(indexed, 'strict')).toEqual({ x: ['a', 'b'] });
  });

  it('S11: calls the new functions only', () => {
    const node = jest.fn(indexers.node);
    const { snapshot } = reduceDeltas(emptySnapshot<Pod, 'node'>({ node }), [upsert(aPod({ node: 'n' }))]);
    snapshot.withIndexers({ zone }, ignore);
    expect(node).toHaveBeenCalledTimes(1);
  });

  it('S11: keeps the order of indexes for a name that looks like a number', () => {
    const indexed = store.withIndexers({ '0': zone }, ignore);
    expect(bucketsOf(indexed, 'node')).toEqual({ n1: ['a'], n2: ['b', 'c'] });
    expect(bucketsOf(indexed, '0')).toEqual({ x: ['a', 'b'] });
  });
});
