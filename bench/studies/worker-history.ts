import { createIndexer } from 'rx-informers';
import { collectionHistory } from 'rx-informers/history';
import { virtualClock } from 'rx-informers/testing';
import { recorded as limits } from '../../apps/dashboard/page/cluster/reading.js';
import { partOf, readPast, recordPast } from '../../apps/dashboard/page/history/past-text.js';
import type { BenchPod } from '../fixtures/pod.js';
import { keyOfPod, podUpdates, retainedPods } from '../fixtures/retained-pods.js';
import { settledHeap } from '../measure/memory.js';

// Measures the history in the dashboard's shared worker: the heap of one hour of 5,000 pods with 20
// changes a second (the goal is 128 MB), the same with 100 changes a second, where the memory limit
// is reached, and what a tab reads that goes back to the beginning.
//
//   NODE_OPTIONS=--expose-gc npx tsx bench/studies/worker-history.ts

const count = 5_000;
const hour = 3_600;

const rows: Record<string, Record<string, number>> = {};
for (const rate of [20, 100]) rows[`${rate} changes/s`] = await measure(rate);
console.table(rows);

async function measure(rate: number): Promise<Record<string, number>> {
  const clock = virtualClock({ now: 1_000_000 });
  const empty = await settledHeap();
  const store = createIndexer<BenchPod>(keyOfPod, {}, { scheduler: clock });
  store.replace(retainedPods(count));
  const next = podUpdates(count);
  const change = (seconds: number): void => {
    for (let update = 0; update < seconds * rate; update++) {
      store.update(next());
      clock.advance(1_000 / rate);
    }
  };
  // Each pod has changed once, so that the cache does not grow any more.
  change(count / rate);
  const cache = (await settledHeap()) - empty;
  const history = collectionHistory(store, limits);
  let longest = 0;
  const began = performance.now();
  for (let second = 0; second < hour; second++) {
    const started = performance.now();
    change(1);
    longest = Math.max(longest, performance.now() - started);
  }
  const recording = performance.now() - began;
  const heap = (await settledHeap()) - empty - cache;
  const { versions, oldest, bytes } = history;
  const thinned = versions.filter(({ isThinned }) => isThinned);
  const result = {
    'cache (MB)': megabytes(cache),
    'history (MB)': megabytes(heap),
    'estimate (MB)': megabytes(bytes),
    'reach (min)': round((clock.now() - (oldest?.time ?? NaN)) / 60_000),
    versions: versions.length,
    thinned: thinned.length,
    'µs per change': round((recording / (hour * rate)) * 1_000),
    'longest second (ms)': round(longest),
  };
  history.stop();
  return { ...result, ...readBack() };

  /** Reads the last ten minutes, and then the rest, as a tab does. */
  function readBack(): Record<string, number> {
    const served = recordPast(limits)(store);
    change(hour);
    const tab = createIndexer<BenchPod>(keyOfPod, {}, { scheduler: clock });
    tab.replace(JSON.parse(JSON.stringify(store.list())) as BenchPod[]);
    const read = collectionHistory(tab, { ...limits, bytes: 2 ** 28 });
    const times = { encode: 0, decode: 0, longest: 0, size: 0, parts: 0 };
    const figures: Record<string, number> = {};
    for (const minutes of [10, 60]) {
      const until = clock.now() - minutes * 60_000;
      for (let isComplete = false, before = clock.now() + 250; !isComplete && before > until;) {
        const started = performance.now();
        const text = served.read({ before, size: 256 * 1024 });
        const encoded = performance.now();
        const part = readPast(read, partOf(text));
        const decoded = performance.now();
        times.encode += encoded - started;
        times.decode += decoded - encoded;
        times.longest = Math.max(times.longest, encoded - started, decoded - encoded);
        times.size += text.length;
        times.parts += 1;
        before = part.oldest ?? -Infinity;
        ({ isComplete } = part);
      }
      figures[`${minutes} min: text (MB)`] = megabytes(times.size);
      figures[`${minutes} min: worker (ms)`] = round(times.encode);
      figures[`${minutes} min: tab (ms)`] = round(times.decode);
    }
    figures['longest part (ms)'] = round(times.longest);
    return figures;
  }
}

function megabytes(bytes: number): number {
  return round(bytes / 2 ** 20);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
