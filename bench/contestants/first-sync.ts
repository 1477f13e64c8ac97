import { watchEventLoop } from '../measure/event-loop-block.js';
import { peakMemory } from '../measure/peak-memory.js';
import { startStopwatch } from '../measure/stopwatch.js';
import type { Figures, Scenario } from '../scenario.js';
import type { StartClient } from './client.js';

export const firstSyncMetrics = {
  wall: { title: 'from start to synced', unit: 'ms', better: 'lower' },
  processor: { title: 'processor time', unit: 'ms', better: 'lower' },
  block: { title: 'longest block of the event loop', unit: 'ms', better: 'lower' },
  peak: { title: 'peak memory of the process', unit: 'MB', better: 'lower' },
} as const satisfies Scenario['metrics'];

/** What it costs a client to know everything, while somebody waits for the pods of one node. */
export async function measureFirstSync(start: StartClient, url: string): Promise<Figures> {
  const longestBlock = watchEventLoop();
  const elapsed = startStopwatch();
  const client = start({ url, nodes: ['node-0'] });
  await client.synced;
  const { wall, processor } = elapsed();
  const figures = { wall, processor, block: longestBlock(), peak: peakMemory() };
  client.stop();
  return figures;
}
