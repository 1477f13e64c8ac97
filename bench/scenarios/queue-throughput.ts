import { queueKeys, type OpenKeyQueue } from '../contestants/queues/key-queue.js';
import { QUEUE, keyQueues, loadKeyQueue, OPERATOR, type KeyQueues } from '../contestants/queues/key-queues.js';
import { settledHeap } from '../measure/memory.js';
import { startStopwatch } from '../measure/times.js';
import type { Figures, Scale, Scenario } from '../model/scenario.js';

const KEYS: Readonly<Record<Scale, number>> = { full: 1_000_000, quick: 10_000 };

/** The number of times that each key is added. */
const ROUNDS = 5;

/**
 * The time in milliseconds after which the measurement ends. The rate is known by then, and a slow
 * contestant would need an hour for all runs.
 */
const LONGEST_WORK = 5000;

/** The key whose run blocks the queue until all other keys wait. */
const HOLD = 'hold';

const contestants: KeyQueues = {
  ...keyQueues,
  'floor: array + Set': async () => (await import('../contestants/queues/array-and-set.js')).arrayAndSet,
};

export const queueThroughput: Scenario = {
  name: 'queue-throughput',
  title: 'A queue of 1,000,000 keys',
  description: [
    'The run of the first key occupies the only worker while 1,000,000 other keys are added, and then each of them',
    'four more times: 5,000,000 additions that must become 1,000,000 runs. Then the worker continues, with runs that',
    'only return a resolved promise. It is stopped after five seconds, because not every contestant would finish in',
    'reasonable time. The heap is measured after garbage collection, when all keys wait, without the keys themselves.',
    '`mergeMap` and p-queue are used with a Set, which prevents a waiting key from being added again. They lack',
    'everything else: a key may run twice at once, and `mergeMap` has no priorities.',
  ].join(' '),
  contestants: Object.keys(contestants),
  metrics: {
    dedup: { title: 'additions, each key five times', unit: 'adds/s', better: 'higher' },
    first: { title: 'additions of new keys', unit: 'adds/s', better: 'higher' },
    runs: { title: 'runs of the waiting keys', unit: 'runs/s', better: 'higher' },
    heap: { title: 'heap per waiting key', unit: 'bytes', better: 'lower' },
  },
  targets: [QUEUE, OPERATOR].map((contestant) => ({
    figure: { contestant, metric: 'dedup' },
    is: 'at least',
    factor: 200_000,
  })),
  run: async (contestant, { scale }) => run(await loadKeyQueue(contestants, contestant), queueKeys(KEYS[scale])),
};

async function run(open: OpenKeyQueue, keys: readonly string[]): Promise<Figures> {
  const worker = blockedWorker(keys.length);
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

interface BlockedWorker {
  readonly run: (key: string) => Promise<void>;
  /**
   * Lets the runs begin. Resolves with the number of runs per second when all runs have ended or
   * the deadline has passed.
   */
  readonly letGo: () => Promise<number>;
}

function blockedWorker(expected: number): BlockedWorker {
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
      // A contestant that runs a key too often is not stopped, so that the surplus runs can be
      // detected.
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
