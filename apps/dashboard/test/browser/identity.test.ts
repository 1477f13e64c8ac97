import { KubeConfig } from '@kubernetes/client-node';
import { request, type IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import { connect, type AddressInfo } from 'node:net';
import { aPod, createApiServer, type ApiServer } from 'rx-informers/testing';
import { certificateAuthority, signedBy } from '../../../../test/sources/client/node/certificates.js';
import { until } from '../../../../test/support/until.js';
import { startDashboardServer, type DashboardServer } from '../../server/dashboard-server.js';
import { fromProxy, identity } from '../server/identity.js';
import { useChromium } from './support/chromium.js';
import { builtPage } from './support/dashboard.js';
import { expectVisible } from './support/page-conditions.js';
import { podRow, statusText } from './support/places.js';

describe('the dashboard in Chromium, behind a proxy that signs viewers in', () => {
  const openProfile = useChromium(['--ignore-certificate-errors']);
  let api: ApiServer;
  let dashboard: DashboardServer;
  let proxy: Server;
  let publicUrl: string;
  /** The viewer who has signed in to the proxy. */
  let user: string;
  let requests: readonly string[];
  let start: (hub: boolean) => Promise<void>;

  beforeEach(async () => {
    const reads = { verbs: ['get', 'list', 'watch'], resources: ['pods'] };
    api = await createApiServer({
      users: {
        'token-of-server': {
          name: 'server',
          allow: [
            { verbs: ['impersonate'], resources: ['users'], resourceNames: ['ada', 'grace'] },
            { verbs: ['create'], resources: ['subjectaccessreviews'] },
            reads,
          ],
        },
        'token-of-ada': { name: 'ada', allow: [reads] },
        'token-of-grace': { name: 'grace', allow: [{ ...reads, namespaces: ['shop'] }] },
        'token-of-eve': { name: 'eve', allow: [reads] },
      },
    });
    api.apply([aPod({ name: 'secret-plan', namespace: 'lab' }), aPod({ name: 'web', namespace: 'shop' })]);
    requests = [];
    api.requests$.subscribe(({ path, query, headers }) => {
      if (path.endsWith('/pods') && query.get('watch') === 'true')
        requests = [...requests, headers['impersonate-user'] ?? 'the account'];
    });
    const { host, port } = await startProxy();
    publicUrl = `https://${host}`;
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromString(api.kubeconfig('token-of-server'));
    start = async (hub) => {
      dashboard = await startDashboardServer({ kubeConfig, page: builtPage, team: { publicUrl, hub, identity } });
      port(Number(new URL(dashboard.url).port));
    };
  });
  afterEach(async () => {
    await dashboard.close();
    proxy.closeAllConnections();
    proxy.close();
    await api.close();
  });

  /** Starts a server that ends TLS, and adds the identity of the viewer to each request. */
  async function startProxy(): Promise<{ readonly host: string; readonly port: (of: number) => void }> {
    let target = 0;
    const headersOf = ({ headers }: IncomingMessage) => ({ ...headers, ...fromProxy(user) });
    proxy = createServer(await signedBy(await certificateAuthority(), 'localhost'), (incoming, answer) => {
      const { method, url } = incoming;
      const options = { port: target, path: url, method, headers: headersOf(incoming), agent: false };
      const onward = request({ host: '127.0.0.1', ...options }, (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers);
        response.on('error', () => answer.destroy()).pipe(answer);
      });
      answer.on('close', () => onward.destroy());
      incoming.pipe(onward.on('error', () => answer.destroy()));
    });
    proxy.on('upgrade', (incoming: IncomingMessage, socket) => {
      const onward = connect(target, '127.0.0.1');
      const lines = Object.entries(headersOf(incoming)).map(([name, value]) => `${name}: ${String(value)}\r\n`);
      onward.write(`GET ${incoming.url ?? ''} HTTP/1.1\r\n${lines.join('')}\r\n`);
      socket.on('error', () => onward.destroy()).on('close', () => onward.destroy());
      onward.on('error', () => socket.destroy()).on('close', () => socket.destroy());
      socket.pipe(onward).pipe(socket);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    return { host: `localhost:${(proxy.address() as AddressInfo).port}`, port: (of) => (target = of) };
  }

  it('shows each viewer what it may read, without a sign-in, through one watch of the hub', async () => {
    user = 'ada';
    await start(true);
    const context = await openProfile({ ignoreHTTPSErrors: true, viewport: { width: 1440, height: 900 } });
    const first = await context.newPage();
    await first.goto(publicUrl);
    await podRow(first, 'secret-plan').waitFor();
    await statusText(first, 'live').waitFor();
    await expectVisible(first.getByText('as ada'));
    expect(await first.getByRole('button', { name: 'Sign out' }).count()).toBe(0);
    await until(() => requests.includes('the account'));

    // The next viewer of the same browser shares no object with the first one.
    user = 'grace';
    const second = await context.newPage();
    await second.goto(`${publicUrl}/?namespace=shop`);
    await podRow(second, 'web').waitFor();
    await expectVisible(second.getByText('as grace'));
    expect(await second.getByText('secret-plan').count()).toBe(0);
    expect(requests.filter((who) => who === 'the account').length).toBe(1);
  });

  it('shows the reason why the API server refuses a viewer', async () => {
    user = 'eve';
    await start(false);
    const page = await (await openProfile({ ignoreHTTPSErrors: true })).newPage();
    await page.goto(publicUrl);
    await expectVisible(page.getByText(/cannot impersonate resource "users"/).first());
  });
});
