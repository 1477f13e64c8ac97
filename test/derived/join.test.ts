import { createIndexer, metaNamespaceKey } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { aPod, byNode, type Pod } from '../fixtures/pods.js';
import { describeOracle, randomInput } from './support/oracle.js';
import { failsOn, nodes, randomPod, unlessItFails, type Random } from './support/random.js';

/** What pods refer to: by its name, or by its status, which several may have in common. */
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

  it('J3: a row holds the very objects of its inputs, and the array of its group', () => {
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
