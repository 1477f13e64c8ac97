import { combineLatest, map } from 'rxjs';
import { createIndexer, type Delta } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { keyOf, workloads, workloadUpdates, type WorkloadNode, type WorkloadPod } from '../fixtures/workloads.js';
import { heapInUse } from '../measure/heap.js';
import { operationTimes } from '../measure/operation-times.js';
import { percentile } from '../measure/percentile.js';
import { startStopwatch } from '../measure/stopwatch.js';
import type { Figures, Metric, Scale, Scenario } from '../scenario.js';

const SIZES: Readonly<Record<Scale, readonly (readonly [metric: string, pods: number])[]>> = {
  full: [
    ['10k', 10_000],
    ['100k', 100_000],
  ],
  quick: [['10k', 1000]],
};

/** Run first and thrown away, so that no figure is that of the compiler. */
const WARM_UP_SIZE = 500;

/** What is made of a pod and its node. */
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

/** Pods joined to their nodes. */
interface Join {
  readonly fill: () => void;
  readonly update: (pod: WorkloadPod) => void;
  /** Begins to follow the rows; resolves with how many there are when they are complete. `heard` is called for each change. */
  readonly join: (heard: () => void) => Promise<number>;
}

interface Contestant {
  readonly create: (pods: number) => Promise<Join> | Join;
  /** How many updates count, fewer where one takes many milliseconds; a fifth of them when it is quick. */
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
      return { ...rest, fill: () => rest.fill(...objects), join: async (heard) => (await join(heard)).size };
    },
    operations: 1500,
  },
  'combineLatest + map': { create: recomputed, operations: 100 },
};

export const derivedJoin: Scenario = {
  name: 'derived-join',
  title: 'Pods with their nodes, while pods change',
  description: [
    'Each pod is joined to its node, 100 pods a node, and one pod after the other is replaced by a version that changes its row. TanStack DB',
    'is fed in its own way, with B-tree indexes on what it looks for. By hand means two of our indexers, a third one for the rows, and',
    'twelve lines that keep it up to date: it is the floor. The last one is what is written with RxJS alone: the lists of both, joined',
    'again for every change. Each contestant does 500 updates before the first that counts, and each update must be heard by one',
    'subscriber of the rows. The input takes part in the time of an update. Quick: 1,000 pods.',
  ].join(' '),
  contestants: Object.keys(contestants),
  metrics: {
    '10k': updateMetric('10,000'),
    '100k': updateMetric('100,000'),
    p90: { title: 'one update among 100,000 pods: 90 % are not slower than', unit: 'µs', better: 'lower' },
    first: { title: 'the rows of 100,000 pods', unit: 'ms', better: 'lower' },
    heap: { title: 'heap per row', unit: 'bytes', better: 'lower' },
  },
  targets: [
    { figure: { contestant: OURS, metric: '100k' }, is: 'at most', factor: 60 },
    {
      figure: { contestant: OURS, metric: '100k' },
      is: 'at most',
      factor: 0.1,
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
  const before = heapInUse();
  let heard = 0;
  const stopwatch = startStopwatch();
  const rows = await join(() => heard++);
  const first = stopwatch().processor;
  const heap = (heapInUse() - before) / rows;
  if (rows !== pods) throw new Error(`${pods} pods have ${rows} rows`);

  heard = 0;
  // The recomputation has no state that a warm-up could warm: its loops are the same for each update.
  const warmUp = Math.min(WARM_UP, operations);
  const times = operationTimes(workloadUpdates(pods), update, { warmUp, operations });
  if (heard !== warmUp + operations) throw new Error(`${warmUp + operations} updates were made, ${heard} were heard`);
  return { update: percentile(times, 0.5), p90: percentile(times, 0.9), first, heap };
}

function leftJoined(count: number): Join {
  const { pods, nodes, fill } = workloads(count);
  return {
    fill,
    update: (pod) => pods.update(pod),
    join: async (heard) => {
      const rows = derived.leftJoin(pods, nodes, { on: 'node', select: place });
      rows.changes$.subscribe(heard);
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
    join: (heard) => {
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
      rows.changes$.subscribe(heard);
      return Promise.resolve(rows.keys().length);
    },
  };
}

function recomputed(count: number): Join {
  const { pods, nodes, fill } = workloads(count);
  return {
    fill,
    update: (pod) => pods.update(pod),
    join: (heard) => {
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
          heard();
        });
      return Promise.resolve(rows.length);
    },
  };
}
