import { KubeConfig } from '@kubernetes/client-node';
import { fileURLToPath } from 'node:url';
import { informer, listWatch, pods, StatusError, type ConfigMap } from 'rx-informers';
import { aPod, createApiServer, type ApiServer, type ApiServerOptions } from 'rx-informers/testing';
import { firstValueFrom } from 'rxjs';
import { requestJson } from '../../../../src/sources/client/kube-client.js';
import { until } from '../../../../test/support/until.js';
import type { DashboardServer, DashboardServerOptions } from '../../server/dashboard-server.js';
import { clientOf, exchange, open, startDashboard, statusIn } from './exchange.js';

const page = fileURLToPath(new URL('../../server/placeholder', import.meta.url));

describe('the server of the dashboard in front of the embedded API server', () => {
  let api: ApiServer;
  let dashboard: DashboardServer;

  async function start(
    options: Partial<DashboardServerOptions> = {},
    apiOptions: ApiServerOptions = {},
    token?: string,
  ): Promise<void> {
    api = await createApiServer(apiOptions);
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromString(api.kubeconfig(token));
    dashboard = await startDashboard({ kubeConfig, page, ...options });
  }

  afterEach(async () => {
    await dashboard.close();
    await api.close();
  });

  it('behaves like a Kubernetes API server to the library', async () => {
    await start();
    api.apply(aPod({ name: 'web', namespace: 'shop' }));
    const podInformer = informer(listWatch(clientOf(dashboard), pods));
    const seen: number[] = [];
    const subscription = podInformer.changes$.subscribe(() => seen.push(podInformer.snapshot.size));

    await until(() => podInformer.snapshot.size === 1);
    api.apply(aPod({ name: 'api', namespace: 'shop' }));
    await until(() => podInformer.snapshot.size === 2);
    subscription.unsubscribe();

    expect(seen.at(-1)).toBe(2);
  });

  it('forwards each event as it arrives, and the headers of a watch before the first event', async () => {
    await start();
    const watch = await open(dashboard.url, '/api/v1/pods?watch=true&resourceVersion=' + api.resourceVersion);
    let received = '';
    watch.setEncoding('utf8').on('data', (text: string) => (received += text));

    expect(watch.statusCode).toBe(200);
    for (const name of ['first', 'second', 'third']) {
      api.apply(aPod({ name }));
      await until(() => received.includes(`"name":"${name}"`));
    }
    watch.destroy();
  });

  it('aborts the watch when the API server disconnects, instead of ending it normally', async () => {
    await start();
    const watch = await open(dashboard.url, '/api/v1/pods?watch=true&resourceVersion=' + api.resourceVersion);
    const broken = new Promise<Error>((resolve) => watch.resume().on('error', resolve));

    api.restart();

    expect(await broken).toMatchObject({ code: 'ECONNRESET' });
  });

  it('forwards 10 MB objects unchanged', async () => {
    await start();
    const value = 'x'.repeat(10 * 1024 * 1024 - 1) + '\u{1F600}';
    api.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'large', annotations: { value } } });

    const client = clientOf(dashboard);
    const large = await firstValueFrom(
      requestJson<ConfigMap>(client, { method: 'GET', path: '/api/v1/namespaces/default/configmaps/large' }),
    );

    expect(large.metadata.annotations?.['value'] === value).toBe(true);
  });

  it('forwards a 403 for one kind, while others work', async () => {
    const users: ApiServerOptions['users'] = {
      reader: { name: 'reader', allow: [{ verbs: ['list'], resources: ['pods'] }] },
    };
    await start({}, { users }, 'reader');

    expect((await exchange(dashboard.url, '/api/v1/pods')).status).toBe(200);
    expect(statusIn(await exchange(dashboard.url, '/api/v1/nodes'))).toMatchObject({ kind: 'Status', code: 403 });
  });

  it('forwards a 401 without a challenge that would make the browser ask the user', async () => {
    await start({}, { users: { known: { name: 'known', allow: 'everything' } } }, 'unknown');
    const refusal = await exchange(dashboard.url, '/api/v1/pods');

    expect(statusIn(refusal)).toMatchObject({ kind: 'Status', code: 401 });
    expect(refusal.headers['www-authenticate']).toBeUndefined();
  });

  it('refuses writes with a Status that the library understands', async () => {
    await start();
    const client = clientOf(dashboard);
    const path = '/api/v1/namespaces/default/configmaps';
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
    const requests: string[] = [];
    api.requests$.subscribe(({ method }) => requests.push(method));

    const error: unknown = await firstValueFrom(requestJson(client, { method: 'POST', path, body })).catch(
      (reason: unknown) => reason,
    );

    expect(error).toBeInstanceOf(StatusError);
    expect(error).toMatchObject({ statusCode: 403, message: expect.stringContaining('--allow-writes') });
    expect(requests).toEqual([]);
  });

  it('writes if writes are enabled', async () => {
    await start({ allowWrites: true });
    const path = '/api/v1/namespaces/default/configmaps';
    const headers = { 'content-type': 'application/json' };
    api.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
    const patch = { 'content-type': 'application/merge-patch+json' };
    const body = JSON.stringify({ data: { mode: 'dark' } });

    const patched = await exchange(dashboard.url, `${path}/a`, { method: 'PATCH', headers: patch, body });
    const chunked = { ...headers, 'transfer-encoding': 'chunked' };
    const deleted = await exchange(dashboard.url, `${path}/a`, { method: 'DELETE', headers: chunked, body: '{}' });
    const again = await exchange(dashboard.url, `${path}/a`, { method: 'DELETE' });

    expect([patched.status, deleted.status, again.status]).toEqual([200, 200, 404]);
  });

  it('does not send refused requests to the API server', async () => {
    await start();
    const requests: string[] = [];
    api.requests$.subscribe(({ path }) => requests.push(path));
    const refused = await Promise.all([
      exchange(dashboard.url, '/api/v1/pods', { headers: { host: 'evil.example' } }),
      exchange(dashboard.url, '/api/v1/pods', { headers: { origin: 'http://evil.example' } }),
      exchange(dashboard.url, '/api/v1/pods', { headers: { 'sec-fetch-site': 'same-site' } }),
      exchange(dashboard.url, '/api/v1/pods', { headers: { connection: 'upgrade', upgrade: 'websocket' } }),
      exchange(dashboard.url, '/api/v1/namespaces/a/pods/b/exec?command=sh'),
      exchange(dashboard.url, '/api/../metrics'),
      exchange(dashboard.url, 'http://evil.example/api'),
      exchange(dashboard.url, '/api/v1/pods', { method: 'DELETE' }),
    ]);

    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 400, 400, 403]);
    expect(refused.map((answer) => statusIn(answer).kind)).toEqual(refused.map(() => 'Status'));
    expect(requests).toEqual([]);
  });

  it('listens on the loopback interface only, and rejects if the port is taken', async () => {
    await start();
    const port = Number(new URL(dashboard.url).port);

    expect(dashboard.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    await expect(startDashboard({ kubeConfig: new KubeConfig(), page, port })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
  });
});
