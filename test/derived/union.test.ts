import { createIndexer, informer, type Indexer } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { metaNamespaceKey } from 'rx-informers/store';
import {
  aNode,
  aPod as aKubernetesPod,
  describeCollectionConformance,
  informerTest,
  virtualClock,
} from 'rx-informers/testing';
import { map } from 'rxjs';
import { aPod, byNode, type Pod } from '../fixtures/pods.js';
import { errorWith } from '../support/error-with.js';
import { merged } from './support/clusters.js';
import { fedBy } from './support/conformance.js';
import { describeOracle, randomInput } from './support/oracle.js';
import { failsOn, randomPod, unlessItFails, type Random } from './support/random.js';
import { expectSameWork } from './support/work.js';

const quiet = { linger: 0, onUnobservedError: () => undefined };

function indexerOf(...pods: readonly Pod[]): Indexer<Pod, 'node'> {
  const indexer = createIndexer<Pod, 'node'>(metaNamespaceKey, { node: byNode }, { freeze: false });
  indexer.replace(pods);
  return indexer;
}

const manyPods = (size: number, node: (number: number) => string): Pod[] =>
  Array.from({ length: size }, (_, number) =>
    aPod({ name: `pod-${String(number).padStart(6, '0')}`, node: node(number) }),
  );

/** Collects what `changes$` emits after the state, as text. */
function changesOf(collection: Pick<Indexer<unknown>, 'changes$'>): string[] {
  const seen: string[] = [];
  collection.changes$.subscribe(({ reason, changes }) => {
    if (reason !== 'initial') seen.push(changes.map(({ type, key }) => `${type} ${key}`).join(', '));
  });
  return seen;
}

