import { setTimeout as sleep } from 'node:timers/promises';
import type { SeenPod } from '../contestants/client.js';
import type { StartPodController } from '../contestants/controllers/pod-controller.js';
import { letServerStart } from '../contestants/http.js';
import { settledHeap } from '../measure/memory.js';
import { percentile, startStopwatch } from '../measure/times.js';
import type { Figures, RunContext, Scenario } from '../model/scenario.js';
import { lastVersion, WRITTEN_AT } from '../server/watch-lines.js';

const WRITES_PER_SECOND = 2000;
const WORKERS = 10;
/** The duration of each run, in milliseconds. */
const RUN = 1;
/** The share of the writes that come first and do not count, so that the code is compiled. */
const WARM_UP = 1 / 6;

const OURS = 'rx-informers';
const PEER = 'client-node and p-queue';

const contestants: Readonly<Record<string, () => Promise<StartPodController>>> = {
  [OURS]: async () => (await import('../contestants/controllers/rx-informers.js')).controllerOfRxInformers,
  [PEER]: async () => (await import('../contestants/controllers/client-node.js')).controllerOfClientNode,
};

export const controllerRuns: Scenario = {
  name: 'controller-runs',
  title: 'A controller, from the write of an object to the run of its key',
  description: [
    '10,000 pods, of which 2,000 a second are written for twelve seconds; the first two are a warm-up and do not count.',
    'Each write is a run: ten workers, whose runs wait for a timer of 1 ms. The other contestant is what a program writes without a framework: the informer of',
    'client-node, whose handlers add the key to p-queue unless it waits already. It may run a key twice at once, and',
    'it has no retries, no order, no signal and no events. The latency is the time from the moment at which the',
    'server writes an event to the begin of the run that sees the object.',
  ].join(' '),
  contestants: Object.keys(contestants),
  metrics: {
    run: { title: 'processor time of one write and its run', unit: 'µs', better: 'lower' },
    p50: { title: 'from write to run, median', unit: 'ms', better: 'lower' },
    p99: { title: 'from write to run, 99th percentile', unit: 'ms', better: 'lower' },
  },
  targets: [
    {
      figure: { contestant: OURS, metric: 'run' },
      is: 'at most',
      factor: 2,
      reference: { contestant: PEER, metric: 'run' },
    },
    { figure: { contestant: OURS, metric: 'p99' }, is: 'at most', factor: 10 },
  ],
  server: (scale) => ({
    ...(scale === 'full'
      ? { pods: 10_000, events: 12 * WRITES_PER_SECOND }
      : { pods: 1000, events: WRITES_PER_SECOND / 2 }),
    writesPerSecond: WRITES_PER_SECOND,
  }),
  run: async (contestant, context) => {
    const load = contestants[contestant];
    if (load === undefined) throw new Error(`there is no controller ${contestant}`);
    return measure(await load(), context);
  },
};

async function measure(start: StartPodController, { url, content }: RunContext): Promise<Figures> {
  if (content?.events === undefined) throw new Error('the server must write');
  const { pods, events } = content;
  const warmUp = Math.floor(events * WARM_UP);
  const last = lastVersion(content);
  const latencies: number[] = [];
  let runsOfList = 0;
  let listHasRun: () => void = () => undefined;
  let elapsed = startStopwatch();
  let finish: () => void = () => undefined;
  const initialRuns = new Promise<void>((resolve) => {
    listHasRun = resolve;
  });
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const reconcile = async (pod: SeenPod | undefined): Promise<void> => {
    const writtenAt = pod?.metadata?.annotations?.[WRITTEN_AT];
    if (writtenAt !== undefined) latencies.push(Number(process.hrtime.bigint() - BigInt(writtenAt)) / 1e6);
    if (latencies.length === warmUp) elapsed = startStopwatch();
    await sleep(RUN);
    if (writtenAt === undefined && ++runsOfList === pods) listHasRun();
    if (pod?.metadata?.resourceVersion === last) finish();
  };
  const running = start({ url, concurrency: WORKERS, reconcile });
  await running.synced;
  await initialRuns;
  await settledHeap();
  await letServerStart(url);
  await finished;
  const { processor } = elapsed();
  running.stop();
  const counted = latencies.slice(warmUp);
  return {
    run: (processor * 1000) / counted.length,
    p50: percentile(counted, 0.5),
    p99: percentile(counted, 0.99),
  };
}
