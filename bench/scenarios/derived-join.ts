import { createIndexer } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import type { Delta } from 'rx-informers/store';
import { combineLatest, map } from 'rxjs';
import { keyOf, workloads, workloadUpdates, type WorkloadNode, type WorkloadPod } from '../fixtures/workloads.js';
import { settledHeap } from '../measure/memory.js';
import { operationTimes, percentile, startStopwatch } from '../measure/times.js';
import type { Figures, Metric, Scale, Scenario } from '../model/scenario.js';

const SIZES: Readonly<Record<Scale, readonly (readonly [metric: string, pods: number])[]>> = {
  full: [
    ['10k', 10_000],
    ['100k', 100_000],
  ],
  quick: [['10k', 1000]],
};

/** The size of a first run whose results are dropped, so that compiling is not measured. */
const WARM_UP_SIZE = 500;

/** The row of a pod and its node. */
interface Placed {
  readonly pod: string;
  readonly phase: string;
  readonly version: string;
  readonly node: string | undefined;
}

const place = (pod: WorkloadPod, node: WorkloadNode | undefined): Placed => ({
  pod: pod.metadata.name,
  phase: pod.status.phase,
  version: pod.metadata.resourceVersion,
  node: node?.metadata.name,
});

/** A contestant that joins pods to their nodes. */
interface Join {
  readonly fill: () => void;
  readonly update: (pod: WorkloadPod) => void;
  /**
   * Begins to follow the rows. Resolves with the number of rows when they are complete. Calls
   * `onChange` for each change.
   */
  readonly join: (onChange: () => void) => Promise<number>;
}

interface Contestant {
  readonly create: (pods: number) => Promise<Join> | Join;
  /**
   * The number of measured updates. It is smaller if an update takes many milliseconds. A quick run
   * measures a fifth of them.
   */
  readonly operations: number;
}

const WARM_UP = 500;
const OURS = 'rx-informers, leftJoin';
const BY_HAND = 'rx-informers, by hand';
const TANSTACK = 'TanStack DB';

const contestants: Readonly<Record<string, Contestant>> = {
  [OURS]: { create: leftJoined, operations: 3000 },
  [BY_HAND]: { create: joinedByHand, operations: 3000 },
  [TANSTACK]: {
    create: async (pods) => {
      const { pods: podIndexer, nodes, fill } = workloads(pods);
      fill();
      const { tanstackJoin } = await import('../contestants/tanstack-db.js');
      const { join, ...rest } = tanstackJoin();
      const objects = [podIndexer.list(), nodes.list()] as const;
      return { ...rest, fill: () => rest.fill(...objects), join: async (onChange) => (await join(onChange)).size };
    },
    operations: 1500,
  },
  'combineLatest + map': { create: recomputed, operations: 100 },
};

export const derivedJoin: Scenario = {
  name: 'derived-join',
  title: 'Pods with their nodes, while pods change',
  description: [
    'Each pod is joined to its node, with 100 pods on each node. One pod after the other is replaced by a version',
    'that changes its row. TanStack DB receives its data in its own way, and has B-tree indexes on the fields that it',
    'looks up. The contestant by hand is the floor: two of our indexers, a third one for the rows, and twelve lines',
    'that keep it up to date. The last contestant is the usual code with RxJS alone: for every change, it joins the',
    'two lists again. Each contestant makes 500 updates before the first one that counts, and one subscriber of the',
    'rows must receive each update. The time of an update includes that of the input.',
  ].join(' '),
  contestants: Object.keys(contestants),
  metrics: {
    '10k': updateMetric('10,000'),
    '100k': updateMetric('100,000'),
    p90: { title: 'one update among 100,000 pods: 90th percentile', unit: 'µs', better: 'lower' },
    first: { title: 'the first rows of 100,000 pods', unit: 'ms', better: 'lower' },
    heap: { title: 'heap per row', unit: 'bytes', better: 'lower' },
  },
  targets: [
    { figure: { contestant: OURS, metric: '100k' }, is: 'at most', factor: 60 },
    {
      figure: { contestant: OURS, metric: '100k' },
      is: 'at most',
      // A fifteenth.
      factor: 0.0667,
      reference: { contestant: TANSTACK, metric: '100k' },
    },
    {
      figure: { contestant: OURS, metric: '10k' },
      is: 'at most',
      factor: 0.2,
      reference: { contestant: TANSTACK, metric: '10k' },
    },
  ],
  rounds: 3,
  run: (name, { scale }) => run(contestants[name] as Contestant, scale),
};

