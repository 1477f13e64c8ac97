import { blockMetrics, watchEventLoop } from '../measure/event-loop-block.js';
import { peakMemory } from '../measure/peak-memory.js';
import { startStopwatch } from '../measure/stopwatch.js';
import type { Figures, Scenario } from '../model/scenario.js';
import type { StartClient } from './client.js';

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
