import { fileURLToPath } from 'node:url';
import { informer, pods, serviceAccounts, type KubeClient } from 'rx-informers';
import { kubeClient } from 'rx-informers/node';
import type { Unsubscribable } from 'rxjs';
import { connect, readKubeConfig, type Cluster } from '../../../../../test/cluster/support/cluster.js';
import { startRig, type Rig } from '../../../../../test/cluster/support/rig.js';
import { until } from '../../../../../test/cluster/support/until.js';
import { startDashboardServer, type DashboardServer } from '../../../server/dashboard-server.js';
import { exchange, open } from '../../server/exchange.js';
import { fromPage, host, origin } from '../../server/team.js';
import { accountsOf, type Accounts } from '../support/accounts.js';

const page = fileURLToPath(new URL('../../../server/placeholder', import.meta.url));

describe('the dashboard of a team in front of a real API server with RBAC', () => {
  let rig: Rig;
  let cluster: Cluster;
  let namespace: string;
  let accounts: Accounts;
  let dashboard: DashboardServer;
  let following: Unsubscribable | undefined;

  beforeAll(async () => {
    rig = await startRig({ kind: 'kube120' });
    cluster = connect(rig.kubeConfigFile);
    namespace = await cluster.createNamespace();
    accounts = accountsOf(cluster, namespace);
    await accounts.role('pods', ['get', 'list', 'watch', 'delete']);
    await accounts.role('services', ['get', 'list', 'watch']);
    await accounts.create('ada');
    await accounts.create('grace');
    await accounts.bind('ada', 'pods');
    await accounts.bind('grace', 'services');
  });
  beforeEach(async () => {
    dashboard = await start();
  });
  afterEach(async () => {
    following?.unsubscribe();
    await dashboard.close();
  });
  afterAll(() => rig.stop());

  /** Starts a dashboard whose own credentials may do everything, so their use would be noticed. */
  function start(sessionHours?: number): Promise<DashboardServer> {
    const kubeConfig = readKubeConfig(rig.kubeConfigFile);
    return startDashboardServer({ kubeConfig, page, allowWrites: true, team: { publicUrl: origin, sessionHours } });
  }

  async function createPod(name: string): Promise<void> {
    const spec = { automountServiceAccountToken: false, containers: [{ name: 'main', image: 'example.com/main' }] };
    await cluster.create(pods, { metadata: { namespace, name }, spec });
  }

  const signIn = (name: string): Promise<string> => accounts.signIn(dashboard, name);

  const listOf = (resource: string): string => `/api/v1/namespaces/${namespace}/${resource}`;

  async function codeOf(cookie: string, path: string, method = 'GET'): Promise<number | undefined> {
    const headers = { host, cookie, ...(method !== 'GET' && fromPage) };
    return (await exchange(dashboard.url, path, { method, headers })).status;
  }

  /** Returns a client of the library that sends what a browser with this cookie sends. */
  function clientWith(cookie: string): KubeClient {
    return kubeClient({
      getCurrentCluster: () => ({ server: dashboard.url }),
      applyToHTTPSOptions(options) {
        options.headers = { host, cookie };
        return Promise.resolve();
      },
    });
  }

  async function watch(cookie: string): Promise<{ readonly text: () => string; readonly closed: Promise<unknown> }> {
    const answer = await open(dashboard.url, `${listOf('pods')}?watch=true`, { headers: { host, cookie } });
    expect(answer.statusCode).toBe(200);
    let received = '';
    answer.setEncoding('utf8').on('data', (text: string) => (received += text));
    answer.on('error', () => undefined);
    return { text: () => received, closed: new Promise((resolve) => answer.once('close', resolve)) };
  }

  it('serves two viewers with their own rights at the same time, and never with those of the server', async () => {
    await createPod('of-ada');
    const [ada, grace] = [await signIn('ada'), await signIn('grace')];
    const paths = [listOf('pods'), listOf('services'), '/api/v1/nodes', '/api/v1/pods'];
    const codes = await Promise.all(
      [ada, grace].map((cookie) => Promise.all(paths.map((path) => codeOf(cookie, path)))),
    );

    expect(codes).toEqual([
      [200, 403, 403, 403],
      [403, 200, 403, 403],
    ]);
    expect(await codeOf(grace, `${listOf('pods')}/of-ada`, 'DELETE')).toBe(403);
    expect(await codeOf(ada, `${listOf('pods')}/of-ada`, 'DELETE')).toBe(200);
  });

  it('shows each viewer the name of its account, although the API server has no SelfSubjectReview', async () => {
    const { body } = await exchange(dashboard.url, '/dashboard/info', {
      headers: { host, cookie: await signIn('ada') },
    });
    expect(JSON.parse(body.toString())).toMatchObject({ user: `system:serviceaccount:${namespace}:ada` });
  });

  it('refuses a token that the API server does not accept, and none at all', async () => {
    const headers = { host, origin, 'content-type': 'application/x-www-form-urlencoded' };
    const bodies = ['token=wrong', 'token=', ''];
    const answers = bodies.map((body) => exchange(dashboard.url, '/login', { method: 'POST', headers, body }));
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([403, 403, 403]);
    expect((await exchange(dashboard.url, listOf('pods'), { headers: { host } })).status).toBe(401);
  });

  it('closes the watch of a viewer that signs out, and keeps that of another session', async () => {
    const [first, second] = [await signIn('ada'), await signIn('ada')];
    const [ended, kept] = [await watch(first), await watch(second)];
    expect(await codeOf(first, '/logout', 'POST')).toBe(204);
    await ended.closed;
    await createPod('after-sign-out');

    await until(() => kept.text().includes('after-sign-out'));
    expect(ended.text()).not.toContain('after-sign-out');
    expect([await codeOf(first, listOf('pods')), await codeOf(second, listOf('pods'))]).toEqual([401, 200]);
  });

  it('closes the watch of a viewer when the session expires', async () => {
    await dashboard.close();
    dashboard = await start(15 / 3_600);
    const cookie = await signIn('ada');
    const { closed, text } = await watch(cookie);
    await createPod('before-expiry');
    await until(() => text().includes('before-expiry'));
    await closed;

    expect(await codeOf(cookie, listOf('pods'))).toBe(401);
  });

  it('applies rights that are granted or withdrawn while the page is open, at the latest when a watch ends', async () => {
    const cookie = await signIn('grace');
    const shown = informer(clientWith(cookie), pods, {
      namespace,
      watchTimeout: [1, 2],
      onUnobservedError: () => undefined,
    });
    following = shown.connect();
    await until(() => shown.status.state === 'forbidden');

    await accounts.bind('grace', 'pods');
    await createPod('of-all');
    await until(async () => (await codeOf(cookie, listOf('pods'))) === 200);
    shown.recheck();
    await until(() => shown.keys().includes(`${namespace}/of-all`));
    expect(await codeOf(cookie, listOf('pods'))).toBe(200);

    await accounts.unbind('grace', 'pods');
    await until(() => shown.status.state === 'forbidden');
    expect(await codeOf(cookie, listOf('pods'))).toBe(403);
    expect(await codeOf(cookie, listOf('services'))).toBe(200);
  });

  it('ends the session when the account of the viewer is deleted', async () => {
    await accounts.create('guest');
    await accounts.bind('guest', 'pods');
    const cookie = await signIn('guest');
    const { closed } = await watch(cookie);
    await cluster.remove(serviceAccounts, { metadata: { namespace, name: 'guest' } });

    // The API server remembers the answer to a token for ten seconds.
    await until(async () => (await codeOf(cookie, listOf('pods'))) === 401);
    await closed;
    expect(await codeOf(cookie, '/dashboard/info')).toBe(401);
  });
});