function updateMetric(pods: string): Metric {
  return { title: `one update among ${pods} pods`, unit: 'µs', better: 'lower' };
}

async function run(contestant: Contestant, scale: Scale): Promise<Figures> {
  const operations = scale === 'full' ? contestant.operations : contestant.operations / 5;
  await measure(contestant.create, WARM_UP_SIZE, operations);
  let figures: Figures = {};
  for (const [metric, pods] of SIZES[scale]) {
    const { update, ...others } = await measure(contestant.create, pods, operations);
    figures = { ...figures, ...others, [metric]: update };
  }
  return figures;
}

async function measure(create: Contestant['create'], pods: number, operations: number) {
  const { fill, update, join } = await create(pods);
  fill();
  const before = await settledHeap();
  let notified = 0;
  const stopwatch = startStopwatch();
  const rows = await join(() => notified++);
  const first = stopwatch().processor;
  const heap = ((await settledHeap()) - before) / rows;
  if (rows !== pods) throw new Error(`${pods} pods have ${rows} rows`);

  notified = 0;
  // A contestant that recomputes all rows has few operations, so its warm-up is short. A longer one
  // would change nothing, because each update runs the same loops.
  const warmUp = Math.min(WARM_UP, operations);
  const times = operationTimes(workloadUpdates(pods), update, { warmUp, operations });
  if (notified !== warmUp + operations)
    throw new Error(`${warmUp + operations} updates were made, ${notified} were heard`);
  return { update: percentile(times, 0.5), p90: percentile(times, 0.9), first, heap };
}

function leftJoined(count: number): Join {
  const { pods, nodes, fill } = workloads(count);
  return {
    fill,
    update: (pod) => pods.update(pod),
    join: async (onChange) => {
      const rows = derived.leftJoin(pods, nodes, { on: 'node', select: place });
      rows.changes$.subscribe(onChange);
      await rows.whenSynced();
      return rows.keys().length;
    },
  };
}

function joinedByHand(count: number): Join {
  const { pods, nodes, fill } = workloads(count);
  return {
    fill,
    update: (pod) => pods.update(pod),
    join: (onChange) => {
      const rows = createIndexer((row: Placed) => row.pod);
      const rowOf = (key: string, pod: WorkloadPod): Delta<Placed> => ({
        type: 'Updated',
        key,
        object: place(pod, nodes.get(pod.spec.nodeName)),
      });
      pods.changes$.subscribe(({ changes }) =>
        rows.apply(
          changes.map(({ type, key, object }) =>
            type === 'deleted'
              ? { type: 'Deleted', key, object: undefined, finalStateUnknown: true }
              : rowOf(key, object),
          ),
        ),
      );
      nodes.changes$.subscribe(({ changes }) =>
        changes.forEach(({ key }) => rows.apply(pods.byIndex('node', key).map((pod) => rowOf(keyOf(pod), pod)))),
      );
      rows.changes$.subscribe(onChange);
      return Promise.resolve(rows.keys().length);
    },
  };
}

function recomputed(count: number): Join {
  const { pods, nodes, fill } = workloads(count);
  return {
    fill,
    update: (pod) => pods.update(pod),
    join: (onChange) => {
      let rows: readonly Placed[] = [];
      combineLatest([pods.list$(), nodes.list$()])
        .pipe(
          map(([allPods, allNodes]) => {
            const byName = new Map(allNodes.map((node) => [node.metadata.name, node]));
            return allPods.map((pod) => place(pod, byName.get(pod.spec.nodeName)));
          }),
        )
        .subscribe((current) => {
          rows = current;
          onChange();
        });
      return Promise.resolve(rows.length);
    },
  };
}
