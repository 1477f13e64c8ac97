import type { Collection } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import type { Followed } from '../contestants/tanstack-db.js';
import { keyOf, workloads, workloadUpdates, type Workloads, type WorkloadPod } from '../fixtures/workloads.js';
import { operationTimes, percentile } from '../measure/times.js';
import type { Figures, Scale, Scenario, Target } from '../model/scenario.js';

const PODS: Readonly<Record<Scale, number>> = { full: 100_000, quick: 1000 };
const UPDATES: Readonly<Record<Scale, { readonly warmUp: number; readonly operations: number }>> = {
  full: { warmUp: 1000, operations: 3000 },
  quick: { warmUp: 50, operations: 100 },
};
const NEWEST = 100;

/** Rows that follow the pods. `onChange` is called for each update. */
interface Rows {
  readonly update: (pod: WorkloadPod) => void;
  /** Resolves when all rows are there. */
  readonly follow: (onChange: () => void) => Promise<unknown>;
}

type CreateRows = (pods: number) => Promise<Rows> | Rows;

const restartsOf = (pod: WorkloadPod): number => pod.status.containerStatuses[0]?.restartCount ?? 0;
const isReady = (pod: WorkloadPod): boolean => pod.status.containerStatuses[0]?.ready === true;
const ownerOf = ({ metadata }: { readonly metadata: object }): string =>
  (metadata as Partial<WorkloadPod['metadata']>).ownerReferences?.[0]?.name ?? '';

/** The rows of an operator of this library. */
function operator(make: (input: Workloads) => Collection<unknown>): CreateRows {
  return (count) => {
    const input = workloads(count);
    input.fill();
    const rows = make(input);
    return {
      update: (pod) => input.pods.update(pod),
      follow: async (onChange) => {
        rows.changes$.subscribe(onChange);
        await rows.whenSynced();
      },
    };
  };
}

/** Rows in a Map, kept up to date by the code that `start` returns. */
function byHand(
  start: (pods: Map<string, WorkloadPod>, input: Workloads) => (pod: WorkloadPod, before: WorkloadPod) => void,
): CreateRows {
  return (count) => {
    const input = workloads(count);
    input.fill();
    const pods = new Map(input.pods.list().map((pod) => [keyOf(pod), pod]));
    const change = start(pods, input);
    let changed: () => void = () => undefined;
    return {
      update: (pod) => {
        const key = keyOf(pod);
        const before = pods.get(key) as WorkloadPod;
        pods.set(key, pod);
        change(pod, before);
        changed();
      },
      follow: (onChange) => {
        changed = onChange;
        return Promise.resolve();
      },
    };
  };
}

function tanstack(open: () => Promise<Followed>): CreateRows {
  return async (count) => {
    const { pods, fill } = workloads(count);
    fill();
    const { fill: insert, ...rows } = await open();
    insert(pods.list());
    return rows;
  };
}

