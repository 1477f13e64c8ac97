import type { Collection } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { workloads, workloadUpdates, type Workloads } from '../fixtures/workloads.js';
import { settledHeap } from '../measure/memory.js';
import { operationTimes, percentile, startStopwatch } from '../measure/times.js';
import type { Figures, Scale, Scenario } from '../model/scenario.js';

const SIZES: Readonly<Record<Scale, readonly (readonly [metric: string, pods: number])[]>> = {
  full: [
    ['1k', 1000],
    ['1M', 1_000_000],
    // The percentile, the first rows and the heap are shown for this last size.
    ['100k', 100_000],
  ],
  quick: [['1k', 1000]],
};
const UPDATES: Readonly<Record<Scale, { readonly warmUp: number; readonly operations: number }>> = {
  full: { warmUp: 2000, operations: 10_000 },
  quick: { warmUp: 100, operations: 300 },
};

/** The size of a first run whose results are dropped, so that compiling is not measured. */
const WARM_UP_SIZE = 1000;

const NONE = 'no operator';

/**
 * Returns the rows of one operator. There are 100 pods on a node, 20 pods behind a service, 10 pods
 * in a ReplicaSet and 2 ReplicaSets in a Deployment.
 */
const contestants: Readonly<Record<string, (input: Workloads) => Collection<unknown>>> = {
  [NONE]: ({ pods }) => pods,
  filter: ({ pods }) => derived.filter(pods, (pod) => pod.status.phase === 'Running'),
  leftJoin: ({ pods, nodes }) =>
    derived.leftJoin(pods, nodes, {
      on: 'node',
      select: (pod, node) => ({
        restarts: pod.status.containerStatuses[0]?.restartCount,
        zone: node?.metadata.labels['topology.kubernetes.io/zone'],
      }),
    }),
  selectorJoin: ({ pods, services }) =>
    derived.selectorJoin(services, pods, { selector: derived.serviceSelector, within: 'namespace' }),
  'groupBy, six aggregates': ({ pods }) =>
    derived.groupBy(pods, 'node', {
      pods: derived.count(),
      cpu: derived.sum((pod) => pod.spec.containers[0]?.resources.requests.cpu),
      restarts: derived.sum((pod) => pod.status.containerStatuses[0]?.restartCount),
      phases: derived.tally((pod) => pod.status.phase),
      oldest: derived.min((pod) => pod.status.startTime),
      newest: derived.topK(3, (pod) => pod.status.startTime),
    }),
  'rollUp, depth 3': ({ pods, replicaSets, deployments }) =>
    derived.rollUp(derived.ownerTree({ deployments, replicaSets, pods }), {
      pods: derived.count((node) => node.from === 'pods'),
      ready: derived.count((node) => node.from === 'pods' && node.object.status.containerStatuses[0]?.ready === true),
    }),
  'derive, two reads': ({ pods, nodes, services }) =>
    derived.derive(pods, { nodes, services }, (pod, read) => ({
      restarts: pod.status.containerStatuses[0]?.restartCount,
      zone: read.nodes.get(pod.spec.nodeName)?.metadata.labels['topology.kubernetes.io/zone'],
      selector: read.services.get(`${pod.metadata.namespace}/${pod.metadata.labels.app}`)?.spec.selector,
    })),
};

/**
 * The limits: microseconds for one update among 100,000 pods, the first rows as a multiple of
 * filling the inputs, and bytes for each row. A row of `groupBy` is that of 100 pods, which its
 * aggregates keep in order: 60 bytes for each.
 */
const LIMITS: Readonly<Record<string, { readonly update: number; readonly first: number; readonly heap: number }>> = {
  leftJoin: { update: 60, first: 1.5, heap: 200 },
  selectorJoin: { update: 80, first: 1.2, heap: 200 },
  'groupBy, six aggregates': { update: 40, first: 1.1, heap: 6000 },
  'rollUp, depth 3': { update: 60, first: 3, heap: 400 },
  'derive, two reads': { update: 80, first: 1.5, heap: 200 },
};

export const derivedOperators: Scenario = {
  name: 'derived-operators',
  title: 'One update through each derived collection',
  description: [
    'One pod after the other is replaced by a version with another number of restarts and another readiness, which',
    'changes one row of every operator. One subscriber must receive each change. There is a node for 100 pods, a',
    'service for 20, a replica set for 10, and a deployment for two replica sets. The time is that of the whole',
    'update: the commit of the pods, which have an index by node, and all work that follows. `no operator` is the',
    'time of the pods alone. The time of the first rows is compared with the time of filling the indexers from which',
    'they are computed. The heap is that of the rows and of the state of the operator, divided by the number of rows.',
  ].join(' '),
  contestants: Object.keys(contestants),
  metrics: {
    '1k': { title: 'one update among 1,000 pods', unit: 'µs', better: 'lower' },
    '100k': { title: 'one update among 100,000 pods', unit: 'µs', better: 'lower' },
    p90: { title: 'one update among 100,000 pods: 90th percentile', unit: 'µs', better: 'lower' },
    '1M': { title: 'one update among 1,000,000 pods', unit: 'µs', better: 'lower' },
    first: { title: 'the first rows of 100,000 pods, as a multiple of filling the inputs', unit: '×', better: 'lower' },
    heap: { title: 'heap per row', unit: 'bytes', better: 'lower' },
  },
  targets: Object.entries(LIMITS).flatMap(([contestant, { update, first, heap }]) => [
    { figure: { contestant, metric: '100k' }, is: 'at most' as const, factor: update },
    {
      figure: { contestant, metric: '1M' },
      is: 'at most' as const,
      factor: 4,
      reference: { contestant, metric: '1k' },
    },
    { figure: { contestant, metric: 'first' }, is: 'at most' as const, factor: first },
    { figure: { contestant, metric: 'heap' }, is: 'at most' as const, factor: heap },
  ]),
  rounds: 3,
  nodeOptions: ['--max-old-space-size=12000'],
  run: (name, { scale }) => run(name, scale),
};

async function run(name: string, scale: Scale): Promise<Figures> {
  await measure(name, WARM_UP_SIZE, UPDATES[scale]);
  let figures: Figures = {};
  for (const [metric, pods] of SIZES[scale]) {
    const { update, ...others } = await measure(name, pods, UPDATES[scale]);
    figures = { ...figures, ...others, [metric]: update };
  }
  return figures;
}

async function measure(
  name: string,
  count: number,
  updates: (typeof UPDATES)[Scale],
): Promise<Figures & { readonly update: number }> {
  // Releases the objects of the previous size, so that no later figure includes their collection.
  await settledHeap();
  const input = workloads(count);
  const filling = startStopwatch();
  input.fill();
  const filled = filling().processor;
  const rows = (contestants[name] as (input: Workloads) => Collection<unknown>)(input);

  const before = await settledHeap();
  const computing = startStopwatch();
  let notified = 0;
  const subscription = rows.changes$.subscribe(() => notified++);
  await rows.whenSynced();
  const first = computing().processor / filled;
  const heap = ((await settledHeap()) - before) / rows.snapshot.size;

  notified = 0;
  const times = operationTimes(workloadUpdates(count), (pod) => input.pods.update(pod), updates);
  const sent = updates.warmUp + updates.operations;
  if (notified !== sent) throw new Error(`${sent} updates were made, ${notified} were heard`);
  subscription.unsubscribe();
  return {
    update: percentile(times, 0.5),
    p90: percentile(times, 0.9),
    ...(name === NONE ? {} : { first, heap }),
  };
}
