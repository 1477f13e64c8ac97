import { setTimeout as sleep } from 'node:timers/promises';
import { lowPriority } from 'rx-informers/controller';
import { randomFromSeed } from '../../src/testing/virtual-clock.js';
import { queueKeys, type KeyQueue, type OpenKeyQueue } from '../contestants/queues/key-queue.js';
import {
  QUEUE,
  keyQueues,
  loadKeyQueue,
  MERGE_MAP,
  OPERATOR,
  type KeyQueues,
} from '../contestants/queues/key-queues.js';
import { RunLedger } from '../measure/run-ledger.js';
import { percentile } from '../measure/times.js';
import type { Figures, Scale, Scenario } from '../model/scenario.js';

const WORKERS = 10;
/** The duration of each run, in milliseconds. */
const RUN = 1;
const KEYS = 10_000;
const HOT_KEYS = 100;
const HOT_SHARE = 0.8;
const STEADY_PER_SECOND = 2000;
const STORM_PER_SECOND = 20_000;
const URGENT_EVERY = 20;
const SEED = 5;

interface Size {
  /** The time for which keys arrive, in milliseconds. */
  readonly load: number;
  /** The time for which keys arrive before the measurement, so that the code is compiled. */
  readonly warmUp: number;
  /** The number of keys of low priority that wait when the urgent keys are added. */
  readonly waiting: number;
  readonly urgent: number;
}

const SIZES: Readonly<Record<Scale, Size>> = {
  full: { load: 3000, warmUp: 1000, waiting: 100_000, urgent: 100 },
  quick: { load: 100, warmUp: 20, waiting: 200, urgent: 2 },
};

const EVERY_ADDITION = 'mergeMap alone';

const contestants: KeyQueues = {
  ...keyQueues,
  [EVERY_ADDITION]: async () => (await import('../contestants/queues/merge-map.js')).plainMergeMap,
};

export const reconcileLatency: Scenario = {
  name: 'reconcile-latency',
  title: 'Latency from the addition of a key to its run, under load',
  description: [
    'Ten workers, whose runs wait for a timer of 1 ms. 10,000 keys are added at random, with 80 % of the additions',
    'for 100 hot keys. The first load is 2,000 additions a second, which the workers can handle. The storm is 20,000',
    'a second, which they can handle only if one run serves many additions. The latency of an addition ends when the',
    'next run of its key begins. A run overlaps if it begins during another run of the same key: both read and write',
    'the same object at once. Before the measurement, the first load runs for one second as a warm-up. Without',
    'overlaps, an addition to a running key has to wait for the end of that run; contestants whose runs overlap do',
    'not have this wait. Then 100,000 keys of low priority are added at once. While the workers are busy with them,',
    '100 urgent keys are added, one after another.',
  ].join(' '),
  contestants: Object.keys(contestants),
  metrics: {
    steady50: { title: '2,000 a second: median', unit: 'ms', better: 'lower' },
    steady99: { title: '2,000 a second: 99th percentile', unit: 'ms', better: 'lower' },
    overlaps: { title: '2,000 a second: share of overlapping runs', unit: '%', better: 'lower' },
    storm50: { title: '20,000 a second: median', unit: 'ms', better: 'lower' },
    storm99: { title: '20,000 a second: 99th percentile', unit: 'ms', better: 'lower' },
    runs: { title: '20,000 a second: runs per addition', unit: '%', better: 'lower' },
    urgent50: { title: 'urgent among 100,000: median', unit: 'ms', better: 'lower' },
    urgent99: { title: 'urgent among 100,000: 99th percentile', unit: 'ms', better: 'lower' },
  },
  targets: [OPERATOR, QUEUE].flatMap((contestant) => [
    { figure: { contestant, metric: 'overlaps' }, is: 'at most' as const, factor: 0 },
    {
      figure: { contestant, metric: 'urgent99' },
      is: 'at most' as const,
      factor: 0.01,
      reference: { contestant: MERGE_MAP, metric: 'urgent99' },
    },
    {
      figure: { contestant, metric: 'storm99' },
      is: 'at most' as const,
      factor: 0.1,
      reference: { contestant: EVERY_ADDITION, metric: 'storm99' },
    },
  ]),
  run: async (contestant, { scale }) => measure(await loadKeyQueue(contestants, contestant), SIZES[scale]),
};

async function measure(open: OpenKeyQueue, { load, warmUp, waiting, urgent }: Size): Promise<Figures> {
  await underLoad(open, STEADY_PER_SECOND, warmUp);
  const steady = await underLoad(open, STEADY_PER_SECOND, load);
  const storm = await underLoad(open, STORM_PER_SECOND, load);
  const urgentWaits = await urgentAmong(open, waiting, urgent);
  return {
    steady50: percentile(steady.waits, 0.5),
    steady99: percentile(steady.waits, 0.99),
    overlaps: (100 * steady.overlaps) / steady.runs,
    storm50: percentile(storm.waits, 0.5),
    storm99: percentile(storm.waits, 0.99),
    runs: (100 * storm.runs) / storm.additions,
    urgent50: percentile(urgentWaits, 0.5),
    urgent99: percentile(urgentWaits, 0.99),
  };
}

/**
 * Adds keys at this rate for the given number of milliseconds. Resolves when all of them have run.
 */
async function underLoad(open: OpenKeyQueue, perSecond: number, milliseconds: number): Promise<RunLedger> {
  const ledger = new RunLedger();
  const queue = openWith(open, ledger);
  const keys = queueKeys(KEYS);
  const random = randomFromSeed(SEED);
  const begin = performance.now();
  for (let now = begin; now - begin < milliseconds; now = performance.now()) {
    const due = Math.floor(((now - begin) / 1000) * perSecond);
    while (ledger.additions < due) {
      const among = random() < HOT_SHARE ? HOT_KEYS : KEYS;
      add(queue, ledger, keys[Math.floor(random() * among)] as string);
    }
    await sleep(1);
  }
  while (!ledger.isSettled) await sleep(1);
  return ledger;
}

/** Measures how long urgent keys wait while `waiting` keys of low priority wait, too. */
async function urgentAmong(open: OpenKeyQueue, waiting: number, count: number): Promise<readonly number[]> {
  const ledger = new RunLedger();
  const low = new RunLedger();
  const queue = open({
    concurrency: WORKERS,
    run: (key) => timedRun(key.startsWith('urgent-') ? ledger : low, key),
  });
  for (const key of queueKeys(waiting)) queue.add(key, lowPriority);
  for (let number = 0; number < count; number++) {
    await sleep(URGENT_EVERY);
    add(queue, ledger, `urgent-${number}`);
  }
  while (!ledger.isSettled) await sleep(1);
  return ledger.waits;
}

function openWith(open: OpenKeyQueue, ledger: RunLedger): KeyQueue {
  return open({ concurrency: WORKERS, run: (key) => timedRun(ledger, key) });
}

function add(queue: KeyQueue, ledger: RunLedger, key: string): void {
  ledger.added(key, performance.now());
  queue.add(key);
}

async function timedRun(ledger: RunLedger, key: string): Promise<void> {
  ledger.started(key, performance.now());
  await sleep(RUN);
  ledger.ended(key);
}
