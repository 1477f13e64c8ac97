import { createIndexer, indexByNode, informer, type InformerError, type KubernetesNode } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { metaNamespaceKey } from 'rx-informers/store';
import {
  aNode,
  aPod as aKubernetesPod,
  describeCollectionConformance,
  informerTest,
  virtualClock,
  watchMarbles,
} from 'rx-informers/testing';
import type { Observable } from 'rxjs';
import { internalsOf } from '../../src/collections/log-collection.js';
import { aPod, byNode, type Pod } from '../fixtures/pods.js';
import { errorWith } from '../support/error-with.js';
import { fedBy } from './support/conformance.js';
import { describeOracle, randomInput } from './support/oracle.js';
import { failsOn, nodes, randomPod, unlessItFails, type Random } from './support/random.js';
import { expectSameWork } from './support/work.js';

/** The fields by which pods refer: a unique name, or a status that several may share. */
const randomNode = (random: Random): Pod =>
  aPod({
    name: random.oneOf(nodes),
    uid: random.oneOf(['u1', 'u1', 'u1', 'u2']),
    labels: { zone: random.oneOf(['east', 'west']) },
    ...(random.chance(0.9) && { status: random.oneOf(['r1', 'r2', 'r3', 'fails']) }),
  });

const byStatus = ({ status }: Pod): string | undefined => status as string | undefined;
/** Throws for some pods, and refers to no node, to one, or to one that never exists. */
const onNode = (pod: Pod): string | undefined => {
  if (pod.spec.values?.length === 3) throw new Error('on failed');
  return pod.spec.nodeName;
};
const zoneOf = (pod: Pod, node: Pod | undefined) => {
  failsOn(pod, node);
  if (pod.metadata.labels?.['tier'] === 'db') return undefined;
  return { pod, zone: node?.metadata.labels?.['zone'] ?? 'none' };
};

function joined<Row>(
  objects: { keys(): readonly string[]; get(key: string): Pod | undefined },
  row: (object: Pod, key: string) => Row | undefined,
): Map<string, Row> {
  const rows = new Map<string, Row>();
  for (const key of objects.keys()) {
    const computed = unlessItFails(() => row(objects.get(key) as Pod, key));
    if (computed !== undefined) rows.set(key, computed);
  }
  return rows;
}

const one = <V>(values: readonly V[]): V | undefined => {
  if (values.length > 1) throw new Error('several');
  return values[0];
};

const quiet = { linger: 0, onUnobservedError: () => undefined } as const;

/** Two pods, `c` is `a` on the other node; and a node in one zone and in another. */
const objects = {
  a: aKubernetesPod({ name: 'a', node: 'n1' }),
  b: aKubernetesPod({ name: 'b', node: 'n1' }),
  c: aKubernetesPod({ name: 'a', node: 'n2' }),
};
const zoned = (zone: string): KubernetesNode => aNode({ name: 'n1', labels: { zone } });
const machines = { e: zoned('east'), w: zoned('west') };

describe('leftJoin in virtual time', () => {
  const rows = (pods: string, all: string) =>
    derived.leftJoin(
      informer(watchMarbles(pods, objects), { indexers: { node: indexByNode } }),
      informer(watchMarbles(all, machines)),
      {
        on: 'node',
        select: (pod, node) => `${pod.metadata.name} in ${node?.metadata.labels?.['zone'] ?? 'no zone'}`,
      },
    );
  const values = {
    o: ['a in no zone', 'b in no zone'],
    e: ['a in east', 'b in east'],
    w: ['a in west', 'b in west'],
    m: ['a in no zone', 'b in west'],
    d: ['a in no zone'],
  };

  it('J4: emits nothing before both inputs have synced, and then the current rows', () => {
    informerTest({}, ({ expectObservable }) => {
      const pods = '    L(ab)------|';
      const nodes = '   -----L(e)--|';
      const expected = '-----e-----|';
      expectObservable(rows(pods, nodes).list$()).toBe(expected, values);
    });
  });

  it('J1: a node that is added, updated or deleted changes all rows of its pods at once', () => {
    informerTest({}, ({ expectObservable }) => {
      const pods = '    L(ab)------------------|';
      const nodes = '   L()---A(e)--M(w)--D(w)-|';
      const expected = 'o-----e-----w-----o----|';
      expectObservable(rows(pods, nodes).list$()).toBe(expected, values);
    });
  });

  it('J2: a pod that moves is joined with its current node', () => {
    informerTest({}, ({ expectObservable }) => {
      const pods = '    L(ab)--M(c)----D(b)|';
      const nodes = '   L(w)---------------|';
      const expected = 'w------m-------d---|';
      expectObservable(rows(pods, nodes).list$()).toBe(expected, values);
    });
  });

  it('J3: nothing is emitted for a change that leaves all rows equal', () => {
    informerTest({}, ({ expectObservable }) => {
      const pods = '    L(ab)--M(a)--------|';
      const nodes = '   L(e)--------M(e)---|';
      const expected = 'e------------------|';
      expectObservable(rows(pods, nodes).list$()).toBe(expected, values);
    });
  });
});

