import { loadClient, type Clients, type StartClient } from '../contestants/client.js';
import { settledHeap } from '../measure/memory.js';
import type { Figures, RunContext, Scenario } from '../model/scenario.js';

const OURS = 'rx-informers';
const MAP = 'plain Map';

const clients: Clients = {
  [OURS]: async () => {
    const { rxInformers } = await import('../contestants/rx-informers.js');
    return rxInformers({ source: { initialList: 'pages' } });
  },
  [MAP]: async () => (await import('../contestants/thin-loop.js')).thinLoop('pages'),
  'client-node, typed': async () => (await import('../contestants/client-node.js')).typedClientNode,
  'client-node, raw': async () => (await import('../contestants/client-node.js')).rawClientNode,
};

export const heapPerPod: Scenario = {
  name: 'heap-per-pod',
  title: 'Heap per cached pod',
  description: [
    'The heap in use after garbage collection, with 50,000 pods of 4.8 KB of JSON in the cache, minus the heap in use',
    'before, divided by the number of pods. This library has three indexes, and its default transform',
    '`dropManagedFields`. The plain Map and client-node raw hold the results of `JSON.parse` for the pages; in',
    'client-node typed, the pods are instances of classes.',
  ].join(' '),
  contestants: Object.keys(clients),
  metrics: { heap: { title: 'heap in use per pod', unit: 'bytes', better: 'lower' } },
  targets: [
    {
      figure: { contestant: OURS, metric: 'heap' },
      is: 'at most',
      factor: 0.7,
      reference: { contestant: MAP, metric: 'heap' },
    },
  ],
  server: (scale) => ({ pods: scale === 'full' ? 50_000 : 2000 }),
  run: async (contestant, context) => measureHeap(await loadClient(clients, contestant), context),
};

async function measureHeap(start: StartClient, { url, content }: RunContext): Promise<Figures> {
  if (content === undefined) throw new Error('without pods there is nothing to measure');
  const before = await settledHeap();
  const client = start({ url });
  await client.synced;
  const after = await settledHeap();
  client.stop();
  return { heap: (after - before) / content.pods };
}
