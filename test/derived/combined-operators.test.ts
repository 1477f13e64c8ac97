import { createIndexer, type Indexer } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { metaNamespaceKey } from 'rx-informers/store';
import { aPod, byNode, type Pod } from '../fixtures/pods.js';
import { describeOracle, randomInput, type OracleContext } from './support/oracle.js';
import { randomPod, type Random } from './support/random.js';

/*
 * Questions that have no operator of their own, because two operators answer them. The guide about
 * derived collections shows each of these programs.
 */

const pods = randomInput((random: Random) => ({ ...randomPod(random), status: 'ready' }), {
  indexers: { node: byNode },
});
const nodes = randomInput((random: Random) => aPod({ name: random.oneOf(['n1', 'n2', 'n3']) }));
type Context = OracleContext<{ readonly pods: Indexer<Pod, 'node'>; readonly nodes: Indexer<Pod> }>;
type Oracle = Parameters<typeof describeOracle<object, unknown>>[2] extends (context: never) => infer O ? O : never;

const onOf = (all: Indexer<Pod>, node: string): readonly Pod[] => all.list().filter((pod) => byNode(pod) === node);

const ofTwo: Readonly<Record<string, (context: Context) => Oracle>> = {
  'anti join: the nodes without a pod': ({ inputs, options }) => ({
    collection: derived.groupJoin(
      inputs.nodes,
      inputs.pods,
      { on: 'node', select: (node, on) => (on.length === 0 ? node : undefined) },
      options,
    ),
    expected: () => {
      const empty = inputs.nodes.list().filter(({ metadata }) => onOf(inputs.pods, metadata.name).length === 0);
      return new Map(empty.map((node) => [node.metadata.name, node]));
    },
  }),

  'except: the pods whose node does not exist': ({ inputs, options }) => ({
    collection: derived.leftJoin(
      inputs.pods,
      inputs.nodes,
      { on: 'node', select: (pod, node) => (node === undefined ? pod : undefined) },
      options,
    ),
    expected: () => {
      const lost = inputs.pods.list().filter((pod) => inputs.nodes.get(byNode(pod) ?? '') === undefined);
      return new Map(lost.map((pod) => [pod.metadata.name, pod]));
    },
  }),

  'full outer join: pods with their nodes, and the nodes without a pod': ({ inputs, options }) => {
    const placed = derived.leftJoin(
      inputs.pods,
      inputs.nodes,
      { on: 'node', select: (pod, node) => ({ pod: pod.metadata.name, node: node?.metadata.name }) },
      options,
    );
    const empty = derived.groupJoin(
      inputs.nodes,
      inputs.pods,
      {
        on: 'node',
        select: (node, on) => (on.length === 0 ? { pod: undefined, node: node.metadata.name } : undefined),
      },
      options,
    );
    return {
      collection: derived.union({ placed, empty }, options),
      expected: () => {
        const ofPods = inputs.pods.list().map((pod) => {
          const key = pod.metadata.name;
          const object = { pod: key, node: inputs.nodes.get(byNode(pod) ?? '')?.metadata.name };
          return [`placed/${key}`, { from: 'placed', key, object }] as const;
        });
        const ofNodes = inputs.nodes.list().flatMap(({ metadata: { name: key } }) => {
          if (onOf(inputs.pods, key).length > 0) return [];
          return [[`empty/${key}`, { from: 'empty', key, object: { pod: undefined, node: key } }] as const];
        });
        return new Map<string, unknown>([...ofPods, ...ofNodes]);
      },
    };
  },

  'one row per pair: each node with each of its pods': ({ inputs, options }) => {
    const groups = derived.groupJoin(
      inputs.nodes,
      inputs.pods,
      { on: 'node', select: (node, on) => ({ node, on }) },
      options,
    );
    return {
      collection: derived.flatMap(
        groups,
        ({ node, on }) => on.map((pod) => [pod.metadata.name, `${pod.metadata.name} on ${node.metadata.name}`]),
        options,
      ),
      expected: () =>
        new Map(
          inputs.nodes
            .list()
            .flatMap(({ metadata: { name: node } }) =>
              onOf(inputs.pods, node).map(({ metadata: { name } }) => [`${node}/${name}`, `${name} on ${node}`]),
            ),
        ),
    };
  },
};

const ofOne: typeof ofTwo = {
  'share within a group: each pod beside the number of pods on its node': ({ inputs, options }) => {
    const totals = derived.groupBy(inputs.pods, 'node', { pods: derived.count() }, options);
    return {
      collection: derived.leftJoin(
        inputs.pods,
        totals,
        { on: 'node', select: (pod, total) => total && { pod: pod.metadata.name, share: 1 / total.pods } },
        options,
      ),
      expected: () => {
        const placed = inputs.pods.list().filter((pod) => byNode(pod) !== undefined);
        return new Map(
          placed.map((pod) => {
            const share = 1 / onOf(inputs.pods, byNode(pod) ?? '').length;
            return [pod.metadata.name, { pod: pod.metadata.name, share }];
          }),
        );
      },
    };
  },

  'rank within a group: the two last pods of each node with their places': ({ inputs, options }) => {
    const last = derived.groupBy(inputs.pods, 'node', { pods: derived.topK(2, (pod) => pod.metadata.name) }, options);
    return {
      collection: derived.flatMap(
        last,
        ({ pods: ranked }) => ranked.map((pod, place) => [pod.metadata.name, { pod: pod.metadata.name, place }]),
        options,
      ),
      expected: () =>
        new Map(
          inputs.pods.indexValues('node').flatMap((node) =>
            [...onOf(inputs.pods, node)]
              .map(({ metadata }) => metadata.name)
              .sort()
              .reverse()
              .slice(0, 2)
              .map((pod, place) => [`${node}/${pod}`, { pod, place }]),
          ),
        ),
    };
  },

  'a key of your own: pods by uid, of which the last name wins': ({ inputs, options }) => ({
    collection: derived.distinct(inputs.pods, ({ metadata }) => metadata.uid, {
      ...options,
      orderBy: ({ metadata }) => metadata.name,
    }),
    expected: () =>
      new Map(
        inputs.pods.list().map((object) => [object.metadata.uid as string, { value: object.metadata.uid, object }]),
      ),
  }),
};

describe('questions that two operators answer', () => {
  for (const [name, make] of Object.entries(ofTwo)) describeOracle(name, { pods, nodes }, make);
  for (const [name, make] of Object.entries(ofOne)) describeOracle(name, { pods }, make as never);

  it('J1: no row of a share shows a group before or after its pod', () => {
    const all = createIndexer<Pod, 'node'>(metaNamespaceKey, { node: byNode }, { freeze: false });
    all.replace([aPod({ name: 'a', node: 'n1' })]);
    const totals = derived.groupBy(all, 'node', { pods: derived.count() });
    const shares = derived.leftJoin(all, totals, { on: 'node', select: (_, total) => 1 / (total?.pods ?? 0) });
    const sums: number[] = [];
    const following = shares.list$().subscribe((rows) => sums.push(rows.reduce((sum, share) => sum + share, 0)));
    all.add(aPod({ name: 'b', node: 'n1' }));
    all.delete('a');
    expect(sums).toEqual([1, 1, 1]);
    following.unsubscribe();
    for (const collection of [shares, totals]) collection.stop();
  });
});
