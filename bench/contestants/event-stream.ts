import { settledHeap } from '../measure/memory.js';
import { startStopwatch } from '../measure/times.js';
import type { Figures, RunContext, Scenario } from '../model/scenario.js';
import { lastVersion } from '../server/watch-lines.js';
import type { StartClient } from './client.js';
import { letServerStart } from './http.js';

export const eventStreamMetrics = {
  events: { title: 'events applied', unit: 'events/s', better: 'higher' },
  perProcessor: { title: 'events applied per second of processor time', unit: 'events/s', better: 'higher' },
  updates: { title: 'updates that subscribers received', unit: 'emissions', better: 'lower' },
} as const satisfies Scenario['metrics'];

/**
 * The nodes that the live queries follow, one query for each node. A node has 100 pods, so every
 * hundredth event concerns one of these queries.
 */
const NODES = Array.from({ length: 10 }, (_, number) => `node-${number}`);

/**
 * Measures how fast a synced client processes the events of a watch. The server sends the events as
 * fast as the client reads them. The time counts from the first event to the last.
 */
export async function measureEvents(start: StartClient, { url, content }: RunContext): Promise<Figures> {
  if (content?.events === undefined) throw new Error('the server must have events to send');
  const last = lastVersion(content);
  let updates = 0;
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const client = start({
    url,
    nodes: NODES,
    updated: ({ metadata }) => {
      updates += 1;
      if (metadata?.resourceVersion === last) finish();
    },
  });
  await client.synced;
  await settledHeap();
  const elapsed = startStopwatch();
  await letServerStart(url);
  await finished;
  const { wall, processor } = elapsed();
  client.stop();
  return {
    events: (content.events / wall) * 1000,
    perProcessor: (content.events / processor) * 1000,
    updates,
  };
}
