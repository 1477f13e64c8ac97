import { fileURLToPath } from 'node:url';
import type { User } from '@kubernetes/client-node';
import type { KubeConfigLike } from 'rx-informers/node';
import { startDashboardServer, type DashboardServer } from '../../../../examples/dashboard/server/dashboard-server.js';
import { kubeConfigOf } from '../../../sources/client/kube-config.js';
import { base64, certificateAuthority, signedBy, type Certificate } from '../../../sources/client/node/certificates.js';
import { json, startServer, type TestServer } from '../../../sources/client/test-server.js';
import { exchange, statusIn } from './exchange.js';

const page = fileURLToPath(new URL('../../../../examples/dashboard/server/placeholder', import.meta.url));

describe('the credentials of the dashboard', () => {
  let ca: Certificate;
  let upstream: TestServer;
  let dashboard: DashboardServer;

  async function start(kubeConfig: (url: string) => KubeConfigLike, name = '127.0.0.1'): Promise<void> {
    const certificate = await signedBy(ca, name);
    upstream = await startServer(json({}), {
      ...certificate,
      ca: ca.cert,
      requestCert: true,
      rejectUnauthorized: false,
    });
    dashboard = await startDashboardServer({ kubeConfig: kubeConfig(upstream.url), page });
  }

  async function clientCertificate(name: string): Promise<Partial<User>> {
    const { cert, key } = await signedBy(ca, name);
    return { certData: base64(cert), keyData: base64(key) };
  }

  beforeAll(async () => {
    ca = await certificateAuthority();
  });
  afterEach(async () => {
    await dashboard.close();
    await upstream.close();
  });

  it('are a client certificate where the user has one, and a new one as soon as there is one', async () => {
    const user = await clientCertificate('ada');
    const next = await clientCertificate('grace');
    const caData = base64(ca.cert);
    let current = user;
    await start((server) => ({
      getCurrentCluster: () => ({ server, caData }),
      applyToHTTPSOptions: (options) => kubeConfigOf({ server, caData }, current).applyToHTTPSOptions(options),
    }));

    await exchange(dashboard.url, '/api');
    await exchange(dashboard.url, '/api');
    current = next;
    await exchange(dashboard.url, '/api');

    expect(upstream.requests.map(({ clientName }) => clientName)).toEqual(['ada', 'ada', 'grace']);
    expect(upstream.accepted).toBe(2);
  });

  it('go to no server that the CA of the cluster has not signed', async () => {
    const other = await certificateAuthority('other-ca');
    await start((server) => kubeConfigOf({ server, caData: base64(other.cert) }, { token: 'secret' }));

    expect(statusIn(await exchange(dashboard.url, '/api'))).toMatchObject({
      code: 502,
      message: expect.stringContaining('self-signed certificate'),
    });
    expect(upstream.requests).toEqual([]);
  });

  it('go to a server of another name where the cluster says which, or that any will do', async () => {
    const caData = base64(ca.cert);
    await start((server) => kubeConfigOf({ server, caData, tlsServerName: 'kubernetes.test' }), 'kubernetes.test');
    expect((await exchange(dashboard.url, '/api')).status).toBe(200);
    await dashboard.close();

    dashboard = await startDashboardServer({
      kubeConfig: kubeConfigOf({ server: upstream.url, skipTLSVerify: true }),
      page,
    });
    expect((await exchange(dashboard.url, '/api')).status).toBe(200);
  });

  it('are not needed: the CA of the cluster is known where the context has no user', async () => {
    await start((server) => {
      const kubeConfig = kubeConfigOf({ server, caData: base64(ca.cert) });
      kubeConfig.users = [];
      return kubeConfig;
    });

    expect((await exchange(dashboard.url, '/api')).status).toBe(200);
  });
});