describe('union', () => {
  it('contains the object of the first collection that has the key, once all have listed', () => {
    const pod = (node: string) => aKubernetesPod({ name: 'a', node });
    informerTest(
      { a: pod('first'), b: pod('second'), c: aKubernetesPod({ name: 'c' }) },
      ({ source, expectObjects }) => {
        const first = informer(source(' --L()--A(a)--D(a)|'));
        const second = informer(source('L(bc)|'));
        expectObjects(derived.union([first, second]).list$()).toBe('--(bc)-(ac)--(bc)|');
      },
    );
  });

  it("when the first collection deletes its object, the next collection's object follows as an update", () => {
    const preferred = indexerOf(aPod({ name: 'a', node: 'n1' }));
    const other = indexerOf(aPod({ name: 'a', node: 'n2' }), aPod({ name: 'b' }));
    const all = derived.union([preferred, other], quiet);
    const changes = changesOf(all);
    other.update(aPod({ name: 'a', node: 'n3' }));
    preferred.delete('a');
    expect(changes).toEqual(['updated a']);
    expect(all.get('a')).toEqual(aPod({ name: 'a', node: 'n3' }));
    other.delete('a');
    expect(changes).toEqual(['updated a', 'deleted a']);
  });

  it("if the next collection's object has another uid, it follows as a deletion and an addition", () => {
    const preferred = indexerOf(aPod({ name: 'a', uid: 'u1' }));
    const all = derived.union([preferred, indexerOf(aPod({ name: 'a', uid: 'u2' }))], quiet);
    const changes = changesOf(all);
    preferred.delete('a');
    expect(changes).toEqual(['deleted a, added a']);
  });

  it("J3: contains the next collection's object itself, even if it shares parts with the previous object", () => {
    const labels = (): Record<string, string> => ({ app: 'web' });
    const next = { metadata: { name: 'a', labels: labels() }, data: { theme: 'light' } };
    const preferred = createIndexer(metaNamespaceKey);
    preferred.add({ metadata: { name: 'a', labels: labels() }, kind: 'ConfigMap' });
    const defaults = createIndexer(metaNamespaceKey);
    defaults.add(next);
    const all = derived.union([preferred, defaults], quiet);
    all.connect();
    preferred.delete('a');
    expect(all.get('a')).toBe(next);
  });

  it("J3: if the next collection's object is equal, nothing is emitted", () => {
    const preferred = indexerOf(aPod({ name: 'a', node: 'n1' }));
    const all = derived.union([preferred, indexerOf(aPod({ name: 'a', node: 'n1' }))], quiet);
    const changes = changesOf(all);
    preferred.delete('a');
    expect([changes, all.snapshot.version]).toEqual([[], 1]);
  });

  it('contains objects of different types', () => {
    const pods = indexerOf(aPod({ name: 'a' }));
    const nodes = createIndexer<ReturnType<typeof aNode>>(metaNamespaceKey, {});
    nodes.replace([aNode({ name: 'n1' })]);
    const all = derived.union([pods, nodes], quiet);
    all.connect();
    expect(all.keys()).toEqual(['a', 'n1']);
  });

  it('has the resource of its inputs if it is the same for all', () => {
    const of = (kind: string) => createIndexer<Pod>(metaNamespaceKey, {}, { resource: { kind } } as never);
    const [one, two] = [of('Pod'), of('Node')];
    expect(derived.union([one, one]).resource).toBe(one.resource);
    expect(derived.union([one, two]).resource).toBeUndefined();
    expect(derived.union([one, two], { resource: two.resource }).resource).toBe(two.resource);
  });

  it('accepts a collection twice, and refuses an empty list', () => {
    const pods = indexerOf(aPod({ name: 'a' }));
    const all = derived.union([pods, pods], quiet);
    all.connect();
    pods.update(aPod({ name: 'b' }));
    expect(all.keys()).toEqual(['a', 'b']);
    expect(() => derived.union([])).toThrow('the argument of union must be at least one collection');
  });

  it('J5: one change costs the same, regardless of the number of objects', () => {
    const cost = expectSameWork((size, { options }) => {
      const preferred = indexerOf(...manyPods(size, () => 'n1'));
      const other = indexerOf(...manyPods(size, () => 'n2'));
      derived.union([preferred, other], options).connect();
      return () => {
        preferred.delete('pod-000007');
        other.delete('pod-000008');
      };
    });
    expect(cost['reads']).toBeLessThan(20);
  });

  describeOracle(
    'union of three',
    { first: randomInput(randomPod), second: randomInput(randomPod), third: randomInput(randomPod) },
    ({ inputs: { first, second, third }, options }) => ({
      collection: derived.union([first, second, third], { ...options, indexers: { node: byNode } }),
      expected: () =>
        new Map([third, second, first].flatMap((pods) => pods.keys().map((key) => [key, pods.get(key) as Pod]))),
    }),
  );

  describeCollectionConformance(
    () => {
      const pods = createIndexer<Pod>(metaNamespaceKey, {}, quiet);
      const none = createIndexer<Pod>(metaNamespaceKey, {}, quiet);
      none.replace([]);
      const collection = derived.union([none, pods], { ...quiet, indexers: { node: byNode } });
      return fedBy(pods, collection);
    },
    { name: 'union' },
  );
});

