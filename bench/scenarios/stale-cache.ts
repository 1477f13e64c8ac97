import { KubeConfig } from '@kubernetes/client-node';
import { createApiServer } from 'rx-informers/testing';
import { kubeClient } from '../../src/node.js';
import { scaleUps } from '../fixtures/scale-ups.js';
import { percentile } from '../measure/times.js';
import type { Figures, Scale, Scenario } from '../model/scenario.js';

const LATE = 2_000;
const SIZES: Readonly<Record<Scale, { readonly scaleUps: number; readonly late: number }>> = {
  full: { scaleUps: 1_000, late: LATE },
  quick: { scaleUps: 40, late: 100 },
};

const GUARDED = 'rx-informers, controller({ client })';
const UNGUARDED = 'rx-informers, without client';
const NOTHING = 'floor: a run without waiting';

export const staleCache: Scenario = {
  name: 'stale-cache',
  title: 'Children created by a controller whose watch is two seconds late',
  description: [
    'Fifty objects are scaled up 1,000 times in total, by one child each time. A controller with eight workers',
    'creates the children that its cache does not show. It never deletes, so every surplus child is counted. The',
    'watch of the children is two seconds late. Then the same program runs with a prompt watch; the figure is the',
    'time from the response to a scale-up until its child is created. The floor is the program without `client` and',
    'with a prompt watch. All requests go over HTTP to the embedded API server, in the same process.',
  ].join(' '),
  contestants: [NOTHING, UNGUARDED, GUARDED],
  metrics: {
    surplus: { title: 'surplus children with a watch two seconds late', unit: 'objects', better: 'lower' },
    prompt50: { title: 'prompt watch: median', unit: 'ms', better: 'lower' },
    prompt99: { title: 'prompt watch: 99th percentile', unit: 'ms', better: 'lower' },
  },
  targets: [
    { figure: { contestant: GUARDED, metric: 'surplus' }, is: 'at most', factor: 0 },
    { figure: { contestant: UNGUARDED, metric: 'surplus' }, is: 'at least', factor: 1 },
  ],
  run: async (contestant, { scale }) => run(contestant, SIZES[scale]),
};

async function run(contestant: string, { scaleUps: count, late }: (typeof SIZES)[Scale]): Promise<Figures> {
  const server = await createApiServer();
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(server.kubeconfig());
  const client = kubeClient(kubeConfig);
  const settings = { isGuarded: contestant === GUARDED, parents: count / 20, scaleUps: count, every: 10 };
  const of = (name: string) => {
    server.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    return scaleUps(client, {
      ...settings,
      namespace: name,
      late: name === 'late' && contestant !== NOTHING ? late : 0,
    });
  };
  try {
    const { surplus } = await of('late');
    const { waits } = await of('prompt');
    return { surplus, prompt50: percentile(waits, 0.5), prompt99: percentile(waits, 0.99) };
  } finally {
    await server.close();
  }
}