describe('groupJoin in virtual time', () => {
  it('J1: a pod that moves leaves one row and enters the other in one emission', () => {
    informerTest({}, ({ expectObservable }) => {
      const pods = '    L(ab)--M(c)--M(a)----D(a)|';
      const nodes = '   L(12)--------------------|';
      const expected = 'x------y-----x-------z---|';
      const load = derived.groupJoin(
        informer(watchMarbles(nodes, { 1: aNode({ name: 'n1' }), 2: aNode({ name: 'n2' }) })),
        informer(watchMarbles(pods, objects), { indexers: { node: indexByNode } }),
        {
          on: 'node',
          select: (node, group) => `${node.metadata.name}: ${group.map(({ metadata }) => metadata.name).join()}`,
        },
      );
      expectObservable(load.list$()).toBe(expected, {
        x: ['n1: a,b', 'n2: '],
        y: ['n1: b', 'n2: a'],
        z: ['n1: b', 'n2: '],
      });
    });
  });
});

describe('leftJoin', () => {
  const inputs = {
    pods: randomInput(randomPod, {
      indexers: {
        node: byNode,
        values: (pod) => {
          failsOn(pod);
          return pod.spec.values;
        },
      },
    }),
    nodes: randomInput(randomNode, { indexers: { status: byStatus } }),
  };

  describeOracle('leftJoin by an index', inputs, ({ inputs: { pods, nodes: all }, options }) => ({
    collection: derived.leftJoin(
      pods,
      all,
      { on: 'node', select: zoneOf },
      { ...options, indexers: { zone: ({ zone }) => zone } },
    ),
    expected: () => joined(pods, (pod) => zoneOf(pod, all.get(pod.spec.nodeName ?? ''))),
  }));

  describeOracle('leftJoin by a function', inputs, ({ inputs: { pods, nodes: all }, options }) => ({
    collection: derived.leftJoin(pods, all, { on: onNode, select: zoneOf }, options),
    expected: () => joined(pods, (pod) => zoneOf(pod, all.get(onNode(pod) ?? ''))),
  }));

  const byNumber = (pod: Pod): string | undefined => pod.spec.nodeName?.replace('n', 'r');
  describeOracle('leftJoin to an index that must be unique', inputs, ({ inputs: { pods, nodes: all }, options }) => ({
    collection: derived.leftJoin(pods, all, { on: byNumber, to: 'status', select: zoneOf }, options),
    expected: () => joined(pods, (pod) => zoneOf(pod, one(all.byIndex('status', byNumber(pod) ?? 'none')))),
  }));

  describeOracle(
    'leftJoin by an index of several values',
    {
      ...inputs,
      nodes: randomInput((random) =>
        aPod({ name: random.oneOf(['v', 'w', 'x']), labels: { zone: random.oneOf(['east', 'west']) } }),
      ),
    },
    ({ inputs: { pods, nodes: all }, options }) => ({
      collection: derived.leftJoin(
        pods,
        all,
        { on: 'values', select: (pod, other) => ({ name: pod.metadata.name, other }) },
        options,
      ),
      expected: () =>
        joined(pods, (pod) => {
          failsOn(pod);
          return { name: pod.metadata.name, other: all.get(one(pod.spec.values ?? []) ?? '') };
        }),
    }),
  );
});

