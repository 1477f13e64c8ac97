import { KubeConfig, CoreV1Api } from '@kubernetes/client-node';
import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { Agent, get as httpsGet } from 'node:https';
import { connect } from 'node:net';
import { aConfigMap, aPod, createApiServer, type ApiServer } from 'rx-informers/testing';
import { configMaps, useApiServer, watch } from './http.js';

describe('the HTTP server of the embedded API server', () => {
  let server: ApiServer;

  // Even if an expectation fails, because a server that is left open keeps the process alive.
  afterEach(() => server.close());

  it('serves HTTPS with a certificate of the authority in its kubeconfig', async () => {
    server = await createApiServer({ tls: true });
    expect(server.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    const status = await new Promise((resolve, reject) => {
      httpsGet(`${server.url}/version`, { agent: new Agent({ ca: server.ca }) }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).on('error', reject);
    });
    expect(status).toBe(200);
    await expect(fetch(`${server.url}/version`)).rejects.toThrow('fetch failed');
    const [cluster] = server.kubeConfigObject().clusters;
    expect(atob(cluster?.cluster['certificate-authority-data'] ?? '')).toBe(server.ca);
  });

  it('closes with watches open, and frees its port', async () => {
    server = await createApiServer();
    const response = await fetch(`${server.url}${configMaps}?watch=true`);
    await server.close();
    await response.text().catch(() => 'cut off');
    await expect(fetch(`${server.url}/version`)).rejects.toThrow('fetch failed');
  });

  it('disconnects a watch whose client does not read, and serves the others', async () => {
    server = await createApiServer({ maxBacklog: 20 });
    const big = 'x'.repeat(200_000);
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      httpGet(`${server.url}${configMaps}?watch=true`, resolve).on('error', reject);
    });
    const other = await watch(server, `${configMaps}?watch=true&resourceVersion=${server.resourceVersion}`);
    const writes = 120;
    for (let index = 0; index < writes; index += 1) {
      server.apply(aConfigMap({ name: 'big', data: { big, index: String(index) } }));
      await other.next(1);
    }
    const outcome = await new Promise<{ readonly received: number; readonly error: string }>((resolve) => {
      let received = 0;
      response.on('data', (chunk: Buffer) => (received += chunk.length));
      response.on('error', (error) => {
        resolve({ received, error: error.message });
      });
      response.on('end', () => {
        resolve({ received, error: 'none' });
      });
    });
    expect(outcome.error).toBe('aborted');
    expect(outcome.received).toBeLessThan(writes * big.length);
    other.close();
  }, 30_000);

  it.each(['//', '///watch', 'http://[', 'x'])(
    'survives a request for %s, also as an upgrade to a WebSocket',
    async (target) => {
      server = await createApiServer();
      for (const upgrade of ['', 'Connection: Upgrade\r\nUpgrade: websocket\r\n']) {
        const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
        const closed = once(socket, 'close');
        socket.on('error', () => undefined).resume();
        socket.end(`GET ${target} HTTP/1.1\r\nHost: localhost\r\n${upgrade || 'Connection: close\r\n'}\r\n`);
        await closed;
      }
      expect((await fetch(`${server.url}/version`)).status).toBe(200);
    },
  );

  it('works with client-node and its own kubeconfig', async () => {
    server = await createApiServer({ users: { secret: { name: 'me', allow: 'everything' } } });
    server.apply(aPod({ name: 'p', node: 'n1' }));
    const config = new KubeConfig();
    config.loadFromString(server.kubeconfig());
    const api = config.makeApiClient(CoreV1Api);
    const { items } = await api.listPodForAllNamespaces();
    expect(items.map((pod) => pod.metadata?.name)).toEqual(['p']);
    const created = await api.createNamespacedConfigMap({
      namespace: 'default',
      body: { metadata: { name: 'c' }, data: { a: 'b' } },
    });
    expect(created.metadata?.uid).toBeDefined();
    await expect(api.readNamespacedConfigMap({ namespace: 'default', name: 'nope' })).rejects.toMatchObject({
      code: 404,
    });
  });
});

describe('discovery in one document', () => {
  const server = useApiServer();

  it.each(['v2', 'v2beta1'])('aggregated discovery comes in version %s on request', async (version) => {
    const contentType = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
    const response = await fetch(`${server().url}/apis`, { headers: { accept: `${contentType},application/json` } });
    expect(response.headers.get('content-type')).toBe(contentType);
    const body = (await response.json()) as { items: { metadata: { name: string } }[] };
    expect(body).toMatchObject({ kind: 'APIGroupDiscoveryList', apiVersion: `apidiscovery.k8s.io/${version}` });
    expect(body.items.map(({ metadata }) => metadata.name)).toContain('apps');
    expect(JSON.stringify(body)).toContain('"subresource":"scale"');
  });
});
