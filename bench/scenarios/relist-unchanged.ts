import { dropManagedFields } from '../../src/resources.js';
import { loadClient, type Clients } from '../contestants/client.js';
import { measureRelists, relistMetrics } from '../contestants/lists.js';
import { LONGEST_BLOCK } from '../measure/event-loop-block.js';
import type { Scenario } from '../model/scenario.js';

const OURS = 'rx-informers';
const FLOOR = 'floor';

const rxInformersWith = (scanner: 'fastest' | 'none') => async () => {
  const { rxInformers } = await import('../contestants/rx-informers.js');
  return rxInformers({ source: { initialList: 'pages', backoff: () => 0 }, scanner });
};

const clients: Clients = {
  [OURS]: rxInformersWith('fastest'),
  'rx-informers, without WebAssembly': rxInformersWith('none'),
  'rx-informers, transform': async () => {
    const { rxInformers } = await import('../contestants/rx-informers.js');
    const transform = <T>(pod: T): T => dropManagedFields(pod);
    return rxInformers({ source: { initialList: 'pages', backoff: () => 0, transform } });
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
    'The server ends five watches with 410 Gone. Each time, the client lists 50,000 pods again, and none of them has',
    'changed. The client must emit nothing (this library to `snapshot$`, `changes$` and `byIndex$` of one node; the',
    'others to all handlers), and the heap must not grow. This library does not parse objects that it already holds',
    'in the same bytes. Without WebAssembly or with a transform, it knows no digests: it parses every object and',
    'compares it with the stored content. It waits after a 410, as client-go does; here `backoff: ()',
    '=> 0` removes the wait, because only the work is measured.',
  ].join(' '),
  contestants: Object.keys(clients),
  metrics: relistMetrics,
  targets: [
    { figure: { contestant: OURS, metric: 'emissions' }, is: 'at most', factor: 0 },
    {
      figure: { contestant: OURS, metric: 'wall' },
      is: 'at most',
      factor: 0.43,
      reference: { contestant: FLOOR, metric: 'wall' },
    },
    { figure: { contestant: OURS, metric: 'block' }, is: 'at most', factor: LONGEST_BLOCK },
    { figure: { contestant: OURS, metric: 'kept' }, is: 'at most', factor: MOST_MEGABYTES_KEPT },
  ],
  server: (scale) => (scale === 'full' ? { pods: 50_000, expirations: 5 } : { pods: 2000, expirations: 4 }),
  run: async (contestant, context) => (await measureRelists(await loadClient(clients, contestant), context)).relist,
};