describe('union of collections by name', () => {
  const pod = (name: string, node?: string): Pod => aPod({ name, ...(node !== undefined && { node }) });

  it('hides no object: objects with the same key have rows of their own, with their kind and key', () => {
    const services = indexerOf(pod('web', 'n1'));
    const deployments = indexerOf(pod('web', 'n2'), pod('db'));
    const all = derived.union({ services, deployments }, { ...quiet, indexers: { name: ({ key }) => key } });
    const changes = changesOf(all);
    expect(all.keys()).toEqual(['deployments/db', 'deployments/web', 'services/web']);
    expect(all.get('services/web')).toEqual({ from: 'services', key: 'web', object: services.get('web') });
    expect(all.get('services/web')?.object).toBe(services.get('web'));
    expect(all.byIndex('name', 'web').map(({ from }) => from)).toEqual(['deployments', 'services']);
    services.update(pod('web', 'n3'));
    deployments.delete('web');
    services.update(pod('web', 'n3'));
    expect(changes).toEqual(['updated services/web', 'deleted deployments/web']);
  });

  it('emits first when all collections have listed', () => {
    informerTest({ a: aKubernetesPod({ name: 'a' }) }, ({ source, expectObservable }) => {
      const first = informer(source(' L(a)-D(a)------|'));
      const second = informer(source('--------L(a)|'));
      const keys = derived.union({ first, second }).list$();
      expectObservable(keys.pipe(map((all) => all.map(({ from }) => from).join()))).toBe('--------s------|', {
        s: 'second',
      });
    });
  });

  it('narrows the type of an object by the name of its collection', () => {
    const nodes = createIndexer<ReturnType<typeof aNode>>(metaNamespaceKey);
    nodes.replace([aNode({ name: 'n1' })]);
    const all = derived.union({ pods: indexerOf(pod('a', 'n1')), nodes }, quiet);
    const texts = derived.map(all, (member) =>
      member.from === 'pods' ? `on ${member.object.spec.nodeName}` : `a ${member.object.kind}`,
    );
    const connection = texts.connect();
    expect(texts.list()).toEqual(['a Node', 'on n1']);
    connection.unsubscribe();
    texts.stop();
  });

  it('keeps clusters in front of the names, so that later joins stay within a cluster', () => {
    const clock = virtualClock();
    const lists = { eu: [aPod({ name: 'a', namespace: 'web' })], 'us:1': [aPod({ name: 'a', namespace: 'web' })] };
    const [pods, others] = [merged<Pod>(clock, lists).informer, merged<Pod>(clock, lists).informer];
    const all = derived.union({ pods, others }, { ...quiet, scheduler: clock });
    const counts = derived.groupBy(all, ({ from }) => from, { objects: derived.count() }, { scheduler: clock });
    counts.connect();
    expect(all.keys()).toEqual(['eu:others/web/a', 'eu:pods/web/a', 'us%3A1:others/web/a', 'us%3A1:pods/web/a']);
    expect(counts.keys()).toEqual(['eu:others', 'eu:pods', 'us%3A1:others', 'us%3A1:pods']);
    const mixed = derived.union({ pods, local: indexerOf(pod('b')) }, { ...quiet, scheduler: clock });
    mixed.connect();
    expect(mixed.keys()).toEqual(['local/b', 'pods/eu:web/a', 'pods/us%3A1:web/a']);
    mixed.stop();
    counts.stop();
  });

  it('refuses a name with a slash, which would make keys ambiguous, and no collection at all', () => {
    expect(() => derived.union({ 'a/b': indexerOf() })).toThrow(
      errorWith('RXI_INVALID_OPTION', { option: 'a name in union', value: 'a/b' }),
    );
    expect(() => derived.union({})).toThrow('the argument of union must be at least one collection');
  });

  it('J5: one change costs the same, regardless of the number of objects', () => {
    const cost = expectSameWork((size, { options }) => {
      const pods = indexerOf(...manyPods(size, () => 'n1'));
      derived.union({ pods, others: indexerOf(...manyPods(size, () => 'n2')) }, options).connect();
      return () => {
        pods.delete('pod-000007');
        pods.update(aPod({ name: 'pod-000008', node: 'n3' }));
      };
    });
    expect(cost['reads']).toBeLessThan(20);
  });

  describeOracle(
    'union by name',
    { first: randomInput(randomPod), second: randomInput(randomPod) },
    ({ inputs, options }) => ({
      collection: derived.union(inputs, { ...options, indexers: { node: ({ object }) => byNode(object) } }),
      expected: () =>
        new Map(
          (['first', 'second'] as const).flatMap((from) =>
            inputs[from].keys().map((key) => [`${from}/${key}`, { from, key, object: inputs[from].get(key) as Pod }]),
          ),
        ),
    }),
  );
});

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
