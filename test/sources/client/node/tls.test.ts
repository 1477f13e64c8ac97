import { kubeClient } from 'rx-informers/node';
import { ConnectionError } from 'rx-informers';
import { answerOf, failureOf, listPods } from '../exchanges.js';
import { kubeConfigOf } from '../kube-config.js';
import { json, startServer, type TestServer } from '../test-server.js';
import { base64, certificateAuthority, signedBy, type Certificate } from './certificates.js';

describe('kubeClient over TLS', () => {
  let ca: Certificate;
  let server: TestServer;

  async function serve(certificate: Certificate): Promise<TestServer> {
    server = await startServer(json({}), { ...certificate, ca: ca.cert, requestCert: true, rejectUnauthorized: false });
    return server;
  }

  beforeAll(async () => {
    ca = await certificateAuthority();
  });
  afterEach(() => server.close());

  it('believes a server that the CA of the cluster has signed', async () => {
    const { url } = await serve(await signedBy(ca, '127.0.0.1'));
    const client = kubeClient(kubeConfigOf({ server: url, caData: base64(ca.cert) }));

    expect((await answerOf(client.exchange(listPods))).status).toBe(200);
  });

  it('does not believe a server that another CA has signed', async () => {
    const { url } = await serve(await signedBy(ca, '127.0.0.1'));
    const other = await certificateAuthority('other-ca');

    const client = kubeClient(kubeConfigOf({ server: url, caData: base64(other.cert) }, { token: 'secret' }));

    expect((await failureOf(client.exchange(listPods), ConnectionError)).causeCode).toBe('SELF_SIGNED_CERT_IN_CHAIN');
    expect(server.requests).toEqual([]);
  });

  it('does not believe a certificate that has expired', async () => {
    const { url } = await serve(await signedBy(ca, '127.0.0.1', new Date('2020-01-01')));
    const client = kubeClient(kubeConfigOf({ server: url, caData: base64(ca.cert) }));

    expect((await failureOf(client.exchange(listPods), ConnectionError)).causeCode).toBe('CERT_HAS_EXPIRED');
  });

  it('does not believe a server that goes by another name, unless the cluster says which', async () => {
    const { url } = await serve(await signedBy(ca, 'kubernetes.test'));
    const cluster = { server: url, caData: base64(ca.cert) };

    const error = await failureOf(kubeClient(kubeConfigOf(cluster)).exchange(listPods), ConnectionError);
    const renamed = kubeClient(kubeConfigOf({ ...cluster, tlsServerName: 'kubernetes.test' }));

    expect(error.causeCode).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
    expect((await answerOf(renamed.exchange(listPods))).status).toBe(200);
  });

  it('believes any server where the cluster says so', async () => {
    const { url } = await serve(await signedBy(ca, 'elsewhere.test'));
    const client = kubeClient(kubeConfigOf({ server: url, skipTLSVerify: true }));

    expect((await answerOf(client.exchange(listPods))).status).toBe(200);
  });

  it('knows the CA of the cluster where the context has no user', async () => {
    const { url } = await serve(await signedBy(ca, '127.0.0.1'));
    const kubeConfig = kubeConfigOf({ server: url, caData: base64(ca.cert) });
    kubeConfig.users = [];

    expect((await answerOf(kubeClient(kubeConfig).exchange(listPods))).status).toBe(200);
  });

  it('shows the client certificate of the user, and a new one as soon as there is one', async () => {
    const { url } = await serve(await signedBy(ca, '127.0.0.1'));
    const user = async (name: string): Promise<{ certData: string; keyData: string }> => {
      const { cert, key } = await signedBy(ca, name);
      return { certData: base64(cert), keyData: base64(key) };
    };
    const kubeConfig = kubeConfigOf({ server: url, caData: base64(ca.cert) }, await user('ada'));
    const client = kubeClient(kubeConfig);

    await answerOf(client.exchange(listPods));
    await answerOf(client.exchange(listPods));
    kubeConfig.users = [{ name: 'tester', ...(await user('grace')) }];
    await answerOf(client.exchange(listPods));

    expect(server.requests.map(({ clientName }) => clientName)).toEqual(['ada', 'ada', 'grace']);
    expect(server.accepted).toBe(2);
  });

  it('shakes hands once for twenty lists', async () => {
    const { url } = await serve(await signedBy(ca, '127.0.0.1'));
    const client = kubeClient(kubeConfigOf({ server: url, caData: base64(ca.cert) }, { token: 'secret' }));

    for (let i = 0; i < 20; i++) await answerOf(client.exchange(listPods));

    expect(server.requests.length).toBe(20);
    expect(server.accepted).toBe(1);
  });
});