describe('groupJoin', () => {
  const inputs = {
    nodes: randomInput(randomNode, {
      indexers: { status: byStatus, values: (node) => (node.metadata.labels?.['zone'] === 'east' ? ['x', 'y'] : []) },
    }),
    pods: randomInput(randomPod, { indexers: { node: byNode, values: ({ spec }) => spec.values } }),
  };
  const groupOf = (node: Pod, pods: readonly Pod[]) => {
    failsOn(node, ...pods);
    if (pods.length === 2) return undefined;
    return { node: node.metadata.name, zone: node.metadata.labels?.['zone'], pods };
  };
  const inOrder = (
    pods: { keys(): readonly string[]; get(key: string): Pod | undefined },
    belongs: (pod: Pod) => boolean | undefined,
  ): readonly Pod[] =>
    pods
      .keys()
      .map((key) => pods.get(key) as Pod)
      .filter((pod) => unlessItFails(() => belongs(pod)));

  describeOracle('groupJoin by an index', inputs, ({ inputs: { pods, nodes: all }, options }) => ({
    collection: derived.groupJoin(all, pods, { on: 'node', select: groupOf }, options),
    expected: () => joined(all, (node) => groupOf(node, pods.byIndex('node', node.metadata.name))),
  }));

  describeOracle('groupJoin by a function', inputs, ({ inputs: { pods, nodes: all }, options }) => ({
    collection: derived.groupJoin(all, pods, { on: onNode, select: groupOf }, options),
    expected: () =>
      joined(all, (node) =>
        groupOf(
          node,
          inOrder(pods, (pod) => onNode(pod) === node.metadata.name),
        ),
      ),
  }));

  const toNumbers = (pod: Pod): readonly string[] => {
    failsOn(pod);
    return pod.spec.values?.map((value) => (value === 'v' ? 'r1' : 'r2')) ?? [];
  };
  describeOracle('groupJoin of several to several', inputs, ({ inputs: { pods, nodes: all }, options }) => ({
    collection: derived.groupJoin(all, pods, { on: toNumbers, to: 'status', select: groupOf }, options),
    expected: () =>
      joined(all, (node) =>
        groupOf(
          node,
          inOrder(pods, (pod) => toNumbers(pod).includes(byStatus(node) ?? 'none')),
        ),
      ),
  }));
});

describe('groupJoin: identity', () => {
  const podOf = (name: string, version: number): Pod =>
    aPod({ name, version, node: 'n1', labels: { app: 'x' }, values: ['v'] });

  it('J3: a row contains the same objects as its inputs, and the array of its group', () => {
    const nodesByName = createIndexer<Pod>(metaNamespaceKey, {});
    const pods = createIndexer<Pod, 'node'>(metaNamespaceKey, { node: byNode });
    nodesByName.replace([aPod({ name: 'n1' })]);
    pods.replace([podOf('b', 1), podOf('d', 1)]);
    const groups = derived.groupJoin(nodesByName, pods, {
      on: 'node',
      select: (node, group) => ({ node, group, all: [...group] }),
    });
    groups.connect();
    const check = (): void => {
      const row = groups.get('n1');
      expect(row?.node).toBe(nodesByName.get('n1'));
      expect(row?.group).toBe(pods.byIndex('node', 'n1'));
      row?.all.forEach((pod) => {
        expect(pod).toBe(pods.get(pod.metadata.name));
      });
    };
    check();
    pods.add(podOf('c', 2));
    check();
    pods.add(podOf('a', 3));
    check();
    pods.delete(podOf('b', 1));
    check();
    nodesByName.replace([aPod({ name: 'n1', uid: 'another' })]);
    check();
    groups.stop();
  });
});

