import { setTimeout as sleep } from 'node:timers/promises';
import { slope, type Sample } from '../../scripts/slope.js';
import { randomFromSeed } from '../../src/testing/virtual-clock.js';
import { type ChurnCache, indexerCache, informerCache, plainMap } from '../churn/caches.js';
import { Population } from '../churn/population.js';
import type { BenchPod } from '../fixtures/pod.js';
import { keyOfPod } from '../fixtures/retained-pods.js';
import { heapInUse } from '../measure/memory.js';
import type { Figures, Scale, Scenario } from '../model/scenario.js';

const PODS = 2000;
const EVENTS_PER_SECOND = 2000;

/** The interval between batches, in milliseconds. Timers are too inexact for a shorter interval. */
const TICK = 10;

interface Times {
  readonly seconds: number;
  readonly sampleEvery: number;
  /**
   * True if the run is long enough to measure a slope. In a run of seconds, a heap that warms up
   * looks like a heap that grows.
   */
  readonly hasSlope: boolean;
}

const TIMES: Readonly<Record<Scale, Times>> = {
  full: { seconds: 300, sampleEvery: 3, hasSlope: true },
  quick: { seconds: 4, sampleEvery: 1, hasSlope: false },
};

/** The minimum number of samples, even on a slow machine. The slope uses the later half of them. */
const FEWEST_SAMPLES = 4;

/** The maximum time in seconds until changes in slices are applied, on a busy machine. */
const MOST_SECONDS_TO_SETTLE = 60;

/** One byte for each event. An event that is kept by mistake takes more than one byte. */
const MOST_KILOBYTES_PER_MINUTE = (EVENTS_PER_SECOND * 60) / 1000;

const SEED = 4;

const INDEXER = 'rx-informers, createIndexer';
const INFORMER = 'rx-informers, informer';

const contestants: Readonly<Record<string, (population: Population) => ChurnCache>> = {
  [INDEXER]: indexerCache,
  [INFORMER]: informerCache,
  'plain Map': plainMap,
};

export const churn: Scenario = {
  name: 'churn',
  title: 'Heap during five minutes of churn',
  description: [
    '2,000 pods, and 2,000 events a second: additions, deletions, updates, and moves to new nodes and apps. The name',
    'of a deleted pod is never used again. 100 subscribers of all kinds come and go, one in every batch. From time to',
    'time the informer lists again, and a second informer is started and stopped. Every few seconds the heap is',
    'measured after garbage collection. The slope is that of the straight line that fits the second half best. In the',
    'end, the cache must hold exactly the living pods. The Map, without indexes and subscribers, shows how exact such',
    'a slope is.',
  ].join(' '),
  contestants: Object.keys(contestants),
  metrics: {
    slope: { title: 'growth of the heap', unit: 'KB/min', better: 'lower' },
    heap: { title: 'heap in use, mean of the second half', unit: 'MB', better: 'lower' },
    events: { title: 'events applied', unit: 'events/s', better: 'higher' },
  },
  targets: [INDEXER, INFORMER].map((contestant) => ({
    figure: { contestant, metric: 'slope' },
    is: 'at most',
    factor: MOST_KILOBYTES_PER_MINUTE,
  })),
  rounds: 1,
  run: (name, { scale }) => run(contestants[name] as (population: Population) => ChurnCache, TIMES[scale]),
};

async function run(
  cacheOf: (population: Population) => ChurnCache,
  { seconds, sampleEvery, hasSlope }: Times,
): Promise<Figures> {
  const population = new Population(PODS, randomFromSeed(SEED));
  const cache = cacheOf(population);
  const samples: Sample[] = [];
  const start = performance.now();
  let events = 0;
  let elapsed = 0;
  let nextSample = sampleEvery;
  while (elapsed < seconds || samples.length < FEWEST_SAMPLES) {
    await sleep(TICK);
    elapsed = (performance.now() - start) / 1000;
    const due = Math.floor(elapsed * EVENTS_PER_SECOND) - events;
    events += due;
    cache.take(Array.from({ length: due }, () => population.next()));
    if (elapsed >= nextSample && cache.isSettled()) {
      samples.push({ at: elapsed / 60, value: heapInUse() });
      nextSample += sampleEvery;
    }
  }
  await untilCached(cache, population);

  const counted = samples.slice(Math.floor(samples.length / 2));
  return {
    ...(hasSlope ? { slope: slope(counted) / 1000 } : {}),
    heap: counted.reduce((sum, { value }) => sum + value, 0) / counted.length / 1e6,
    events: events / elapsed,
  };
}

/**
 * Waits until changes in slices are applied, which takes long on a busy machine. Throws if the
 * cache does not contain exactly the living pods.
 */
async function untilCached(cache: ChurnCache, population: Population): Promise<void> {
  const living = new Set(population.list().map((text) => keyOfPod(JSON.parse(text) as BenchPod)));
  for (let seconds = 0; seconds < MOST_SECONDS_TO_SETTLE; seconds++) {
    await sleep(1000);
    const keys = cache.keys();
    if (keys.length === living.size && keys.every((key) => living.has(key))) return;
  }
  throw new Error(`${cache.keys().length} pods are held, ${living.size} live, and they are not the same`);
}
