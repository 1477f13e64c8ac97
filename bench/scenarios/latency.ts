import { loadClient, type Clients, type StartClient } from '../contestants/client.js';
import { letServerStart } from '../contestants/http.js';
import { benchPod } from '../fixtures/pod.js';
import { settledHeap } from '../measure/memory.js';
import { percentile } from '../measure/times.js';
import type { Figures, RunContext, Scenario } from '../model/scenario.js';
import { WRITTEN_AT } from '../server/watch-lines.js';

const OURS = 'rx-informers';
const TYPED = 'client-node, typed';
const WRITES_PER_SECOND = 1000;

const clients: Clients = {
  [OURS]: async () => {
    const { rxInformers } = await import('../contestants/rx-informers.js');
    return rxInformers({ source: { initialList: 'pages' }, updatesFrom: 'nodes' });
  },
  [TYPED]: async () => (await import('../contestants/client-node.js')).typedClientNode,
  'thin loop': async () => (await import('../contestants/thin-loop.js')).thinLoop('pages'),
  floor: async () => (await import('../contestants/floor.js')).floor('pages'),
};

const of = (contestant: string, metric: string) => ({ contestant, metric });

export const latency: Scenario = {
  name: 'latency',
  title: 'Latency from a write to the subscriber, at 1,000 writes a second',
  description: [
    '10,000 pods, of which 1,000 a second are written for ten seconds. The latency is the time from the moment at',
    'which the server writes an event to the moment at which a subscriber receives it. This library has three indexes',
    'and a `byIndex$` subscription for every node; the end is the emission of the pods of the node that contains the',
    'new pod. In client-node, the end is the call of the update handler; in the thin loop, a call after the Map was',
    'changed; in the floor, the parsed line.',
  ].join(' '),
  contestants: Object.keys(clients),
  metrics: {
    p50: { title: 'median', unit: 'ms', better: 'lower' },
    p99: { title: '99th percentile', unit: 'ms', better: 'lower' },
    max: { title: 'maximum', unit: 'ms', better: 'lower' },
  },
  targets: [
    { figure: of(OURS, 'p50'), is: 'at most', factor: 1.3, reference: of(TYPED, 'p50') },
    { figure: of(OURS, 'p99'), is: 'at most', factor: 0.6, reference: of(TYPED, 'p99') },
  ],
  server: (scale) => ({
    ...(scale === 'full'
      ? { pods: 10_000, events: 10 * WRITES_PER_SECOND }
      : { pods: 2000, events: 2 * WRITES_PER_SECOND }),
    writesPerSecond: WRITES_PER_SECOND,
  }),
  run: async (contestant, context) => measureLatency(await loadClient(clients, contestant), context),
};

async function measureLatency(start: StartClient, { url, content }: RunContext): Promise<Figures> {
  if (content?.events === undefined) throw new Error('the server must write');
  const { pods, events } = content;
  const latencies: number[] = [];
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const client = start({
    url,
    nodes: nodesOf(pods),
    updated: ({ metadata }) => {
      const writtenAt = metadata?.annotations?.[WRITTEN_AT];
      if (writtenAt === undefined) return;
      latencies.push(Number(process.hrtime.bigint() - BigInt(writtenAt)) / 1e6);
      if (latencies.length === events) finish();
    },
  });
  await client.synced;
  await settledHeap();
  await letServerStart(url);
  await finished;
  client.stop();
  return { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99), max: percentile(latencies, 1) };
}

function nodesOf(pods: number): readonly string[] {
  return [...new Set(Array.from({ length: pods }, (_, number) => benchPod(number).spec.nodeName))];
}
