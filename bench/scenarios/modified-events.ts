import { loadClient, type Clients } from '../contestants/client.js';
import { eventStreamMetrics, measureEvents } from '../contestants/event-stream.js';
import type { Scenario } from '../scenario.js';

const OURS = 'rx-informers';
const TYPED = 'client-node, typed';
const THIN = 'thin loop';

const clients: Clients = {
  [OURS]: async () => {
    const { rxInformers } = await import('../contestants/rx-informers.js');
    return rxInformers({ source: { initialList: 'pages' } });
  },
  [TYPED]: async () => (await import('../contestants/client-node.js')).typedClientNode,
  [THIN]: async () => (await import('../contestants/thin-loop.js')).thinLoop('pages'),
  floor: async () => (await import('../contestants/floor.js')).floor('pages'),
};

const eventsOf = (contestant: string) => ({ contestant, metric: 'events' });

export const modifiedEvents: Scenario = {
  name: 'modified-events',
  title: '50,000 updates, as fast as they are read',
  description: [
    'A synced client of 50,000 pods receives one MODIFIED event for each of them, in an order that has nothing to do with that of their keys,',
    'as fast as it reads; from the first one that is sent to the last one that is applied. This library keeps three indexes and has',
    'subscribers to `changes$` and to `byIndex$` of ten nodes; client-node has an update handler; the thin loop has a Map and calls a',
    'function; the floor parses each line. As from the API server, each event is an HTTP chunk of its own. Quick: 2,000 pods and events.',
  ].join(' '),
  contestants: Object.keys(clients),
  metrics: eventStreamMetrics,
  targets: [
    { figure: eventsOf(OURS), is: 'at least', factor: 1.3, reference: eventsOf(TYPED) },
    { figure: eventsOf(OURS), is: 'at least', factor: 1.2, reference: eventsOf(THIN) },
  ],
  server: (scale) => (scale === 'full' ? { pods: 50_000, events: 50_000 } : { pods: 2000, events: 2000 }),
  run: async (contestant, context) => measureEvents(await loadClient(clients, contestant), context),
};
