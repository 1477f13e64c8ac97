import { loadClient, type Clients, type StartClient } from '../contestants/client.js';
import { letServerStart } from '../contestants/http.js';
import { settledHeap } from '../measure/settled-heap.js';
import { startStopwatch } from '../measure/stopwatch.js';
import type { Figures, RunContext, Scenario } from '../scenario.js';

const OURS = 'rx-informers';
const FLOOR = 'floor';

const clients: Clients = {
  [OURS]: async () => {
    const { rxInformers } = await import('../contestants/rx-informers.js');
    return rxInformers({ source: { initialList: 'pages', backoff: () => 0 } });
  },
  'client-node, typed': async () => (await import('../contestants/client-node.js')).typedClientNode,
  'client-node, raw': async () => (await import('../contestants/client-node.js')).rawClientNode,
  'thin loop': async () => (await import('../contestants/thin-loop.js')).thinLoop('pages'),
  [FLOOR]: async () => (await import('../contestants/floor.js')).floor('pages'),
};

const MOST_MEGABYTES_KEPT = 5;

export const relistUnchanged: Scenario = {
  name: 'relist-unchanged',
  title: 'Repeated relists of 50,000 unchanged pods',
  description: [
    'The server ends five watches with 410 Gone, and each time the client lists 50,000 pods again, of which none has changed. It must',
    'emit nothing (here to `snapshot$`, `changes$` and `byIndex$` of one node; there to all handlers), and the heap must not grow. This',
    'library waits after a 410, as client-go does; here `backoff: () => 0` removes the wait, because the work is what is measured.',
    'Quick: 2,000 pods and four relists, because a source sends at most ten requests at once.',
  ].join(' '),
  contestants: Object.keys(clients),
  metrics: {
    wall: { title: 'time of one relist', unit: 'ms', better: 'lower' },
    processor: { title: 'processor time of one relist', unit: 'ms', better: 'lower' },
    emissions: { title: 'emissions after the first sync', unit: 'emissions', better: 'lower' },
    kept: { title: 'growth of the heap in five relists', unit: 'MB', better: 'lower' },
  },
  targets: [
    { figure: { contestant: OURS, metric: 'emissions' }, is: 'at most', factor: 0 },
    {
      figure: { contestant: OURS, metric: 'wall' },
      is: 'at most',
      factor: 1.4,
      reference: { contestant: FLOOR, metric: 'wall' },
    },
    { figure: { contestant: OURS, metric: 'kept' }, is: 'at most', factor: MOST_MEGABYTES_KEPT },
  ],
  server: (scale) => (scale === 'full' ? { pods: 50_000, expirations: 5 } : { pods: 2000, expirations: 4 }),
  run: async (contestant, context) => measureRelists(await loadClient(clients, contestant), context),
};

async function measureRelists(start: StartClient, { url, content }: RunContext): Promise<Figures> {
  const relists = content?.expirations;
  if (relists === undefined) throw new Error('the server must end watches');
  let lists = 0;
  let emissions = 0;
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
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
  const heap = await settledHeap();
  const before = emissions;
  const elapsed = startStopwatch();
  await letServerStart(url);
  await finished;
  const { wall, processor } = elapsed();
  const kept = (await settledHeap()) - heap;
  client.stop();
  return {
    wall: wall / relists,
    processor: processor / relists,
    emissions: emissions - before,
    kept: kept / 1024 ** 2,
  };
}
