import { createIndexer } from 'rx-informers';
import { map, Subject, type Observable } from 'rxjs';
import type { BenchPod } from '../fixtures/pod.js';
import { retainedPods, keyOfPod, podIndexers, podUpdates } from '../fixtures/retained-pods.js';
import { microseconds } from '../measure/times.js';
import type { Figures, Scale, Scenario } from '../model/scenario.js';

/** The number of pods. All of them are in one namespace. */
const PODS = 1000;
const NAMESPACE = 'namespace-0';
const SUBSCRIBERS = 1000;

/** The number of commits whose arrays are counted, before time is measured. */
const COUNTED_COMMITS = 20;

const MILLISECONDS: Readonly<Record<Scale, number>> = { full: 2000, quick: 200 };

/** A bucket that all subscribers follow, and a function that updates it. */
interface Followed {
  readonly update: (pod: BenchPod) => void;
  readonly bucket$: Observable<readonly BenchPod[]>;
}

interface Contestant {
  readonly followed: (pods: readonly BenchPod[]) => Followed;
  readonly subscribers: number;
}

const MANY = 'rx-informers, 1,000 subscribers';
const ONE = 'rx-informers, one subscriber';

const contestants: Readonly<Record<string, Contestant>> = {
  [MANY]: { followed: byIndexed, subscribers: SUBSCRIBERS },
  [ONE]: { followed: byIndexed, subscribers: 1 },
  'map + filter, 1,000 subscribers': { followed: filtered, subscribers: SUBSCRIBERS },
};

export const oneBucket: Scenario = {
  name: 'one-bucket',
  title: 'A bucket of 1,000 pods that 1,000 subscribers follow',
  description: [
    'In a namespace with 1,000 pods, one pod after the other is replaced by a newer version. For each commit, the',
    'different arrays that all `byIndex$` subscribers of the namespace receive are counted by identity. The third',
    'contestant is the usual code by hand: a Subject of a Map, from which each subscriber filters its pods. Parsing',
    'is not counted.',
  ].join(' '),
  contestants: Object.keys(contestants),
  metrics: {
    arrays: { title: 'arrays built for one commit', unit: 'arrays', better: 'lower' },
    commit: { title: 'one commit, delivered to all', unit: 'µs', better: 'lower' },
  },
  targets: [{ figure: { contestant: MANY, metric: 'arrays' }, is: 'at most', factor: 1 }],
  run: (name, { scale }) => Promise.resolve(run(contestants[name] as Contestant, MILLISECONDS[scale])),
};

function run({ followed, subscribers }: Contestant, milliseconds: number): Figures {
  const { update, bucket$ } = followed(retainedPods(PODS));
  const nextUpdate = podUpdates(PODS);
  const arrays = arraysPerCommit(bucket$, subscribers, () => update(nextUpdate()));

  let delivered = 0;
  for (let count = 0; count < subscribers; count++) bucket$.subscribe(() => delivered++);
  delivered = 0;
  let sent = 0;
  const send = (pod: BenchPod): void => {
    sent++;
    update(pod);
  };
  const commit = microseconds(nextUpdate, send, { milliseconds });
  if (delivered !== sent * subscribers) {
    throw new Error(`${sent} updates for ${subscribers} subscribers were sent, ${delivered} were delivered`);
  }
  return { arrays, commit };
}

/** Returns the largest number of different arrays in one commit. */
function arraysPerCommit(bucket$: Observable<readonly BenchPod[]>, subscribers: number, commit: () => void): number {
  const seen = new Set<readonly BenchPod[]>();
  const subscriptions = Array.from({ length: subscribers }, () => bucket$.subscribe((array) => seen.add(array)));
  let most = 0;
  for (let commits = 0; commits < COUNTED_COMMITS; commits++) {
    seen.clear();
    commit();
    most = Math.max(most, seen.size);
  }
  for (const subscription of subscriptions) subscription.unsubscribe();
  return most;
}

function byIndexed(pods: readonly BenchPod[]): Followed {
  const indexer = createIndexer(keyOfPod, podIndexers);
  indexer.replace(pods);
  return { update: (pod) => indexer.update(pod), bucket$: indexer.byIndex$('namespace', NAMESPACE) };
}

function filtered(pods: readonly BenchPod[]): Followed {
  const state = new Map(pods.map((pod) => [keyOfPod(pod), pod]));
  const states = new Subject<ReadonlyMap<string, BenchPod>>();
  return {
    update: (pod) => states.next(state.set(keyOfPod(pod), pod)),
    bucket$: states.pipe(
      map((current) => [...current.values()].filter(({ metadata }) => metadata.namespace === NAMESPACE)),
    ),
  };
}
