import { latestOnly } from 'rx-informers/store';
import { loadClient, type Clients } from '../contestants/client.js';
import { eventStreamMetrics, measureEvents } from '../contestants/event-stream.js';
import type { RxInformersOptions } from '../contestants/rx-informers.js';
import type { Scenario } from '../model/scenario.js';

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
    'As in the previous scenario, but 5,000 of the 50,000 pods are written ten times in a row, so nine of ten events',
    'are superseded by the next one. This library is measured twice: once it parses and applies only the last event',
    'of each pod in a network read (`latestOnly` of the source, `dedup: latestOnly` of the informer), and once it',
    'applies every event. The reader and the kernel decide which events are in one network read. So the number of',
    'updates that subscribers receive is measured as well.',
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
