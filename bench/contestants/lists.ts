import { blockMetrics, watchEventLoop, type LongestBlock } from '../measure/event-loop-block.js';
import { settledHeap, peakMemory } from '../measure/memory.js';
import { startStopwatch, type Elapsed } from '../measure/times.js';
import type { RunContext, Scenario, Figures } from '../model/scenario.js';
import type { StartClient } from './client.js';
import { letServerStart } from './http.js';

export const firstSyncMetrics = {
  wall: { title: 'from start to synced', unit: 'ms', better: 'lower' },
  processor: { title: 'processor time', unit: 'ms', better: 'lower' },
  ...blockMetrics,
  peak: { title: 'peak memory of the process', unit: 'MB', better: 'lower' },
} as const satisfies Scenario['metrics'];

/** Measures the cost of the first sync of a client, while a view waits for the pods of one node. */
export async function measureFirstSync(start: StartClient, url: string): Promise<Figures> {
  const endOfWatching = watchEventLoop();
  const elapsed = startStopwatch();
  const client = start({ url, nodes: ['node-0'] });
  await client.synced;
  const { wall, processor } = elapsed();
  const figures = { wall, processor, peak: peakMemory(), ...(await endOfWatching()) };
  client.stop();
  return figures;
}

export const relistMetrics = {
  wall: { title: 'time of one relist', unit: 'ms', better: 'lower' },
  processor: { title: 'processor time of one relist', unit: 'ms', better: 'lower' },
  ...blockMetrics,
  emissions: { title: 'emissions after the first sync', unit: 'emissions', better: 'lower' },
  kept: { title: 'growth of the heap in all relists', unit: 'MB', better: 'lower' },
} as const satisfies Scenario['metrics'];

/** The figures of the first list, and of each later list. */
interface RelistFigures {
  readonly sync: Elapsed & LongestBlock;
  readonly relist: Readonly<Record<keyof typeof relistMetrics, number>>;
}

/** Measures the cost of the first list, and of each list after the server has ended the watch. */
export async function measureRelists(start: StartClient, { url, content }: RunContext): Promise<RelistFigures> {
  const relists = content?.expirations;
  if (relists === undefined) throw new Error('the server must end watches');
  let lists = 0;
  let emissions = 0;
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const endOfFirst = watchEventLoop();
  const elapsedInFirst = startStopwatch();
  const client = start({
    url,
    nodes: ['node-0'],
    listed: () => {
      lists += 1;
      if (lists === 1 + relists) finish();
    },
    emitted: () => {
      emissions += 1;
    },
  });
  await client.synced;
  const sync = { ...elapsedInFirst(), ...(await endOfFirst()) };
  const heap = await settledHeap();
  const before = emissions;
  const endOfWatching = watchEventLoop();
  const elapsed = startStopwatch();
  await letServerStart(url);
  await finished;
  const { wall, processor } = elapsed();
  const blocks = await endOfWatching();
  const kept = (await settledHeap()) - heap;
  client.stop();
  const relist = {
    wall: wall / relists,
    processor: processor / relists,
    ...blocks,
    emissions: emissions - before,
    kept: kept / 1024 ** 2,
  };
  return { sync, relist };
}
