import type { User } from '@kubernetes/client-node';
import { fileURLToPath } from 'node:url';
import type { KubeConfigLike } from 'rx-informers/node';
import { kubeConfigOf } from '../../../../test/sources/client/kube-config.js';
import {
  base64,
  certificateAuthority,
  signedBy,
  type Certificate,
} from '../../../../test/sources/client/node/certificates.js';
import { json, startServer, type TestServer } from '../../../../test/sources/client/test-server.js';
import type { DashboardServer } from '../../server/dashboard-server.js';
import { exchange, startDashboard, statusIn } from './exchange.js';

const page = fileURLToPath(new URL('../../server/placeholder', import.meta.url));

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
    dashboard = await startDashboard({ kubeConfig: kubeConfig(upstream.url), page });
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

  it('are the client certificate of the user, and a new one as soon as it is rotated', async () => {
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

  it('are sent to no server whose certificate is not signed by the CA of the cluster', async () => {
    const other = await certificateAuthority('other-ca');
    await start((server) => kubeConfigOf({ server, caData: base64(other.cert) }, { token: 'secret' }));

    expect(statusIn(await exchange(dashboard.url, '/api'))).toMatchObject({
      code: 502,
      message: expect.stringContaining('self-signed certificate'),
    });
    expect(upstream.requests).toEqual([]);
  });

  it('are sent to a server with another name only if the cluster configuration allows it', async () => {
    const caData = base64(ca.cert);
    await start((server) => kubeConfigOf({ server, caData, tlsServerName: 'kubernetes.test' }), 'kubernetes.test');
    expect((await exchange(dashboard.url, '/api')).status).toBe(200);
    await dashboard.close();

    dashboard = await startDashboard({
      kubeConfig: kubeConfigOf({ server: upstream.url, skipTLSVerify: true }),
      page,
    });
    expect((await exchange(dashboard.url, '/api')).status).toBe(200);
  });

  it('are not required: the CA of the cluster is used even if the context has no user', async () => {
    await start((server) => {
      const kubeConfig = kubeConfigOf({ server, caData: base64(ca.cert) });
      kubeConfig.users = [];
      return kubeConfig;
    });

    expect((await exchange(dashboard.url, '/api')).status).toBe(200);
  });
});
