import { KubeConfig } from '@kubernetes/client-node';
import { fileURLToPath } from 'node:url';
import { json, startServer, type Answer, type TestServer } from '../../../../test/sources/client/test-server.js';
import type { DashboardServer, DashboardServerOptions } from '../../server/dashboard-server.js';
import { exchange, startDashboard } from './exchange.js';

const page = fileURLToPath(new URL('../../server/placeholder', import.meta.url));

function contextOf(server: string, name: string, namespace?: string): KubeConfig {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromOptions({
    clusters: [{ name: 'c', server, skipTLSVerify: true }],
    users: [{ name: 'ada@kubeconfig', token: name }],
    contexts: [{ name, cluster: 'c', user: 'ada@kubeconfig', ...(namespace !== undefined && { namespace }) }],
    currentContext: name,
  });
  return kubeConfig;
}

describe('the information of the dashboard about a cluster', () => {
  let upstream: TestServer;
  let dashboard: DashboardServer;

  async function start(answer: Answer, options: Partial<DashboardServerOptions> = {}): Promise<void> {
    upstream = await startServer(answer);
    dashboard = await startDashboard({
      kubeConfig: contextOf(upstream.url, 'prod', 'shop'),
      otherContexts: [contextOf(upstream.url, 'arn:aws:eks:eu:1:cluster/staging')],
      page,
      ...options,
    });
  }
  afterEach(async () => {
    await dashboard.close();
    await upstream.close();
  });

  const info = async (prefix = ''): Promise<unknown> =>
    JSON.parse((await exchange(dashboard.url, `${prefix}/dashboard/info`)).body.toString());

  it('contains its context, the user as the API server knows it, its namespace, and whether writes are enabled', async () => {
    await start(json({ status: { userInfo: { username: 'ada' } } }, 201), { namespace: 'web', allowWrites: true });

    expect(await info()).toEqual({
      context: 'prod',
      contexts: ['prod', 'arn:aws:eks:eu:1:cluster/staging'],
      user: 'ada',
      namespace: 'shop',
      forcedNamespace: 'web',
      allowWrites: true,
      secrets: false,
      demo: false,
      hub: [],
    });
    await info();
    expect(upstream.requests.map(({ method, url }) => [method, url])).toEqual([
      ['POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews'],
    ]);
  });

  it.each<[string, Answer]>([
    ['does not support the request', json({ kind: 'Status', code: 404 }, 404)],
    ['sends an invalid response', (_, response) => response.writeHead(201).end('<html>')],
    ['closes the connection', (request) => request.socket.destroy()],
  ])('contains the user of the kubeconfig if the API server %s', async (_, answer) => {
    await start(answer);
    expect(await info()).toMatchObject({ user: 'ada@kubeconfig', forcedNamespace: null, allowWrites: false });
  });

  it('is served for each context below its prefix, like its API', async () => {
    await start(json({}));
    const prefix = `/contexts/${encodeURIComponent('arn:aws:eks:eu:1:cluster/staging')}`;

    expect(await info(prefix)).toMatchObject({ context: 'arn:aws:eks:eu:1:cluster/staging', namespace: null });
    await exchange(dashboard.url, `${prefix}/api/v1/pods?limit=1`);
    await exchange(dashboard.url, '/contexts/prod/api/v1/nodes');
    await exchange(dashboard.url, '/version');
    expect(upstream.requests.slice(1).map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/api/v1/pods?limit=1', 'Bearer arn:aws:eks:eu:1:cluster/staging'],
      ['/api/v1/nodes', 'Bearer prod'],
      ['/version', 'Bearer prod'],
    ]);
    expect((await exchange(dashboard.url, '/contexts/other/api/v1/pods')).status).toBe(404);
  });

  it('is read-only, and served only to the page of this server', async () => {
    await start(json({}));
    const { status } = await exchange(dashboard.url, '/dashboard/info', { method: 'POST' });
    const foreign = await exchange(dashboard.url, '/dashboard/info', { headers: { 'sec-fetch-site': 'cross-site' } });
    expect([status, foreign.status]).toEqual([405, 403]);
  });
});
