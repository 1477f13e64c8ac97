import { setTimeout as sleep } from 'node:timers/promises';
import { randomFromSeed } from '../../src/testing/deterministic.js';
import type { ChurnCache } from '../churn/churn-cache.js';
import { indexerCache, informerCache } from '../churn/informer-caches.js';
import { plainMap } from '../churn/plain-map.js';
import { Population } from '../churn/population.js';
import { keyOfPod } from '../fixtures/held-pods.js';
import type { BenchPod } from '../fixtures/pod.js';
import { heapInUse } from '../measure/heap.js';
import { slope, type Sample } from '../measure/slope.js';
import type { Figures, Scale, Scenario } from '../scenario.js';

const PODS = 2000;
const EVENTS_PER_SECOND = 2000;

/** How often a batch is made, in milliseconds: events come in portions, as timers are not more exact than that. */
const TICK = 10;

interface Times {
  readonly seconds: number;
  readonly sampleEvery: number;
  /** In seconds a heap that only warms up cannot be told from one that grows. */
  readonly hasSlope: boolean;
}

const TIMES: Readonly<Record<Scale, Times>> = {
  full: { seconds: 300, sampleEvery: 3, hasSlope: true },
  quick: { seconds: 4, sampleEvery: 1, hasSlope: false },
};

/** However slow the machine is: of one, half is nothing. */
const FEWEST_SAMPLES = 4;

/** One byte for each event: less than whatever could be kept of it by mistake. */
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
  title: 'Five minutes of churn: does the heap stay flat?',
  description: [
    '2,000 pods, and 2,000 events a second: additions and deletions, updates, moves to nodes and apps that nobody had before; a name that is',
    'gone never comes back. 100 subscribers of all kinds come and go, one in every batch. The informer is listed anew from time to time, and a',
    'second one is started and stopped. The heap is measured after garbage collection every few seconds; its slope is that of the line which',
    'fits best to the second half. In the end the cache must hold exactly the pods that live. The Map, without indexes and subscribers, says',
    'how exact such a slope is. Quick: four seconds, and no slope.',
  ].join(' '),
  contestants: Object.keys(contestants),
  metrics: {
    slope: { title: 'growth of the heap', unit: 'KB/min', better: 'lower' },
    heap: { title: 'heap in use, mean of the second half', unit: 'MB', better: 'lower' },
    events: { title: 'events taken', unit: 'events/s', better: 'higher' },
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
  // What is applied in slices is through.
  await sleep(1000);
  checkContents(cache, population);

  const counted = samples.slice(Math.floor(samples.length / 2));
  return {
    ...(hasSlope ? { slope: slope(counted) / 1000 } : {}),
    heap: counted.reduce((sum, { value }) => sum + value, 0) / counted.length / 1e6,
    events: events / elapsed,
  };
}

function checkContents(cache: ChurnCache, population: Population): void {
  const keys = cache.keys();
  const living = new Set(population.list().map((text) => keyOfPod(JSON.parse(text) as BenchPod)));
  if (keys.length !== living.size || !keys.every((key) => living.has(key))) {
    throw new Error(`${keys.length} pods are held, ${living.size} live, and they are not the same`);
  }
}
