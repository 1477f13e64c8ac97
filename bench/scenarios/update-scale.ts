import { enableMapSet, produce, setAutoFreeze } from 'immer';
import { createIndexer } from 'rx-informers';
import { heldPods, keyOfPod, podIndexers, podUpdates } from '../fixtures/held-pods.js';
import type { BenchPod } from '../fixtures/pod.js';
import { microseconds } from '../measure/microseconds.js';
import type { Figures, Metric, Scale, Scenario } from '../scenario.js';

const SIZES = { '1k': 1000, '10k': 10_000, '100k': 100_000, '1M': 1_000_000 } as const;
type Size = keyof typeof SIZES;

const MEASURED: Readonly<Record<Scale, { readonly sizes: readonly Size[]; readonly milliseconds: number }>> = {
  full: { sizes: ['1k', '10k', '100k', '1M'], milliseconds: 2000 },
  quick: { sizes: ['1k', '10k'], milliseconds: 200 },
};

/** Everything is run once at this size and thrown away, so that the first figure is not that of the compiler. */
const WARM_UP_SIZE = 500;

/** Something that holds pods and takes newer versions of them. */
interface Cache {
  readonly update: (pod: BenchPod) => void;
  /** How many updates have reached a subscriber; `undefined` where there is none. */
  readonly delivered?: () => number;
}

interface Contestant {
  readonly cache: (pods: readonly BenchPod[]) => Cache;
  /** From there on one update takes longer than anybody waits for. */
  readonly largest: Size;
  /** Enough for the clock. */
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
  title: 'One update, the more objects there are',
  description: [
    'One pod after the other is replaced by a newer version, in stores of 1,000 to 1,000,000 pods with 100 pods a node, 50 an app and',
    '1,000 a namespace, so that what grows is the store and not its buckets. For rx-informers an update is committed to three indexes and',
    'delivered to the `byIndex$` subscriber of its node; every node has one. The others are what reducers are written with: they make one new',
    'immutable version, and are spared indexes, subscribers and freezing. Parsing is not counted. Medians; the peers stop at 100,000 objects.',
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
  // Most of the time goes into making a million pods.
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
  const { update, delivered } = cache(heldPods(count));
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