describe('joins: cost', () => {
  it('J5: computes only what a change affects, regardless of the number of objects', () => {
    const counts = ['leftJoin by index', 'leftJoin by function', 'groupJoin by index', 'groupJoin by function'];
    const costs = expectSameWork((size, { counted, options }) => {
      const kept = { freeze: false } as const;
      const pods = createIndexer<Pod, 'node'>(metaNamespaceKey, { node: byNode }, kept);
      const all = createIndexer<Pod>(metaNamespaceKey, {}, kept);
      pods.replace(Array.from({ length: size }, (_, n) => aPod({ name: `pod-${n}`, node: `node-${n >> 3}` })));
      all.replace(Array.from({ length: size >> 3 }, (_, n) => aPod({ name: `node-${n}` })));
      for (const [how, on] of [
        ['index', 'node'],
        ['function', byNode],
      ] as const) {
        const zone = counted(`leftJoin by ${how}`, (_: Pod, node: Pod | undefined) => ({ node: node?.metadata.name }));
        const load = counted(`groupJoin by ${how}`, (_: Pod, group: readonly Pod[]) => ({ size: group.length }));
        derived.leftJoin(pods, all, { on, select: zone }, options).connect();
        derived.groupJoin(all, pods, { on, select: load }, options).connect();
      }
      return () => {
        pods.update(aPod({ name: 'pod-7', node: 'node-0', labels: { app: 'x' } }));
        pods.update(aPod({ name: 'pod-7', node: 'node-1' }));
        all.update(aPod({ name: 'node-1', labels: { app: 'x' } }));
      };
    });
    // A row for each of the pods' changes, and nine for the node; a group, two groups, and a group.
    expect(counts.map((name) => costs[name])).toEqual([11, 11, 4, 4]);
  });

  it('J8: a node label that changes 10,000 rows is one commit, and does not block the event loop', () => {
    const clock = virtualClock();
    // On this clock each row takes a tenth of a millisecond.
    let rows = 0;
    const scheduler = Object.create(clock, { now: { value: () => clock.now() + rows / 10 } }) as typeof clock;
    const pods = createIndexer<Pod, 'node'>(metaNamespaceKey, { node: byNode }, { scheduler });
    const all = createIndexer<Pod>(metaNamespaceKey, {}, { scheduler });
    const select = (_: Pod, node: Pod | undefined): { readonly zone: string | undefined } => {
      rows++;
      return { zone: node?.metadata.labels?.['zone'] };
    };
    const zones = derived.leftJoin(pods, all, { on: 'node', select }, { linger: 0, scheduler });
    const sets: number[] = [];
    zones.changes$.subscribe(({ changes: set }) => sets.push(set.length));
    all.replace([aPod({ name: 'n1' })]);
    pods.replace(Array.from({ length: 10_000 }, (_, n) => aPod({ name: `pod-${n}`, node: 'n1' })));
    for (let slices = 0; sets.length < 1 && slices < 100; slices++) clock.advance(1);
    rows = 0;
    all.update(aPod({ name: 'n1', labels: { zone: 'east' } }));
    expect([rows, zones.get('pod-0')]).toEqual([512, { zone: undefined }]);
    for (let slices = 0; sets.length < 2 && slices < 100; slices++) clock.advance(1);
    expect([sets, zones.get('pod-0')]).toEqual([[10_000, 10_000], { zone: 'east' }]);
    zones.stop();
  });
});

