import { createIndexer } from 'rx-informers';
import { emptySnapshot, type IndexedSnapshot, reduceDeltas } from 'rx-informers/store';
import { distinctUntilChanged, map, Subject } from 'rxjs';
import type { BenchPod } from '../fixtures/pod.js';
import { retainedPods, keyOfPod, podUpdates } from '../fixtures/retained-pods.js';
import { microseconds } from '../measure/times.js';
import type { Figures, Scale, Scenario } from '../model/scenario.js';

/**
 * The sizes. Five pods of each app run on each of its ten nodes, which makes 10,000 buckets at full
 * scale.
 */
const SIZES: Readonly<Record<Scale, { readonly pods: number; readonly milliseconds: number }>> = {
  full: { pods: 50_000, milliseconds: 3000 },
  quick: { pods: 5000, milliseconds: 300 },
};

/** Indexes the pods of one app on one node. */
const indexers = { place: (pod: BenchPod) => `${pod.metadata.labels.app} on ${pod.spec.nodeName}` };

/** A store of pods with subscribers. */
interface Followed {
  readonly update: (pod: BenchPod) => void;
  /**
   * Returns the number of updates that have reached a subscriber. Updates count once all
   * subscribers have their first value.
   */
  readonly delivered: () => number;
  /** True if every update belongs to a subscription. */
  readonly followsAll: boolean;
}

const MANY = 'rx-informers, 10,000 subscriptions';
const ONE = 'rx-informers, one subscription';

const contestants: Readonly<Record<string, (pods: readonly BenchPod[]) => Followed>> = {
  [MANY]: (pods) => byIndexed(pods, Infinity),
  [ONE]: (pods) => byIndexed(pods, 1),
  'map + distinctUntilChanged, 10,000 subscriptions': selectedFromSnapshots,
};

export const manySubscriptions: Scenario = {
  name: 'many-subscriptions',
  title: 'One update with 10,000 live queries',
  description: [
    'In a store of 50,000 pods, one pod after the other is replaced by a newer version. There are 10,000 buckets;',
    'each has the five pods of one app on one node. Either each bucket has a `byIndex$` subscriber, or only one',
    'bucket has one, so that almost no update is delivered. The third contestant is the usual code by hand: the same',
    'snapshots in a Subject, from which each subscriber selects its bucket with `map` and `distinctUntilChanged`.',
    'Parsing is not counted.',
  ].join(' '),
  contestants: Object.keys(contestants),
  metrics: { update: { title: 'one update, committed and delivered', unit: 'µs', better: 'lower' } },
  targets: [
    {
      figure: { contestant: MANY, metric: 'update' },
      is: 'at most',
      factor: 1.5,
      reference: { contestant: ONE, metric: 'update' },
    },
  ],
  run: (name, { scale }) => Promise.resolve(run(name, scale)),
};

function run(name: string, scale: Scale): Figures {
  const { pods: count, milliseconds } = SIZES[scale];
  const { update, delivered, followsAll } = (contestants[name] as (pods: readonly BenchPod[]) => Followed)(
    retainedPods(count),
  );
  let sent = 0;
  const send = (pod: BenchPod): void => {
    sent++;
    update(pod);
  };
  globalThis.gc?.();
  const median = microseconds(podUpdates(count), send, { milliseconds, operationsPerSample: 4 });
  if (followsAll && delivered() !== sent) throw new Error(`${sent} updates were sent, ${delivered()} were delivered`);
  return { update: median };
}

function byIndexed(pods: readonly BenchPod[], subscriptions: number): Followed {
  const indexer = createIndexer(keyOfPod, indexers);
  indexer.replace(pods);
  const values = indexer.indexValues('place');
  const followed = values.slice(0, subscriptions);
  let emissions = 0;
  for (const value of followed) indexer.byIndex$('place', value).subscribe(() => emissions++);
  return {
    update: (pod) => indexer.update(pod),
    delivered: () => emissions - followed.length,
    followsAll: followed.length === values.length,
  };
}

function selectedFromSnapshots(pods: readonly BenchPod[]): Followed {
  const items = pods.map((object) => ({ key: keyOfPod(object), object }));
  let { snapshot } = reduceDeltas(emptySnapshot(indexers), [{ type: 'ReplacedAll', items, resourceVersion: '1' }]);
  const snapshots = new Subject<IndexedSnapshot<BenchPod, 'place'>>();
  const values = snapshot.indexValues('place');
  let emissions = 0;
  for (const value of values) {
    snapshots
      .pipe(
        map((current) => current.byIndex('place', value)),
        distinctUntilChanged(),
      )
      .subscribe(() => emissions++);
  }
  snapshots.next(snapshot);
  return {
    update: (object) => {
      ({ snapshot } = reduceDeltas(snapshot, [{ type: 'Updated', key: keyOfPod(object), object }]));
      snapshots.next(snapshot);
    },
    delivered: () => emissions - values.length,
    followsAll: true,
  };
}
