import { createIndexer, type Indexer } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { metaNamespaceKey } from 'rx-informers/store';
import { describeCollectionConformance } from 'rx-informers/testing';
import { aPod, byNode, type Pod } from '../fixtures/pods.js';
import { errorWith } from '../support/error-with.js';
import { fedBy } from './support/conformance.js';
import { indexerOf, manyPods, quiet } from './support/filled-indexers.js';
import { describeOracle, randomInput } from './support/oracle.js';
import { failsOn, randomPod, unlessItFails, type Random } from './support/random.js';
import { expectSameWork } from './support/work.js';

describe('distinct', () => {
  const unlucky = (): never => {
    throw new Error('no luck');
  };
  const a = aPod({ name: 'a', node: 'n1', values: ['v', 'w'] });
  const b = aPod({ name: 'b', node: 'n1', values: ['w'] });
  const c = aPod({ name: 'c', node: 'n2' });

  it('creates a row for each value of an index, with the object of the smallest key', () => {
    const nodes = derived.distinct(indexerOf(c, b, a), 'node', quiet);
    nodes.connect();
    expect(nodes.list()).toEqual([
      { value: 'n1', object: a },
      { value: 'n2', object: c },
    ]);
    expect(nodes.keys()).toEqual(['n1', 'n2']);
  });

  it('accepts a function with several values instead of an index', () => {
    const values = derived.distinct(indexerOf(a, b, c), (pod) => pod.spec.values, quiet);
    values.connect();
    expect(values.list()).toEqual([
      { value: 'v', object: a },
      { value: 'w', object: a },
    ]);
  });

  it.each(['an index', 'a function'])('follows each change, by %s', (by) => {
    const pods = indexerOf(b);
    const nodes = derived.distinct(pods, by === 'an index' ? 'node' : byNode, quiet);
    const seen: string[] = [];
    nodes.changes$.subscribe(({ changes }) => {
      for (const { type, key, object } of changes) seen.push(`${type} ${key} ${object.object.metadata.name}`);
    });
    pods.update(c);
    pods.update(a);
    pods.update(aPod({ name: 'b', node: 'n1', status: 'ready' }));
    pods.delete('a');
    pods.update(aPod({ name: 'b', node: 'n2' }));
    pods.replace([]);
    expect(seen).toEqual([
      'added n1 b',
      'added n2 c',
      'updated n1 a',
      'updated n1 b',
      'deleted n1 b',
      'updated n2 b',
      'deleted n2 b',
    ]);
  });

  it('throws at once for an index that does not exist (S8)', () => {
    expect(() => derived.distinct(indexerOf(), 'zone' as 'node')).toThrow('there is no index "zone"');
  });

  it.each([
    ['throws', () => unlucky(), 'no luck'],
    ['returns a number', () => 7 as never, 'an index function must return a string'],
    ['returns a Promise', () => Promise.resolve('n1') as never, 'an index function must return a string'],
  ])('J6: reports a function that %s, with the key, and leaves that object out', (_what, nonsense, message) => {
    const pods = indexerOf(a, b);
    const isWrong = (pod: Pod): boolean => pod.status === 'wrong';
    const nodes = derived.distinct(pods, (pod) => (isWrong(pod) ? nonsense() : byNode(pod)), {
      ...quiet,
      name: 'used',
    });
    const errors: string[] = [];
    nodes.errors$.subscribe((error) => errors.push(error.message));
    nodes.connect();
    pods.update({ ...a, status: 'wrong' });
    expect(nodes.list()).toEqual([{ value: 'n1', object: b }]);
    expect(errors).toEqual([expect.stringContaining('used: by failed for a, whose row is absent')]);
    expect(errors).toEqual([expect.stringContaining(message)]);
    pods.update(a);
    expect(nodes.list()).toEqual([{ value: 'n1', object: a }]);
  });

  it.each(['an index', 'a function'])(
    'J5: a change costs the same for any number of objects with the value, by %s',
    (by) => {
      const cost = expectSameWork((size, { options }) => {
        const pods = indexerOf(...manyPods(size, () => 'n1'));
        derived.distinct(pods, by === 'an index' ? 'node' : byNode, options).connect();
        return () => {
          pods.delete('pod-000000');
          pods.update(aPod({ name: 'pod-000007', node: 'n2' }));
          pods.update(aPod({ name: 'pod-000000', node: 'n1' }));
        };
      });
      expect(cost['reads']).toBeLessThan(40);
    },
  );

  const at = (name: string, node: string, generation?: number): Pod =>
    aPod({ name, node, ...(generation !== undefined && { generation }) });
  const generationOf = (pod: Pod): number | undefined => pod.metadata.generation;

  it.each(['an index', 'a function'])('with orderBy, holds the last object of each value, by %s', (by) => {
    const pods = indexerOf(at('a', 'n1', 2), at('b', 'n1', 1), at('c', 'n2', 5), at('unordered', 'n3'));
    const last = derived.distinct(pods, by === 'an index' ? 'node' : byNode, { ...quiet, orderBy: generationOf });
    const seen: string[] = [];
    last.changes$.subscribe(({ changes }) => {
      for (const { type, key, object } of changes) seen.push(`${type} ${key} ${object.object.metadata.name}`);
    });
    const after = (act: () => void): string[] => {
      seen.length = 0;
      act();
      return [...seen];
    };
    expect(seen).toEqual(['added n1 a', 'added n2 c']);
    expect(last.get('n1')?.object).toBe(pods.get('a'));
    expect(after(() => pods.update(at('b', 'n1', 3)))).toEqual(['updated n1 b']);
    // Of equal values, the greater key comes first.
    expect(after(() => pods.update(at('a', 'n1', 3)))).toEqual([]);
    expect(after(() => pods.update({ ...at('a', 'n1', 3), status: 'ready' }))).toEqual([]);
    expect(after(() => pods.update({ ...at('b', 'n1', 3), status: 'ready' }))).toEqual(['updated n1 b']);
    expect(after(() => pods.update(at('b', 'n2', 9)))).toEqual(['updated n1 a', 'updated n2 b']);
    expect(after(() => pods.update(at('a', 'n1')))).toEqual(['deleted n1 a']);
  });

  it('with the order least, holds the first object of each value', () => {
    const pods = indexerOf(at('a', 'n1', 2), at('b', 'n1', 1), at('c', 'n1', 1));
    const first = derived.distinct(pods, 'node', { ...quiet, orderBy: generationOf, order: 'least' });
    first.connect();
    expect(first.get('n1')?.object).toBe(pods.get('b'));
  });

  it('refuses another order, and an order without orderBy', () => {
    const wrong = { orderBy: generationOf, order: 'newest' as 'least' };
    expect(() => derived.distinct(indexerOf(), 'node', wrong)).toThrow(
      errorWith('RXI_INVALID_OPTION', { option: 'order', value: 'newest' }),
    );
    expect(() => derived.distinct(indexerOf(), 'node', { order: 'least' })).toThrow(
      errorWith('RXI_INVALID_OPTION', { option: 'order', value: 'least' }),
    );
  });

  it('J6: reports an orderBy that returns no value to sort by, and leaves that object out', () => {
    const pods = indexerOf(at('a', 'n1', 2), at('b', 'n1', 1));
    const orderBy = (pod: Pod) => (pod.status === 'wrong' ? (new Date(0) as never) : generationOf(pod));
    const last = derived.distinct(pods, 'node', { ...quiet, name: 'last', orderBy });
    const errors: string[] = [];
    last.errors$.subscribe((error) => errors.push(error.message));
    last.connect();
    pods.update({ ...at('a', 'n1', 2), status: 'wrong' });
    expect(last.get('n1')?.object).toBe(pods.get('b'));
    expect(errors).toEqual([expect.stringMatching(/^last: orderBy failed for a, .+ the function of orderBy must/)]);
  });

  it('J5: with orderBy, a change costs one call for each version, for any number of objects', () => {
    const cost = expectSameWork((size, { counted, options }) => {
      const pods = indexerOf(...manyPods(size, () => 'n1'));
      const orderBy = counted('orderBy', ({ metadata }: Pod) => metadata.name);
      derived.distinct(pods, 'node', { ...options, orderBy }).connect();
      return () => pods.update(aPod({ name: 'pod-000007', node: 'n1', status: 'ready' }));
    });
    expect(cost).toMatchObject({ orderBy: 2 });
    expect(cost['reads']).toBeLessThan(20);
  });

  const tagsOf = (pod: Pod): readonly string[] => {
    failsOn(pod);
    return pod.spec.values ?? [];
  };
  const expectedOf = (pods: Indexer<Pod, 'node'>, valuesOf: (pod: Pod) => readonly string[]) => {
    const rows = new Map<string, derived.Distinct<Pod>>();
    for (const object of pods.list()) {
      for (const value of unlessItFails(() => valuesOf(object)) ?? []) {
        if (!rows.has(value)) rows.set(value, { value, object });
      }
    }
    return rows;
  };
  const pods = randomInput((random: Random) => randomPod(random), { indexers: { node: byNode } });

  describeOracle('distinct by an index', { pods }, ({ inputs, options }) => ({
    collection: derived.distinct(inputs.pods, 'node', options),
    expected: () => expectedOf(inputs.pods, (pod) => (pod.spec.nodeName === undefined ? [] : [pod.spec.nodeName])),
  }));

  describeOracle('distinct by a function', { pods }, ({ inputs, options }) => ({
    collection: derived.distinct(inputs.pods, tagsOf, {
      ...options,
      indexers: { node: ({ object }) => byNode(object) },
    }),
    expected: () => expectedOf(inputs.pods, tagsOf),
  }));

  const ordered = randomInput(
    (random: Random): Pod => {
      const pod = randomPod(random);
      return random.chance(0.1) ? pod : { ...pod, metadata: { ...pod.metadata, generation: random.nat(4) } };
    },
    { indexers: { node: byNode } },
  );
  const orderBy = (pod: Pod): number | undefined => (failsOn(pod), generationOf(pod));

  describe.each(['greatest', 'least'] as const)('with orderBy, %s first', (order) => {
    describeOracle('distinct', { pods: ordered }, ({ inputs: { pods: all }, options }) => ({
      collection: derived.distinct(all, tagsOf, { ...options, orderBy, order }),
      expected: () => {
        const inOrder = all
          .list()
          .filter((pod) => pod.status !== 'fails' && generationOf(pod) !== undefined)
          .sort((one, other) => (rankOf(one) < rankOf(other) ? -1 : 1));
        const rows = new Map<string, derived.Distinct<Pod>>();
        for (const object of order === 'least' ? inOrder : inOrder.reverse()) {
          for (const value of tagsOf(object)) if (!rows.has(value)) rows.set(value, { value, object });
        }
        return rows;
      },
    }));
    const rankOf = (pod: Pod): string => `${generationOf(pod)} ${pod.metadata.name}`;
  });

  describeCollectionConformance(
    () => {
      const source = createIndexer<Pod>(metaNamespaceKey, {}, quiet);
      const rows = derived.distinct(source, ({ metadata }) => metadata.name, quiet);
      const collection = derived.map(rows, ({ object }) => object, { ...quiet, indexers: { node: byNode } });
      return fedBy(source, collection);
    },
    { name: 'map of distinct' },
  );
});
