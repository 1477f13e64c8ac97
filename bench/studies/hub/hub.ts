import { KubeConfig } from '@kubernetes/client-node';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { pods, type KubeClient } from 'rx-informers';
import { serveHub, type HubSocket } from 'rx-informers/hub';
import { kubeClient } from 'rx-informers/node';
import { finalize } from 'rxjs';
import { WebSocketServer } from 'ws';
import type { Report } from './world.js';

// The process of the hub. The identity is in the address, as only a study may do it.

const kubeConfig = new KubeConfig();
kubeConfig.loadFromFile(process.argv[2] ?? '');
const own = kubeClient(kubeConfig);
let [watches, most, reviews, rss] = [0, 0, 0, 0];
setInterval(() => (rss = Math.max(rss, process.memoryUsage.rss())), 50);
/** Counts the watches that are open, and the reviews. */
const client: KubeClient = {
  ...own,
  exchange: (request) => {
    if (request.path.endsWith('reviews')) reviews++;
    if (request.query?.['watch'] === undefined) return own.exchange(request);
    most = Math.max(most, ++watches);
    return own.exchange(request).pipe(finalize(() => watches--));
  },
};
const hub = serveHub({ client, kinds: [pods], reviewsPerSecond: Number(process.argv[4] ?? 50) });
const server = createServer();
const sockets = new WebSocketServer({ server, maxPayload: 64 * 1024, perMessageDeflate: false });
sockets.on('connection', (socket, request) => {
  const parameters = new URL(request.url ?? '', 'http://hub').searchParams;
  hub.accept(socket as unknown as HubSocket, {
    user: parameters.get('user') ?? '',
    groups: parameters.getAll('group'),
  });
});
server.listen(Number(process.argv[3] ?? 0), '127.0.0.1', () => {
  report({ type: 'ready', url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
setInterval(() => report({ type: 'hub', rss, watches: most, reviews }), 500);

function report(message: Report): void {
  process.send?.(message);
}
