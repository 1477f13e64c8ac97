import { enableMapSet, produce, setAutoFreeze } from 'immer';
import { createIndexer } from 'rx-informers';
import type { BenchPod } from '../fixtures/pod.js';
import { retainedPods, keyOfPod, podIndexers, podUpdates } from '../fixtures/retained-pods.js';
import { microseconds } from '../measure/times.js';
import type { Figures, Metric, Scale, Scenario } from '../model/scenario.js';

const SIZES = { '1k': 1000, '10k': 10_000, '100k': 100_000, '1M': 1_000_000 } as const;
type Size = keyof typeof SIZES;

const MEASURED: Readonly<Record<Scale, { readonly sizes: readonly Size[]; readonly milliseconds: number }>> = {
  full: { sizes: ['1k', '10k', '100k', '1M'], milliseconds: 2000 },
  quick: { sizes: ['1k', '10k'], milliseconds: 200 },
};

/** The size of a first run. Its results are dropped, so that compiling is not measured. */
const WARM_UP_SIZE = 500;

/** A cache that contains pods and accepts newer versions of them. */
interface Cache {
  readonly update: (pod: BenchPod) => void;
  /**
   * Returns the number of updates that have reached a subscriber. `undefined` if there are no
   * subscribers.
   */
  readonly delivered?: () => number;
}

interface Contestant {
  readonly cache: (pods: readonly BenchPod[]) => Cache;
  /** The largest size that is measured. Above this size, one update takes too long. */
  readonly largest: Size;
  /** The number of operations in a sample. It is large enough for the resolution of the clock. */
  readonly operationsPerSample: number;
}

const OURS = 'rx-informers';

const contestants: Readonly<Record<string, Contestant>> = {
  [OURS]: { cache: indexerOf, largest: '1M', operationsPerSample: 4 },
  'immer produce on a Map': { cache: immerMapOf, largest: '100k', operationsPerSample: 1 },
  'new Map(previous)': { cache: copiedMapOf, largest: '100k', operationsPerSample: 1 },
};

export const updateScale: Scenario = {
  name: 'update-scale',
  title: 'One update in stores of growing size',
  description: [
    'In stores of 1,000 to 1,000,000 pods, one pod after the other is replaced by a newer version. There are always',
    '100 pods on a node, 50 in an app and 1,000 in a namespace, so a larger store has more buckets, not larger ones.',
    'In rx-informers, an update is committed to three indexes and delivered to the `byIndex$` subscriber of its node.',
    'Every node has such a subscriber. The other contestants are the usual tools for reducers: they create one new',
    'immutable version, without indexes, subscribers or freezing, and are measured with up to 100,000 objects. Parsing',
    'is not counted. Figures are medians.',
  ].join(' '),
  contestants: Object.keys(contestants),
  metrics: Object.fromEntries(Object.entries(SIZES).map(([size, count]) => [size, metricOf(count)])),
  targets: [
    {
      figure: { contestant: OURS, metric: '1M' },
      is: 'at most',
      factor: 4,
      reference: { contestant: OURS, metric: '1k' },
    },
  ],
  // There are only 3 rounds, because most of the time is spent on creating a million pods.
  rounds: 3,
  nodeOptions: ['--max-old-space-size=12000'],
  run: (name, { scale }) => Promise.resolve(run(contestants[name] as Contestant, scale)),
};

function metricOf(count: number): Metric {
  return { title: `one update among ${count.toLocaleString('en')} objects`, unit: 'µs', better: 'lower' };
}

function run(contestant: Contestant, scale: Scale): Figures {
  const { sizes, milliseconds } = MEASURED[scale];
  oneUpdate(contestant, WARM_UP_SIZE, milliseconds);
  const measured = sizes.filter((size) => SIZES[size] <= SIZES[contestant.largest]);
  return Object.fromEntries(measured.map((size) => [size, oneUpdate(contestant, SIZES[size], milliseconds)]));
}

function oneUpdate({ cache, operationsPerSample }: Contestant, count: number, milliseconds: number): number {
  const { update, delivered } = cache(retainedPods(count));
  const before = delivered?.() ?? 0;
  let sent = 0;
  const send = (pod: BenchPod): void => {
    sent++;
    update(pod);
  };
  globalThis.gc?.();
  const median = microseconds(podUpdates(count), send, { milliseconds, operationsPerSample });
  const arrived = (delivered?.() ?? sent) - before;
  if (delivered && arrived !== sent) throw new Error(`${sent} updates were sent, ${arrived} were delivered`);
  return median;
}

function indexerOf(pods: readonly BenchPod[]): Cache {
  const indexer = createIndexer(keyOfPod, podIndexers);
  indexer.replace(pods);
  let delivered = 0;
  for (const node of indexer.indexValues('node')) indexer.byIndex$('node', node).subscribe(() => delivered++);
  return { update: (pod) => indexer.update(pod), delivered: () => delivered };
}

function immerMapOf(pods: readonly BenchPod[]): Cache {
  enableMapSet();
  setAutoFreeze(false);
  let state = mapOf(pods);
  return {
    update: (pod) => {
      state = produce(state, (draft) => {
        draft.set(keyOfPod(pod), pod);
      });
    },
  };
}

function copiedMapOf(pods: readonly BenchPod[]): Cache {
  let state = mapOf(pods);
  return {
    update: (pod) => {
      state = new Map(state).set(keyOfPod(pod), pod);
    },
  };
}

function mapOf(pods: readonly BenchPod[]): ReadonlyMap<string, BenchPod> {
  return new Map(pods.map((pod) => [keyOfPod(pod), pod]));
}
