import { loadClient, type Clients, type StartClient } from '../contestants/client.js';
import { letServerStart } from '../contestants/http.js';
import { settledHeap } from '../measure/memory.js';
import type { Figures, RunContext, Scenario } from '../model/scenario.js';
import { lastVersion } from '../server/watch-lines.js';

const OURS = 'rx-informers';
const MAP = 'plain Map';

const clients: Clients = {
  [OURS]: async () => {
    const { rxInformers } = await import('../contestants/rx-informers.js');
    return rxInformers({ source: { initialList: 'pages' } });
  },
  [MAP]: async () => (await import('../contestants/thin-loop.js')).thinLoop('pages'),
};

export const heapAfterUpdates: Scenario = {
  name: 'heap-after-updates',
  title: 'Heap per cached pod after an update of every pod',
  description: [
    'The heap in use by each of 50,000 cached pods, before and after one update of the status of each pod. The',
    'objects of the first list share equal parts with their neighbours, and an update must not undo that. The plain',
    'Map replaces each object by the result of `JSON.parse` for the line.',
  ].join(' '),
  contestants: Object.keys(clients),
  rounds: 3,
  metrics: {
    before: { title: 'after the first list', unit: 'bytes', better: 'lower' },
    after: { title: 'after an update of every pod', unit: 'bytes', better: 'lower' },
    growth: { title: 'after an update of every pod, as a multiple of before', unit: '×', better: 'lower' },
  },
  targets: [
    {
      figure: { contestant: OURS, metric: 'after' },
      is: 'at most',
      factor: 1.05,
      reference: { contestant: OURS, metric: 'before' },
    },
  ],
  server: (scale) => (scale === 'full' ? { pods: 50_000, events: 50_000 } : { pods: 2000, events: 2000 }),
  run: async (contestant, context) => measureHeap(await loadClient(clients, contestant), context),
};

async function measureHeap(start: StartClient, { url, content }: RunContext): Promise<Figures> {
  if (content === undefined) throw new Error('without pods there is nothing to measure');
  const last = lastVersion(content);
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const empty = await settledHeap();
  const client = start({
    url,
    updated: ({ metadata }) => {
      if (metadata?.resourceVersion === last) finish();
    },
  });
  await client.synced;
  const before = ((await settledHeap()) - empty) / content.pods;
  await letServerStart(url);
  await finished;
  const after = ((await settledHeap()) - empty) / content.pods;
  client.stop();
  return { before, after, growth: after / before };
}
