import {
  QUEUE,
  keyQueues,
  loadKeyQueue,
  OPERATOR,
  type KeyQueues,
  type OpenKeyQueue,
} from '../contestants/queues/key-queue.js';
import { queueKeys } from '../fixtures/queue-keys.js';
import { settledHeap } from '../measure/settled-heap.js';
import { startStopwatch } from '../measure/stopwatch.js';
import type { Figures, Scale, Scenario } from '../scenario.js';

const KEYS: Readonly<Record<Scale, number>> = { full: 1_000_000, quick: 10_000 };

/** How often each key is added. */
const ROUNDS = 5;

/** After so many milliseconds working off is over: the rate is known by then, and somebody may need an hour for the rest. */
const LONGEST_WORK = 5000;

/** The key whose run lasts until all others wait. */
const HOLD = 'hold';

const contestants: KeyQueues = {
  ...keyQueues,
  'floor: array + Set': async () => (await import('../contestants/queues/array-and-set.js')).arrayAndSet,
};

export const queueThroughput: Scenario = {
  name: 'queue-throughput',
  title: 'A queue of 1,000,000 keys',
  description: [
    'One worker is held by its first key, while 1,000,000 others are added, and then each of them four times more: 5,000,000 additions that must become',
    '1,000,000 runs. Then the worker goes on, with runs that do nothing but give a promise that is resolved already; for five seconds at most,',
    'since not everybody gets through. The heap is measured after garbage collection when all keys wait, without the keys themselves. `mergeMap` and p-queue',
    'have a Set beside them, which keeps a key that waits from being added again; they do without everything else: a key may run twice at',
    'once, and `mergeMap` knows no priorities. Quick: 10,000 keys.',
  ].join(' '),
  contestants: Object.keys(contestants),
  metrics: {
    dedup: { title: 'additions, each key five times', unit: 'adds/s', better: 'higher' },
    first: { title: 'additions of keys that do not wait yet', unit: 'adds/s', better: 'higher' },
    runs: { title: 'worked off', unit: 'runs/s', better: 'higher' },
    heap: { title: 'heap per key that waits', unit: 'bytes', better: 'lower' },
  },
  targets: [QUEUE, OPERATOR].map((contestant) => ({
    figure: { contestant, metric: 'dedup' },
    is: 'at least',
    factor: 200_000,
  })),
  run: async (contestant, { scale }) => run(await loadKeyQueue(contestants, contestant), queueKeys(KEYS[scale])),
};

async function run(open: OpenKeyQueue, keys: readonly string[]): Promise<Figures> {
  const worker = heldWorker(keys.length);
  const before = await settledHeap();
  const queue = open({ concurrency: 1, run: worker.run });
  queue.add(HOLD);

  const stopwatch = startStopwatch();
  for (const key of keys) queue.add(key);
  const first = stopwatch().wall;
  for (let round = 1; round < ROUNDS; round++) for (const key of keys) queue.add(key);
  const all = stopwatch().wall;

  const heap = (await settledHeap()) - before;
  return {
    dedup: (ROUNDS * keys.length) / (all / 1000),
    first: keys.length / (first / 1000),
    heap: heap / keys.length,
    runs: await worker.letGo(),
  };
}

interface HeldWorker {
  readonly run: (key: string) => Promise<void>;
  /** Lets the runs begin; gives how many there were a second, when all are through or it has taken too long. */
  readonly letGo: () => Promise<number>;
}

function heldWorker(expected: number): HeldWorker {
  const resolved = Promise.resolve();
  const never = new Promise<never>(() => undefined);
  const hold = withResolver();
  const end = withResolver();
  let runs = 0;
  let deadline = Infinity;
  return {
    run: (key) => {
      if (key === HOLD) return hold.promise;
      runs++;
      if (runs !== expected && performance.now() < deadline) return resolved;
      end.resolve();
      // Whoever runs a key too often must not be stopped before it is seen.
      return runs < expected ? never : resolved;
    },
    letGo: async () => {
      const begin = performance.now();
      deadline = begin + LONGEST_WORK;
      hold.resolve();
      await end.promise;
      const took = performance.now() - begin;
      const rate = runs / (took / 1000);
      await new Promise(setImmediate);
      if (runs > expected) throw new Error(`${expected} keys waited, and there were ${runs} runs`);
      return rate;
    },
  };
}

function withResolver(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((resolver) => {
    resolve = resolver;
  });
  return { promise, resolve };
}
