import { latestOnly } from 'rx-informers';
import { loadClient, type Clients } from '../contestants/client.js';
import { eventStreamMetrics, measureEvents } from '../contestants/event-stream.js';
import type { RxInformersOptions } from '../contestants/rx-informers.js';
import type { Scenario } from '../scenario.js';

const OURS = 'rx-informers';
const TYPED = 'client-node, typed';

const rxInformersWith = (options: RxInformersOptions) => async () => {
  const { rxInformers } = await import('../contestants/rx-informers.js');
  return rxInformers(options);
};

const clients: Clients = {
  [OURS]: rxInformersWith({ source: { initialList: 'pages', dedup: latestOnly }, informer: { dedup: latestOnly } }),
  'rx-informers, client-go dedup': rxInformersWith({
    source: { initialList: 'pages' },
    informer: { dedup: 'client-go' },
  }),
  [TYPED]: async () => (await import('../contestants/client-node.js')).typedClientNode,
  'thin loop': async () => (await import('../contestants/thin-loop.js')).thinLoop('pages'),
  floor: async () => (await import('../contestants/floor.js')).floor('pages'),
};

const eventsOf = (contestant: string) => ({ contestant, metric: 'events' });

export const statusStorm: Scenario = {
  name: 'status-storm',
  title: 'A status storm: ten updates of each pod, one after another',
  description: [
    'As the one before, but 5,000 of the 50,000 pods are written ten times in a row, so that nine of ten events are superseded by the next',
    'one. Of each network read, this library parses and applies only what is not (`latestOnly` of the source, `dedup: latestOnly` of the informer), and once more every step. What is in one',
    'network read is decided by the reader and the kernel, so how much is superseded is measured as well: the updates that subscribers heard',
    'of. Quick: 2,000 pods and events.',
  ].join(' '),
  contestants: Object.keys(clients),
  metrics: eventStreamMetrics,
  targets: [{ figure: eventsOf(OURS), is: 'at least', factor: 1.5, reference: eventsOf(TYPED) }],
  server: (scale) => ({
    ...(scale === 'full' ? { pods: 50_000, events: 50_000 } : { pods: 2000, events: 2000 }),
    eventsPerPod: 10,
  }),
  run: async (contestant, context) => measureEvents(await loadClient(clients, contestant), context),
};
