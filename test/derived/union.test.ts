import { createIndexer, informer } from 'rx-informers';
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
import { changesOf, indexerOf, manyPods, quiet } from './support/filled-indexers.js';
import { describeOracle, randomInput } from './support/oracle.js';
import { randomPod } from './support/random.js';
import { expectSameWork } from './support/work.js';

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
