import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { map } from 'rxjs';
import { controller, type Logger, type ReconcileRequest } from '../../src/controller/index.js';
import { informer, listWatch, pods, type ChangeSet, type Informer, type Live, type Pod } from '../../src/index.js';
import { kubeClient } from '../../src/node.js';
import { prometheusMetrics } from '../../src/prometheus/index.js';
import { benchKubeConfig } from '../contestants/bench-kube-config.js';
import { watchComputing } from '../measure/event-loop-block.js';
import { startStopwatch } from '../measure/stopwatch.js';
import type { Figures, Scale, Scenario } from '../scenario.js';

const BARE = 'rx-informers';
const OBSERVED = 'rx-informers, with logger and metrics';

/** How many objects there are, how many runs compute, how many are `async`; and after how many milliseconds all keys are queued. */
const SIZES: Readonly<Record<Scale, Readonly<Record<'objects' | 'computed' | 'awaited' | 'queuing', number>>>> = {
  full: { objects: 40_000, computed: 20_000, awaited: 9_000, queuing: 3_000 },
  quick: { objects: 1_000, computed: 500, awaited: 100, queuing: 300 },
};

/** How long a run computes, in milliseconds. */
const COMPUTED = 0.2;
const AWAITED = 2.5;

const BAR = 50;

export const eventLoop: Scenario = {
  name: 'event-loop',
  title: 'How long a controller keeps the event loop for itself',
  description: [
    'A controller of 40,000 pods, read over HTTP; its runs never wait for anything but settled promises. Figures are the longest times for which a timer was late: with runs that do',
    'nothing, as the list arrives and from a cache that is there already; with 20,000 runs that compute for 0.2 ms; with 9,000 `async` ones that compute for 2.5 ms; and as',
    '40,000 queued keys are dropped at the end of the grace period. The processor time of a pause is what counts, if that is less. Then the processor time of one run that does nothing, from the warm cache.',
    'Quick: 1,000 pods, 500 and 100 runs.',
  ].join(' '),
  contestants: [BARE, OBSERVED],
  rounds: 3,
  metrics: {
    arriving: { title: 'the list arrives', unit: 'ms', better: 'lower' },
    warm: { title: 'the cache is warm', unit: 'ms', better: 'lower' },
    computing: { title: 'runs compute for 0.2 ms', unit: 'ms', better: 'lower' },
    awaiting: { title: '`async` runs compute for 2.5 ms', unit: 'ms', better: 'lower' },
    dropping: { title: 'queued keys are dropped', unit: 'ms', better: 'lower' },
    run: { title: 'one run that does nothing', unit: 'µs', better: 'lower' },
  },
  targets: [BARE, OBSERVED].flatMap((contestant) =>
    ['arriving', 'warm', 'computing', 'awaiting', 'dropping'].map((metric) => ({
      figure: { contestant, metric },
      is: 'at most' as const,
      factor: BAR,
    })),
  ),
  server: (scale) => ({ pods: SIZES[scale].objects }),
  run: async (contestant, { scale, url }) => measure(contestant === OBSERVED, SIZES[scale], url),
};

/** What one controller does, in a process of a warm informer. */
interface Work {
  readonly source: Informer<Live<Pod>>;
  readonly isObserved: boolean;
  /** So many objects, the first ones of the list, lead to a run. */
  readonly count: number;
  readonly reconcile: (request: ReconcileRequest<Live<Pod>>) => unknown;
  /** So many milliseconds after the first run has started, what runs is ended and what waits is dropped. */
  readonly cutOffAfter?: number;
}

async function measure(
  isObserved: boolean,
  { objects, computed, awaited, queuing }: (typeof SIZES)[Scale],
  url: string,
): Promise<Figures> {
  const source = informer(listWatch(kubeClient(benchKubeConfig(url)), pods));
  const work = (count: number, reconcile: Work['reconcile']) => carryOut({ source, isObserved, count, reconcile });
  const arriving = await work(objects, () => undefined);
  source.connect();
  await source.whenSynced();
  const warm = await work(objects, () => undefined);
  const computing = await work(computed, () => {
    compute(COMPUTED);
  });
  const awaiting = await work(awaited, async () => {
    await Promise.resolve();
    compute(AWAITED);
  });
  const never = new Promise(() => undefined);
  const dropping = await carryOut({ source, isObserved, count: objects, reconcile: () => never, cutOffAfter: queuing });
  source.stop();
  return {
    arriving: arriving.longest,
    warm: warm.longest,
    computing: computing.longest,
    awaiting: awaiting.longest,
    dropping: dropping.longest,
    run: (warm.processor * 1000) / objects,
  };
}

/** Gives the processor time that it took, and the longest time for which it kept the event loop for itself, both in milliseconds. */
async function carryOut({ source, isObserved, count, reconcile, cutOffAfter }: Work) {
  // What was before is collected, and its timers are over.
  globalThis.gc?.();
  await sleep(20);
  const longest = watchComputing();
  await sleep(20);
  const elapsed = startStopwatch();
  let left = count;
  const events$ = controller({
    for: { source, through: map((changes: ChangeSet<Live<Pod>>) => firstOf(changes, count)) },
    reconcile,
    ...(isObserved ? observers() : {}),
  });
  await events$.forEach(({ type }) => {
    if (type === 'started' && cutOffAfter !== undefined) {
      setTimeout(() => {
        events$.stop();
        events$.stop();
      }, cutOffAfter);
    }
    if (type === 'succeeded' || type === 'failed' || type === 'dropped') left--;
    if (left === 0 && cutOffAfter === undefined) events$.stop();
  });
  if (left !== 0) throw new Error(`${left} of ${count} keys were neither run nor dropped`);
  const { processor } = elapsed();
  await sleep(20);
  return { processor, longest: longest() };
}

function firstOf<T>(changes: ChangeSet<T>, count: number): ChangeSet<T> {
  return changes.changes.length > count ? { ...changes, changes: changes.changes.slice(0, count) } : changes;
}

/** Metrics for prom-client, and a logger that formats and writes nothing: how fast a console is is not the question. */
function observers() {
  const write = (): void => undefined;
  const logger: Logger = { debug: write, info: write, warn: write, error: write };
  const metrics = prometheusMetrics({ registry: new Registry() });
  return { logger, metrics: metrics.reconcile('bench'), queueMetrics: metrics.queue('bench') };
}

function compute(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}
