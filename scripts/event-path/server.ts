import { aPod, createApiServer } from '../../src/testing/index.js';

/*
 * The other process of client.ts: an API server with five pods. Sends its kubeconfig, then changes
 * one of the pods for each message.
 */
const server = await createApiServer();
const podOf = (name: string, label: string): ReturnType<typeof aPod> =>
  aPod({ namespace: 'web', name, node: 'n1', labels: { app: 'shop', label } });

for (const name of ['p0', 'p1', 'p2', 'p3', 'p4']) server.apply(podOf(name, 'first'));
process.on('message', (label) => server.apply(podOf('p1', String(label))));
process.send?.(server.kubeconfig());
