import { loadClient, type Clients } from '../contestants/client.js';
import { firstSyncMetrics, measureFirstSync } from '../contestants/lists.js';
import { LONGEST_BLOCK } from '../measure/event-loop-block.js';
import type { Scenario } from '../model/scenario.js';

const OURS = 'rx-informers';
const FLOOR = 'floor';
const TYPED = 'client-node, typed';

const clients: Clients = {
  [OURS]: async () => {
    const { rxInformers } = await import('../contestants/rx-informers.js');
    return rxInformers({ source: { initialList: 'pages' } });
  },
  [TYPED]: async () => (await import('../contestants/client-node.js')).typedClientNode,
  'client-node, raw': async () => (await import('../contestants/client-node.js')).rawClientNode,
  'thin loop': async () => (await import('../contestants/thin-loop.js')).thinLoop('pages'),
  [FLOOR]: async () => (await import('../contestants/floor.js')).floor('pages'),
};

const wallOf = (contestant: string) => ({ contestant, metric: 'wall' });

export const firstSyncPaged: Scenario = {
  name: 'first-sync-paged',
  title: 'First sync of 50,000 pods, in pages',
  description: [
    'An informer starts on 50,000 pods of 4.8 KB. It is synced when all of them are in its cache. This library (with',
    'three indexes and one `byIndex$` subscription), the thin loop and the floor read pages of 500 pods. client-node',
    'requests all pods at once: typed, as its documentation shows it, and raw, with a list function that returns',
    'parsed JSON. The floor parses the same pages and keeps nothing.',
  ].join(' '),
  contestants: Object.keys(clients),
  metrics: firstSyncMetrics,
  targets: [
    { figure: wallOf(OURS), is: 'at most', factor: 1.08, reference: wallOf(FLOOR) },
    { figure: wallOf(OURS), is: 'at most', factor: 0.6, reference: wallOf(TYPED) },
    { figure: { contestant: OURS, metric: 'block' }, is: 'at most', factor: LONGEST_BLOCK },
  ],
  server: (scale) => ({ pods: scale === 'full' ? 50_000 : 2000 }),
  run: async (contestant, { url }) => measureFirstSync(await loadClient(clients, contestant), url),
};
