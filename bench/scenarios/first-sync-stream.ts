import { loadClient, type Clients } from '../contestants/client.js';
import { firstSyncMetrics, measureFirstSync } from '../contestants/lists.js';
import { LONGEST_BLOCK } from '../measure/event-loop-block.js';
import type { Scenario } from '../model/scenario.js';

const OURS = 'rx-informers';
const PAGED = 'rx-informers, pages';
const FLOOR = 'floor';

const rxInformersBy = (initialList: 'pages' | 'stream') => async () => {
  const { rxInformers } = await import('../contestants/rx-informers.js');
  return rxInformers({ source: { initialList } });
};

const clients: Clients = {
  [OURS]: rxInformersBy('stream'),
  [PAGED]: rxInformersBy('pages'),
  'thin loop': async () => (await import('../contestants/thin-loop.js')).thinLoop('stream'),
  [FLOOR]: async () => (await import('../contestants/floor.js')).floor('stream'),
};

export const firstSyncStream: Scenario = {
  name: 'first-sync-stream',
  title: 'First sync of 50,000 pods, by streaming list',
  description: [
    'The same with a streaming list (`sendInitialEvents`): the server sends each pod as an event, and one bookmark at',
    'the end. This library does so by default; for comparison, it is also measured with pages. client-node has no',
    'streaming lists. The thin loop and the floor read the same stream.',
  ].join(' '),
  contestants: Object.keys(clients),
  metrics: firstSyncMetrics,
  targets: [
    {
      figure: { contestant: OURS, metric: 'wall' },
      is: 'at most',
      factor: 1.15,
      reference: { contestant: FLOOR, metric: 'wall' },
    },
    {
      figure: { contestant: OURS, metric: 'peak' },
      is: 'at most',
      factor: 1,
      reference: { contestant: PAGED, metric: 'peak' },
    },
    { figure: { contestant: OURS, metric: 'block' }, is: 'at most', factor: LONGEST_BLOCK },
  ],
  server: (scale) => ({ pods: scale === 'full' ? 50_000 : 2000 }),
  run: async (contestant, { url }) => measureFirstSync(await loadClient(clients, contestant), url),
};
