import { inNamespaces } from 'rx-informers';
import type { Figures, Scale, Scenario } from '../model/scenario.js';
import { followPods } from '../scaling/follow.js';
import { withApiServer } from '../scaling/start-api-server.js';

const PODS: Readonly<Record<Scale, number>> = { full: 20_000, quick: 1000 };
const NAMESPACES = 50;

const EVERYTHING = 'all namespaces, one watch';
const SET = 'a set of 50, one watch each';

const figure = (contestant: string, metric: string) => ({ contestant, metric });

export const namespaces: Scenario = {
  name: 'namespaces',
  title: 'One watch for all namespaces, or one for each',
  description: [
    '20,000 pods in 50 namespaces are observed with one watch for all of them, and with `inNamespaces` with 50',
    'watches. Then one watch fails with 410, because its version has expired, and the source lists again: everything,',
    'or only its own namespace. The server is `createApiServer` of `rx-informers/testing`, in a process of its own.',
  ].join(' '),
  contestants: [EVERYTHING, SET],
  metrics: {
    wall: { title: 'from start to synced', unit: 'ms', better: 'lower' },
    relistRead: { title: 'read by the relist', unit: 'MB', better: 'lower' },
    relistProcessor: { title: 'processor time of the relist', unit: 'ms', better: 'lower' },
    connections: { title: 'open at the same time', unit: 'connections', better: 'lower' },
    heap: { title: 'heap, with the cache', unit: 'MB', better: 'lower' },
  },
  targets: [
    // One of fifty namespaces has a fiftieth of the bytes. The rest is the cost of the request.
    { figure: figure(SET, 'relistRead'), is: 'at most', factor: 0.03, reference: figure(EVERYTHING, 'relistRead') },
    { figure: figure(SET, 'heap'), is: 'at most', factor: 1.1, reference: figure(EVERYTHING, 'heap') },
  ],
  rounds: 3,
  run: (contestant, { scale }) => run(contestant, PODS[scale]),
};

function run(contestant: string, pods: number): Promise<Figures> {
  const names = Array.from({ length: NAMESPACES }, (_, number) => `namespace-${number}`);
  const isSet = contestant === SET;
  return withApiServer({ pods, namespaces: NAMESPACES }, async (url) => {
    const { client, wall, heap, relist, stop } = await followPods(url, isSet ? { namespace: inNamespaces(names) } : {});
    const { connections } = client;
    const relisted = await relist(isSet ? '/api/v1/namespaces/namespace-7/pods' : '/api/v1/pods');
    stop();
    return { wall, relistRead: relisted.read, relistProcessor: relisted.processor, connections, heap };
  });
}