const contestants = {
  'leftJoin: rx-informers': operator(({ pods, nodes }) =>
    derived.leftJoin(pods, nodes, {
      on: 'node',
      select: (pod, node) => ({
        restarts: restartsOf(pod),
        zone: node?.metadata.labels['topology.kubernetes.io/zone'],
      }),
    }),
  ),
  'leftJoin: Map': byHand((pods, { nodes }) => {
    const rowOf = (pod: WorkloadPod) => ({
      restarts: restartsOf(pod),
      zone: nodes.get(pod.spec.nodeName)?.metadata.labels['topology.kubernetes.io/zone'],
    });
    const rows = new Map([...pods].map(([key, pod]) => [key, rowOf(pod)]));
    return (pod) => void rows.set(keyOf(pod), rowOf(pod));
  }),
  'groupBy: rx-informers': operator(({ pods }) =>
    derived.groupBy(pods, 'node', {
      pods: derived.count(),
      restarts: derived.sum(restartsOf),
      least: derived.min(restartsOf),
      most: derived.max(restartsOf),
    }),
  ),
  'groupBy: TanStack DB': tanstack(async () => (await import('../contestants/tanstack-db.js')).tanstackGroups()),
  'groupBy: Map': byHand((pods) => {
    const groups = new Map<string, Map<string, number>>();
    const rows = new Map<string, unknown>();
    const count = (node: string, group: Map<string, number>): void => {
      const restarts = [...group.values()];
      rows.set(node, {
        pods: group.size,
        restarts: restarts.reduce((total, each) => total + each, 0),
        least: Math.min(...restarts),
        most: Math.max(...restarts),
      });
    };
    for (const [key, pod] of pods) {
      const group = groups.get(pod.spec.nodeName) ?? new Map<string, number>();
      groups.set(pod.spec.nodeName, group.set(key, restartsOf(pod)));
    }
    for (const [node, group] of groups) count(node, group);
    return (pod) => {
      const group = groups.get(pod.spec.nodeName) as Map<string, number>;
      count(pod.spec.nodeName, group.set(keyOf(pod), restartsOf(pod)));
    };
  }),
  'rollUp: rx-informers': operator(({ pods, replicaSets, deployments }) =>
    derived.rollUp(derived.ownerTree({ deployments, replicaSets, pods }), {
      pods: derived.count((node) => node.from === 'pods'),
      ready: derived.count((node) => node.from === 'pods' && isReady(node.object)),
    }),
  ),
  'rollUp: Map': byHand((pods, { replicaSets }) => {
    const parents = new Map(
      replicaSets.list().map((set) => [`ReplicaSet-${set.metadata.uid.slice(11)}`, ownerOf(set)]),
    );
    const rows = new Map<string, { readonly pods: number; readonly ready: number }>();
    const add = (name: string, podCount: number, readyCount: number): void => {
      const { pods: total, ready } = rows.get(name) ?? { pods: 0, ready: 0 };
      rows.set(name, { pods: total + podCount, ready: ready + readyCount });
    };
    const addUp = (pod: WorkloadPod, podCount: number, readyCount: number): void => {
      add(keyOf(pod), podCount, readyCount);
      add(ownerOf(pod), podCount, readyCount);
      add(parents.get(ownerOf(pod)) ?? '', podCount, readyCount);
    };
    for (const pod of pods.values()) addUp(pod, 1, Number(isReady(pod)));
    return (pod, before) => addUp(pod, 0, Number(isReady(pod)) - Number(isReady(before)));
  }),
  'limit: rx-informers': operator(({ pods }) =>
    derived.limit(pods, { by: (pod) => pod.metadata.resourceVersion, count: NEWEST }),
  ),
  'limit: TanStack DB': tanstack(async () => (await import('../contestants/tanstack-db.js')).tanstackNewest(NEWEST)),
} as const satisfies Readonly<Record<string, CreateRows>>;

type Name = keyof typeof contestants;

const comparedWith = (contestant: Name, reference: Name, factor: number): Target => ({
  figure: { contestant, metric: 'update' },
  is: 'at most',
  factor,
  reference: { contestant: reference, metric: 'update' },
});

export const derivedPeers: Scenario = {
  name: 'derived-peers',
  title: 'Derived collections beside TanStack DB and a Map',
  description: [
    'One pod of 100,000 after the other is replaced by a version with more restarts and another readiness. `groupBy`',
    'counts the pods of each node, and their restarts: the sum, the least and the most. `limit` keeps the 100 newest',
    'pods, and each update is the newest. The Map is what a program writes for this one question: it has no keys to',
    'watch, no versions, no queries, and changes its rows in place. Each contestant makes 1,000 updates before the',
    'first one that counts, and one subscriber must receive each update. The time of an update includes that of the',
    'input.',
  ].join(' '),
  contestants: Object.keys(contestants),
  metrics: { update: { title: 'one update among 100,000 pods', unit: 'µs', better: 'lower' } },
  targets: [
    comparedWith('leftJoin: rx-informers', 'leftJoin: Map', 16),
    // A sixth.
    comparedWith('groupBy: rx-informers', 'groupBy: TanStack DB', 0.167),
    comparedWith('groupBy: rx-informers', 'groupBy: Map', 14),
    comparedWith('rollUp: rx-informers', 'rollUp: Map', 16),
    // A seventh.
    comparedWith('limit: rx-informers', 'limit: TanStack DB', 0.143),
  ],
  rounds: 3,
  run: (name, { scale }) => run(contestants[name as Name], scale),
};

async function run(create: CreateRows, scale: Scale): Promise<Figures> {
  const pods = PODS[scale];
  const { update, follow } = await create(pods);
  let notified = 0;
  await follow(() => notified++);
  notified = 0;
  const { warmUp, operations } = UPDATES[scale];
  const next = workloadUpdates(pods);
  let version = 2_000_000;
  const newest = (): WorkloadPod => {
    const pod = next();
    return { ...pod, metadata: { ...pod.metadata, resourceVersion: String(++version) } };
  };
  const times = operationTimes(newest, update, { warmUp, operations });
  if (notified !== warmUp + operations) {
    throw new Error(`${warmUp + operations} updates were made, ${notified} were heard`);
  }
  return { update: percentile(times, 0.5) };
}
