import { loadClient, type Clients, type StartClient } from '../contestants/client.js';
import { measureRelists } from '../contestants/lists.js';
import { LONGEST_BLOCK } from '../measure/event-loop-block.js';
import type { Figures, Metric, RunContext, Scenario } from '../model/scenario.js';

const OURS = 'rx-informers';
const PAGED = 'rx-informers, pages';

const rxInformersBy = (initialList: 'pages' | 'stream') => async () => {
  const { rxInformers } = await import('../contestants/rx-informers.js');
  return rxInformers({ source: { initialList, backoff: () => 0 } });
};

const clients: Clients = {
  [OURS]: rxInformersBy('stream'),
  [PAGED]: rxInformersBy('pages'),
  'thin loop': async () => (await import('../contestants/thin-loop.js')).thinLoop('pages'),
  floor: async () => (await import('../contestants/floor.js')).floor('pages'),
};

const milliseconds = (title: string): Metric => ({ title, unit: 'ms', better: 'lower' });

export const longestBlock: Scenario = {
  name: 'longest-block',
  title: 'How long a client of 118,000 pods blocks the event loop',
  description: [
    'The longest delay of a timer: while the first list of 118,000 pods is read and committed, and while the same',
    'list is read again after 410 Gone, twice. This library reads streaming lists, which is its default, and pages.',
    'The other two contestants read pages of 500 pods and call `JSON.parse` once for each page; the floor keeps',
    'nothing. The second figure of each leaves out the pauses of the garbage collector.',
  ].join(' '),
  contestants: Object.keys(clients),
  rounds: 3,
  metrics: {
    sync: milliseconds('first sync, longest block'),
    syncWithoutCollector: milliseconds("first sync, without the collector's pauses"),
    relist: milliseconds('relist, longest block'),
    relistWithoutCollector: milliseconds("relist, without the collector's pauses"),
    syncTime: milliseconds('from start to synced'),
    relistTime: milliseconds('time of one relist'),
  },
  targets: [OURS, PAGED].flatMap((contestant) =>
    ['sync', 'relist'].map((metric) => ({
      figure: { contestant, metric },
      is: 'at most' as const,
      factor: LONGEST_BLOCK,
    })),
  ),
  server: (scale) => ({ pods: scale === 'full' ? 118_000 : 2000, expirations: 2 }),
  run: async (contestant, context) => measure(await loadClient(clients, contestant), context),
};

async function measure(start: StartClient, context: RunContext): Promise<Figures> {
  const { sync, relist } = await measureRelists(start, context);
  return {
    sync: sync.block,
    syncWithoutCollector: sync.withoutCollector,
    relist: relist.block,
    relistWithoutCollector: relist.withoutCollector,
    syncTime: sync.wall,
    relistTime: relist.wall,
  };
}
