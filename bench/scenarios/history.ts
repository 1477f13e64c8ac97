import { createIndexer, type Collection } from 'rx-informers';
import { collectionHistory, movableTime, type CollectionHistory } from 'rx-informers/history';
import { randomFromSeed, virtualClock, type VirtualClock } from 'rx-informers/testing';
import type { BenchPod } from '../fixtures/pod.js';
import { retainedPods, keyOfPod, podIndexers, podUpdates } from '../fixtures/retained-pods.js';
import { settledHeap } from '../measure/memory.js';
import { operationTimes, percentile, startStopwatch } from '../measure/times.js';
import type { Figures, Scale, Scenario } from '../model/scenario.js';

const HISTORY = 'history';

interface Size {
  readonly pods: number;
  readonly seconds: number;
}

const SIZES: Readonly<Record<Scale, Size>> = {
  full: { pods: 50_000, seconds: 600 },
  quick: { pods: 2_000, seconds: 20 },
};

const UPDATES_PER_SECOND = 200;
const READS = { warmUp: 50, operations: 300 };
const SEED = 17;

/** The duration of a frame in milliseconds, at 60 frames a second. */
const FRAME = 16;

type Pods = Collection<BenchPod, 'node' | 'app' | 'namespace'>;

export const historyScenario: Scenario = {
  name: 'history',
  title: 'A history of ten minutes of 50,000 pods',
  description: [
    '50,000 pods with three indexes. One after the other is replaced by a version with another status, 200 a second',
    'for ten minutes, which makes 120,000 updates. The heap is measured after these updates, and again after the same',
    'number of updates recorded by a history. The figure is the heap of history and cache together, as a multiple of',
    'the cache alone. Then versions at random times are read, and compared with the version one second later. A view',
    'is moved as by dragging a scrubber: by one second, which is 200 changes, by ten seconds, and from one end to the',
    'other. Times are medians of processor time; the first move and the longest one are measured once.',
  ].join(' '),
  contestants: [HISTORY],
  metrics: {
    memory: { title: 'heap with ten minutes of history, as a multiple of the cache', unit: '×', better: 'lower' },
    estimate: {
      title: 'the estimate of `bytes`, as a multiple of the heap of the history',
      unit: '×',
      better: 'lower',
    },
    view: { title: 'heap of a view, per pod', unit: 'bytes', better: 'lower' },
    at: { title: 'at() of a random time', unit: 'µs', better: 'lower' },
    diff: { title: 'diff() over one second', unit: 'µs', better: 'lower' },
    second: { title: 'a view moves by one second', unit: 'ms', better: 'lower' },
    seconds: { title: 'a view moves by ten seconds', unit: 'ms', better: 'lower' },
    far: { title: 'a view moves from one end to the other', unit: 'ms', better: 'lower' },
    record: { title: 'recording, per update', unit: 'µs', better: 'lower' },
  },
  targets: [
    { figure: { contestant: HISTORY, metric: 'memory' }, is: 'at most', factor: 2 },
    { figure: { contestant: HISTORY, metric: 'second' }, is: 'at most', factor: FRAME },
  ],
  rounds: 3,
  nodeOptions: ['--max-old-space-size=8000'],
  run: (_, { scale }) => measure(SIZES[scale]),
};

async function measure({ pods: count, seconds }: Size): Promise<Figures> {
  const clock = virtualClock({ now: 1_000_000 });
  const empty = await settledHeap();
  const store = createIndexer<BenchPod, 'node' | 'app' | 'namespace'>(keyOfPod, podIndexers, { scheduler: clock });
  store.replace(retainedPods(count));
  const next = podUpdates(count);
  const live = (): void => {
    for (let update = 0; update < seconds * UPDATES_PER_SECOND; update++) {
      store.update(next());
      clock.advance(1_000 / UPDATES_PER_SECOND);
    }
  };
  const alone = elapsed(live);
  const cache = (await settledHeap()) - empty;
  const recorded = collectionHistory(store as Pods);
  const recording = elapsed(live);
  const retained = (await settledHeap()) - empty;
  const updates = seconds * UPDATES_PER_SECOND;
  return {
    memory: retained / cache,
    estimate: recorded.bytes / (retained - cache),
    record: ((recording - alone) / updates) * 1_000,
    ...reads(recorded, clock, seconds),
    ...(await moves(recorded, clock, seconds, count)),
  };
}

function reads(recorded: CollectionHistory<BenchPod>, clock: VirtualClock, seconds: number): Figures {
  const random = randomFromSeed(SEED);
  const anyTime = (): number => clock.now() - (1 + random() * (seconds - 2)) * 1_000;
  const at = operationTimes(anyTime, (time) => recorded.at(time), READS);
  const diff = operationTimes(anyTime, (time) => recorded.diff(time, time + 1_000), READS);
  return { at: percentile(at, 0.5), diff: percentile(diff, 0.5) };
}

async function moves(
  recorded: CollectionHistory<BenchPod>,
  clock: VirtualClock,
  seconds: number,
  count: number,
): Promise<Figures> {
  const before = await settledHeap();
  const time = movableTime({ scheduler: clock });
  const view = recorded.view(time);
  let notified = 0;
  view.changes$.subscribe(() => notified++);
  clock.advance(0);
  const retained = (await settledHeap()) - before;
  const now = clock.now();
  const moveTo = (moment: number | undefined): void => {
    const expected = notified + 1;
    time.moveTo(moment);
    // A long move is computed in slices, so the clock advances until all of them have run.
    while (notified < expected) clock.advance(0);
  };
  let at = now - 1_000;
  moveTo(at);
  const stepsBy = (milliseconds: number): readonly number[] =>
    Array.from({ length: Math.min(30, Math.floor((seconds * 1_000) / milliseconds / 3)) }, () => {
      at -= milliseconds;
      return elapsed(() => {
        moveTo(at);
      });
    });
  const second = percentile(stepsBy(1_000), 0.5);
  const tens = stepsBy(Math.min(10_000, (seconds * 1_000) / 4));
  const far = elapsed(() => {
    moveTo(now - (seconds - 1) * 1_000);
    moveTo(undefined);
  });
  return { view: retained / count, second, seconds: percentile(tens, 0.5), far: far / 2 };
}

/** Returns the processor time of a call, in milliseconds. */
function elapsed(act: () => void): number {
  const stopwatch = startStopwatch();
  act();
  return stopwatch().processor;
}