describe('joins: errors are reported and affect only their rows (J6)', () => {
  const errorsOf = (collection: { readonly errors$: Observable<InformerError> }) => {
    const errors: unknown[] = [];
    collection.errors$.subscribe((error) => {
      if (error.code === 'RXI_DERIVED_ROW') errors.push([error.handler, ...error.keys]);
    });
    return errors;
  };

  it('J6: names the objects that share a value of a unique index, until only one has it', () => {
    const pods = createIndexer<Pod>(metaNamespaceKey, {});
    const all = createIndexer<Pod, 'status'>(metaNamespaceKey, { status: byStatus });
    const rows = derived.leftJoin(
      pods,
      all,
      { on: byNode, to: 'status', select: (_, node) => node?.metadata.name ?? 'none' },
      quiet,
    );
    const errors = errorsOf(rows);
    rows.connect();
    pods.replace([aPod({ name: 'a', node: 'r1' }), aPod({ name: 'b', node: 'r2' })]);
    all.replace([
      aPod({ name: 'n1', status: 'r1' }),
      aPod({ name: 'n2', status: 'r1' }),
      aPod({ name: 'n3', status: 'r2' }),
    ]);
    expect(errors).toEqual([['to', 'a', 'n1', 'n2']]);
    expect([rows.get('a'), rows.get('b')]).toEqual([undefined, 'n3']);
    all.delete(aPod({ name: 'n2' }));
    expect([rows.get('a'), rows.get('b')]).toEqual(['n1', 'n3']);
    expect(errors).toHaveLength(1);
    rows.stop();
  });

  it('J6: names the keys of both sides if select throws, and calls it again when either side changes', () => {
    const pods = createIndexer<Pod, 'node'>(metaNamespaceKey, { node: byNode });
    const all = createIndexer<Pod>(metaNamespaceKey, {});
    const zones = derived.leftJoin(pods, all, { on: 'node', select: zoneOf }, quiet);
    const loads = derived.groupJoin(
      all,
      pods,
      {
        on: 'node',
        select: (node, group) => {
          failsOn(node, ...group);
          return group.length;
        },
      },
      quiet,
    );
    const errors = [errorsOf(zones), errorsOf(loads)];
    zones.connect();
    loads.connect();
    pods.replace([aPod({ name: 'a', node: 'n1' }), aPod({ name: 'b', node: 'n1' })]);
    all.replace([aPod({ name: 'n1', status: 'fails' })]);
    expect(errors).toEqual([
      [
        ['select', 'a', 'n1'],
        ['select', 'b', 'n1'],
      ],
      [['select', 'n1', 'a', 'b']],
    ]);
    expect([zones.keys(), loads.keys()]).toEqual([[], []]);
    all.update(aPod({ name: 'n1' }));
    expect([zones.keys(), loads.get('n1')]).toEqual([['a', 'b'], 2]);
    pods.update(aPod({ name: 'a', node: 'n1', status: 'fails' }));
    expect([zones.keys(), loads.get('n1')]).toEqual([['b'], undefined]);
    pods.update(aPod({ name: 'a', node: 'n2' }));
    expect([zones.keys(), loads.get('n1')]).toEqual([['a', 'b'], 1]);
    zones.stop();
    loads.stop();
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['a number', 7],
    ['two keys', ['n1', 'n2']],
    ['an array of other values', [{}]],
  ])('J6: an object for which on returns %s has no row', (_, nonsense) => {
    const pods = createIndexer<Pod>(metaNamespaceKey, {});
    const all = createIndexer<Pod>(metaNamespaceKey, {});
    const on = (pod: Pod) => (pod.metadata.name === 'a' ? nonsense : 'n1') as string;
    const rows = derived.leftJoin(pods, all, { on, select: (pod) => pod.metadata.name }, quiet);
    const errors = errorsOf(rows);
    rows.connect();
    all.replace([aPod({ name: 'n1' })]);
    pods.replace([aPod({ name: 'a' }), aPod({ name: 'b' })]);
    expect([rows.keys(), errors]).toEqual([['b'], [['on', 'a']]]);
    all.update(aPod({ name: 'n1', version: 2 }));
    pods.delete(aPod({ name: 'a' }));
    expect([rows.keys(), errors]).toEqual([['b'], [['on', 'a']]]);
    rows.stop();
  });

  it('throws at once for an index that does not exist', () => {
    const pods = createIndexer<Pod, 'node'>(metaNamespaceKey, { node: byNode });
    const wrong = 'phase' as 'node';
    const select = (): undefined => undefined;
    expect(() => derived.leftJoin(pods, pods, { on: wrong, select })).toThrow(errorWith('RXI_UNKNOWN_INDEX'));
    expect(() => derived.leftJoin(pods, pods, { on: byNode, to: wrong, select })).toThrow(
      errorWith('RXI_UNKNOWN_INDEX'),
    );
    expect(() => derived.groupJoin(pods, pods, { on: wrong, select })).toThrow(errorWith('RXI_UNKNOWN_INDEX'));
    expect(() => derived.groupJoin(pods, pods, { on: byNode, to: wrong, select })).toThrow(
      errorWith('RXI_UNKNOWN_INDEX'),
    );
  });
});

