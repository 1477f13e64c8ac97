import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { map } from 'rxjs';
import { controller, type Logger, type ReconcileRequest } from '../../src/controller/index.js';
import { informer, listWatch, pods, type ChangeSet, type Informer, type Pod } from '../../src/index.js';
import { kubeClient } from '../../src/node.js';
import { prometheusMetrics } from '../../src/prometheus/index.js';
import type { ObjectFromServer } from '../../src/resources.js';
import { benchKubeConfig } from '../contestants/bench-kube-config.js';
import { watchComputing } from '../measure/event-loop-block.js';
import { startStopwatch } from '../measure/times.js';
import type { Figures, Scale, Scenario } from '../model/scenario.js';

const BARE = 'rx-informers';
const OBSERVED = 'rx-informers, with logger and metrics';

/**
 * The number of objects, the number of runs that compute, the number of `async` runs, and the time
 * in milliseconds after which all keys are queued.
 */
const SIZES: Readonly<Record<Scale, Readonly<Record<'objects' | 'computed' | 'awaited' | 'queuing', number>>>> = {
  full: { objects: 40_000, computed: 20_000, awaited: 9_000, queuing: 3_000 },
  quick: { objects: 1_000, computed: 500, awaited: 100, queuing: 300 },
};

/** The time for which a run computes, in milliseconds. */
const COMPUTED = 0.2;
const AWAITED = 2.5;

const BAR = 50;

export const eventLoop: Scenario = {
  name: 'event-loop',
  title: 'How long a controller blocks the event loop',
  description: [
    'A controller of 40,000 pods, which are read over HTTP. Its runs wait for nothing but settled promises. The',
    'figures are the longest delays of a timer in five situations: with runs that do nothing, while the list arrives,',
    'and from a cache that is already filled; with 20,000 runs that compute for 0.2 ms; with 9,000 `async` runs that',
    'compute for 2.5 ms; and while 40,000 queued keys are dropped at the end of the grace period. If the processor',
    'time of a pause is shorter than the pause, it counts instead. The last figure is the processor time of one run',
    'that does nothing, from the filled cache.',
  ].join(' '),
  contestants: [BARE, OBSERVED],
  rounds: 3,
  metrics: {
    arriving: { title: 'longest block while the list arrives', unit: 'ms', better: 'lower' },
    warm: { title: 'longest block with a filled cache', unit: 'ms', better: 'lower' },
    computing: { title: 'longest block with runs that compute for 0.2 ms', unit: 'ms', better: 'lower' },
    awaiting: { title: 'longest block with `async` runs that compute for 2.5 ms', unit: 'ms', better: 'lower' },
    dropping: { title: 'longest block while queued keys are dropped', unit: 'ms', better: 'lower' },
    run: { title: 'processor time of one run that does nothing', unit: 'µs', better: 'lower' },
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

/** The work of one controller in a process with a synced informer. */
interface Work {
  readonly source: Informer<ObjectFromServer<Pod>>;
  readonly isObserved: boolean;
  /** The number of objects, counted from the start of the list, that cause a run. */
  readonly count: number;
  readonly reconcile: (request: ReconcileRequest<ObjectFromServer<Pod>>) => unknown;
  /**
   * The time in milliseconds after the start of the first run at which running keys are ended and
   * waiting keys are dropped.
   */
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

/**
 * Returns the processor time of the work and its longest block of the event loop, both in
 * milliseconds.
 */
async function carryOut({ source, isObserved, count, reconcile, cutOffAfter }: Work) {
  // Collects the garbage of earlier work, and lets the timers of that work fire.
  globalThis.gc?.();
  await sleep(20);
  const longest = watchComputing();
  await sleep(20);
  const elapsed = startStopwatch();
  let left = count;
  const events$ = controller({
    for: { source, through: map((changes: ChangeSet<ObjectFromServer<Pod>>) => firstOf(changes, count)) },
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

/**
 * Returns metrics for prom-client, and a logger that writes nothing, because the cost of the
 * console must not be measured.
 */
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
