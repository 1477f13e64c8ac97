import { loadClient, type Clients } from '../contestants/client.js';
import { eventStreamMetrics, measureEvents } from '../contestants/event-stream.js';
import type { Scenario } from '../model/scenario.js';

const OURS = 'rx-informers';
const TYPED = 'client-node, typed';
const THIN = 'thin loop';
const FLOOR = 'floor';

const rxInformersWith = (scanner: 'fastest' | 'none') => async () => {
  const { rxInformers } = await import('../contestants/rx-informers.js');
  return rxInformers({ source: { initialList: 'pages' }, scanner });
};

const clients: Clients = {
  [OURS]: rxInformersWith('fastest'),
  'rx-informers, without WebAssembly': rxInformersWith('none'),
  [TYPED]: async () => (await import('../contestants/client-node.js')).typedClientNode,
  [THIN]: async () => (await import('../contestants/thin-loop.js')).thinLoop('pages'),
  [FLOOR]: async () => (await import('../contestants/floor.js')).floor('pages'),
};

const eventsOf = (contestant: string) => ({ contestant, metric: 'events' });

export const modifiedEvents: Scenario = {
  name: 'modified-events',
  title: '50,000 updates, as fast as they are read',
  description: [
    'A synced client of 50,000 pods receives one MODIFIED event for each pod, as fast as it reads them. The order of',
    'the events is unrelated to the order of the keys. The time runs from the first event that is sent to the last',
    'one that is applied. This library keeps three indexes and has subscribers to `changes$` and to `byIndex$` of ten',
    'nodes. client-node has an update handler, the thin loop has a Map and calls a function, and the floor parses',
    'each line. Where WebAssembly does not run, this library parses each line whole. Each event is an HTTP chunk, as',
    'from a real API server.',
  ].join(' '),
  contestants: Object.keys(clients),
  metrics: eventStreamMetrics,
  targets: [
    { figure: eventsOf(OURS), is: 'at least', factor: 1.5, reference: eventsOf(TYPED) },
    { figure: eventsOf(OURS), is: 'at least', factor: 1.4, reference: eventsOf(THIN) },
    { figure: eventsOf(OURS), is: 'at least', factor: 0.8, reference: eventsOf(FLOOR) },
  ],
  server: (scale) => (scale === 'full' ? { pods: 50_000, events: 50_000 } : { pods: 2000, events: 2000 }),
  run: async (contestant, context) => measureEvents(await loadClient(clients, contestant), context),
};