describe('joins: life cycle', () => {
  it('J7: unsubscribes from both inputs with the last subscriber', () => {
    const pods = createIndexer<Pod, 'node'>(metaNamespaceKey, { node: byNode });
    const all = createIndexer<Pod>(metaNamespaceKey, {});
    pods.replace([aPod({ name: 'a', node: 'n1' })]);
    all.replace([aPod({ name: 'n1' })]);
    const joins: readonly derived.DerivedCollection<unknown>[] = [
      derived.leftJoin(pods, all, { on: 'node', select: zoneOf }, quiet),
      derived.groupJoin(all, pods, { on: byNode, select: (_, group) => group.length }, quiet),
    ];
    const subscriptions = joins.map(({ changes$ }) => changes$.subscribe());
    expect([pods, all].map((input) => internalsOf(input).log.dependents.size)).toEqual([2, 2]);
    for (const subscription of subscriptions) subscription.unsubscribe();
    expect([pods, all].map((input) => internalsOf(input).log.dependents.size)).toEqual([0, 0]);
    expect(joins.map(({ isRunning, snapshot }) => [isRunning, snapshot.size])).toEqual([
      [false, 0],
      [false, 0],
    ]);
  });

  it('J2: joins an owner with its objects by its uid', () => {
    const owners = createIndexer<Pod, 'uid'>(metaNamespaceKey, { uid: ({ metadata }) => metadata.uid });
    const pods = createIndexer<Pod>(metaNamespaceKey, {});
    owners.replace([aPod({ name: 'web', uid: 'u1' }), aPod({ name: 'api', uid: 'u2' })]);
    pods.replace([aPod({ name: 'web-1', labels: { owner: 'u1' } }), aPod({ name: 'web-2', labels: { owner: 'u1' } })]);
    const owned = derived.groupJoin(owners, pods, {
      on: ({ metadata }) => metadata.labels?.['owner'],
      to: 'uid',
      select: (_, group) => group.map(({ metadata }) => metadata.name),
    });
    owned.connect();
    expect(owned.list()).toEqual([[], ['web-1', 'web-2']]);
    owned.stop();
  });
});

describeCollectionConformance(
  () => {
    const nodesByName = createIndexer<Pod>(metaNamespaceKey, {});
    nodesByName.replace([]);
    const pods = createIndexer<Pod, 'node'>(metaNamespaceKey, { node: byNode });
    const collection = derived.leftJoin(
      pods,
      nodesByName,
      { on: 'node', select: (pod) => pod },
      { ...quiet, indexers: { node: byNode } },
    );
    return fedBy(pods, collection);
  },
  { name: 'leftJoin' },
);
describeCollectionConformance(
  () => {
    const left = createIndexer<Pod>(metaNamespaceKey, {});
    const right = createIndexer<Pod>(metaNamespaceKey, {});
    right.replace([]);
    const collection = derived.groupJoin(
      left,
      right,
      { on: byNode, select: (pod) => pod },
      { ...quiet, indexers: { node: byNode } },
    );
    return fedBy(left, collection);
  },
  { name: 'groupJoin' },
);

describe('leftJoin over an index of the right collection', () => {
  const settings = { linger: 0, onUnobservedError: () => undefined };
  interface Named {
    readonly name: string;
    readonly zone: string;
  }

  it('joins a left object that matches nothing with no object, not with the one under the empty key', () => {
    const machines = createIndexer<Named>(({ name }) => name, {}, settings);
    machines.add({ name: 'n1', zone: '' });
    machines.add({ name: 'n2', zone: 'east' });
    // An empty label value is legal, so a group may have the empty key.
    const zones = derived.groupBy(
      machines,
      ({ zone }) => zone,
      { machines: derived.count<Named>() },
      { ...settings, indexers: { zone: ({ group }) => group } },
    );
    const claims = createIndexer<Named>(({ name }) => name, {}, settings);
    claims.add({ name: 'c1', zone: 'east' });
    claims.add({ name: 'c2', zone: 'nowhere' });
    const joined = derived.leftJoin(
      claims,
      zones,
      {
        on: ({ zone }) => zone,
        to: 'zone',
        select: ({ name }, zone) => `${name} in ${zone === undefined ? 'no zone' : zone.group}`,
      },
      settings,
    );
    joined.connect();
    expect(joined.list()).toEqual(['c1 in east', 'c2 in no zone']);
  });

  it('counts a value that an index returns twice once, as for two containers of one image', () => {
    const indexers = { image: ({ zone }: Named): readonly string[] => [zone, zone] };
    const pods = createIndexer<Named, 'image'>(({ name }) => name, indexers, settings);
    const images = createIndexer<Named>(({ name }) => name, {}, settings);
    pods.add({ name: 'p', zone: 'nginx' });
    images.add({ name: 'nginx', zone: '' });
    const errors: string[] = [];
    const joined = derived.leftJoin(
      pods,
      images,
      { on: 'image', select: (pod, image) => `${pod.name} runs ${image?.name ?? 'nothing'}` },
      settings,
    );
    joined.errors$.subscribe(({ message }) => errors.push(message));
    joined.connect();
    expect(joined.list()).toEqual(['p runs nginx']);
    expect(errors).toEqual([]);
  });
});
