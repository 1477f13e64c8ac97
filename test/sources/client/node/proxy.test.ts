import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { kubeClient, type KubeClientOptions } from 'rx-informers/node';
import { environmentProxies } from '../../../../src/sources/client/node/proxy.js';
import { bundledProgram } from '../../../support/bundled-program.js';
import { until } from '../../../support/until.js';
import { answerOf, failureOf, listPods } from '../exchanges.js';
import { kubeConfigOf } from '../kube-config.js';
import { json, startServer, type TestServer } from '../test-server.js';
import { base64, certificateAuthority, signedBy, type Certificate } from './certificates.js';
import { startProxy, type TestProxy, type TestProxyOptions } from './test-proxy.js';

const variables = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY', 'REQUEST_METHOD'];

describe('kubeClient behind a proxy', () => {
  let ca: Certificate;
  let server: TestServer;
  let proxy: TestProxy;
  const saved = { ...process.env };

  beforeAll(async () => {
    ca = await certificateAuthority();
  });
  beforeEach(() => setEnvironment({}));
  afterEach(async () => {
    Object.assign(process.env, saved);
    proxy.close();
    await server.close();
  });

  function setEnvironment(values: Readonly<Record<string, string>>): void {
    for (const name of variables) for (const key of [name, name.toLowerCase()]) delete process.env[key];
    Object.assign(process.env, values);
  }

  /** Starts a server that only the proxy can reach, because no other resolver knows its name. */
  async function start({
    http2 = false,
    ...options
  }: TestProxyOptions & { readonly http2?: boolean } = {}): Promise<void> {
    server = await startServer(json({ kind: 'PodList' }), { ...(await signedBy(ca, 'kubernetes.test')), http2 });
    proxy = await startProxy({ port: Number(new URL(server.url).port), ...options });
  }

  const cluster = () => ({ server: 'https://kubernetes.test:6443', caData: base64(ca.cert) });
  const list = (options?: KubeClientOptions) =>
    answerOf(kubeClient(kubeConfigOf(cluster(), { token: 'secret' }), options).exchange(listPods));
  const failure = <C extends 'RXI_CREDENTIALS' | 'RXI_CONNECTION'>(code: C, options?: KubeClientOptions) =>
    failureOf(kubeClient(kubeConfigOf(cluster(), { token: 'secret' }), options).exchange(listPods), code);

  it.each(['HTTPS_PROXY', 'https_proxy'])(
    'connects through the proxy of %s, with TLS to the API server',
    async (name) => {
      await start();
      setEnvironment({ [name]: `http://${proxy.host}` });

      await list();

      expect(proxy.tunnels).toEqual(['kubernetes.test:6443']);
      expect(server.requests[0]?.headers.authorization).toBe('Bearer secret');
      expect(server.requests[0]?.headers['proxy-authorization']).toBeUndefined();
    },
  );

  it.each([{}, { http2: true }])(
    'connects through the proxy-url of the kubeconfig, which comes first: %j',
    async (options) => {
      await start(options);
      setEnvironment({ HTTPS_PROXY: 'http://127.0.0.1:1' });
      const kubeConfig = kubeConfigOf({ ...cluster(), proxyUrl: `http://${proxy.host}` }, { token: 'secret' });

      await answerOf(kubeClient(kubeConfig, options).exchange(listPods));

      expect(proxy.tunnels).toEqual(['kubernetes.test:6443']);
      expect(server.requests[0]?.headers.authorization).toBe('Bearer secret');
    },
  );

  it('keeps one tunnel for twenty lists', async () => {
    await start();
    setEnvironment({ HTTPS_PROXY: proxy.host });
    const client = kubeClient(kubeConfigOf(cluster()));

    for (let n = 0; n < 20; n++) await answerOf(client.exchange(listPods));

    expect([proxy.tunnels.length, server.requests.length]).toEqual([1, 20]);
    client.close();
  });

  it('speaks HTTP/2 in the tunnel', async () => {
    await start({ http2: true });
    setEnvironment({ HTTPS_PROXY: proxy.host });
    const client = kubeClient(kubeConfigOf(cluster()), { http2: true });

    await Promise.all(Array.from({ length: 20 }, () => answerOf(client.exchange(listPods))));

    expect([proxy.tunnels.length, server.requests.length, server.accepted]).toEqual([1, 20, 1]);
    client.close();
  });

  it('authenticates at the proxy with the login of its URL, over TLS if the URL is https', async () => {
    await start({ login: 'ada:p@ss', certificate: await signedBy(ca, '127.0.0.1') });
    const folder = mkdtempSync(join(tmpdir(), 'proxy-'));
    writeFileSync(join(folder, 'ca.pem'), ca.cert);
    const script = bundledProgram('test/sources/client/node/list-once.ts');
    const proxied = { HTTPS_PROXY: `https://ada:p%40ss@${proxy.host}`, NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') };
    const child = spawn(process.execPath, [script, cluster().server], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...proxied },
    });

    const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);

    rmSync(folder, { recursive: true });
    expect([output, child.exitCode, proxy.tunnels]).toEqual(['200\n', 0, ['kubernetes.test:6443']]);
  }, 30_000);

  it.each([{}, { http2: true }])(
    'says that the proxy has refused the tunnel, without the password: %j',
    async (options) => {
      await start({ login: 'ada:right' });
      setEnvironment({ HTTPS_PROXY: `http://ada:wrong@${proxy.host}` });

      const { message } = await failure('RXI_CONNECTION', options);

      expect(message).toContain(`the proxy ${proxy.host} refused a tunnel to kubernetes.test:6443: 407`);
      expect(message).not.toContain('wrong');
    },
  );

  it('closes the connection to a silent proxy if the only list over HTTP/2 is unsubscribed', async () => {
    await start({ http2: true, isSilent: true });
    setEnvironment({ HTTPS_PROXY: proxy.host });
    const client = kubeClient(kubeConfigOf(cluster()), { http2: true });
    const subscription = client.exchange(listPods).subscribe();
    await until(() => proxy.open === 1);

    subscription.unsubscribe();

    // The request itself would end after ten seconds.
    await until(() => proxy.open === 0, { within: 5_000 });
    expect(proxy.tunnels).toEqual([]);
    client.close();
  });

  it('fails if no proxy listens there', async () => {
    await start();
    setEnvironment({ HTTPS_PROXY: `http://ada:secret@127.0.0.1:1` });

    const { causeCode, message } = await failure('RXI_CONNECTION');

    expect(causeCode).toBe('ECONNREFUSED');
    expect(message).not.toContain('secret');
  });

  it('refuses a proxy whose protocol it does not speak, without naming the password', async () => {
    await start();
    setEnvironment({ HTTPS_PROXY: 'socks5://ada:secret@proxy.test:1080' });

    const { message } = await failure('RXI_CREDENTIALS');

    expect(message).toMatch(/the proxy is socks5:\/\/proxy\.test:1080: only http:\/\/ and https:\/\/ proxies/);
  });

  it('uses no proxy for hosts in NO_PROXY, for loopback addresses, and with environmentProxy: false', async () => {
    await start();
    setEnvironment({ HTTPS_PROXY: proxy.host, NO_PROXY: '.test' });
    expect((await failure('RXI_CONNECTION')).causeCode).toBe('ENOTFOUND');

    setEnvironment({ HTTPS_PROXY: proxy.host });
    expect((await failure('RXI_CONNECTION', { environmentProxy: false })).causeCode).toBe('ENOTFOUND');

    await answerOf(kubeClient(kubeConfigOf({ server: server.url, skipTLSVerify: true })).exchange(listPods));
    expect(proxy.tunnels).toEqual([]);
  });

  it('reads the environment once for each client', async () => {
    await start();
    setEnvironment({ HTTPS_PROXY: proxy.host });
    const client = kubeClient(kubeConfigOf(cluster()));
    setEnvironment({});

    await answerOf(client.exchange(listPods));

    expect(proxy.tunnels.length).toBe(1);
  });

  describe('for a server without TLS', () => {
    beforeEach(async () => {
      server = await startServer(json({ kind: 'PodList' }));
      proxy = await startProxy({ port: Number(new URL(server.url).port), login: 'ada:right' });
    });
    const plain = { server: 'http://kubernetes.test:8080' };

    it('has the proxy of HTTP_PROXY forward its requests', async () => {
      setEnvironment({ HTTP_PROXY: `http://ada:right@${proxy.host}` });

      await answerOf(kubeClient(kubeConfigOf(plain)).exchange(listPods));

      expect(proxy.forwarded).toEqual(['http://kubernetes.test:8080/api/v1/pods?limit=500']);
      expect(server.requests[0]?.headers.host).toBe('kubernetes.test:8080');
    });

    it('sends no credentials, which the proxy could read', async () => {
      setEnvironment({ HTTP_PROXY: `http://ada:right@${proxy.host}` });
      const client = kubeClient(kubeConfigOf(plain, { token: 'secret' }));

      const { message } = await failureOf(client.exchange(listPods), 'RXI_CREDENTIALS');

      expect(message).toContain('NO_PROXY');
      expect(proxy.forwarded).toEqual([]);
    });

    it('ignores HTTP_PROXY in a CGI program, where a request sets it', async () => {
      setEnvironment({ HTTP_PROXY: `http://ada:right@${proxy.host}`, REQUEST_METHOD: 'GET' });

      const { causeCode } = await failureOf(kubeClient(kubeConfigOf(plain)).exchange(listPods), 'RXI_CONNECTION');

      expect(causeCode).toBe('ENOTFOUND');
    });
  });
});

/** The rules of `golang.org/x/net/http/httpproxy`. */
describe('NO_PROXY', () => {
  it.each([
    ['kubernetes.test', 'https://kubernetes.test', true],
    ['KUBERNETES.TEST', 'https://kubernetes.test', true],
    ['kubernetes.test', 'https://api.kubernetes.test', true],
    ['kubernetes.test', 'https://other-kubernetes.test', false],
    ['.kubernetes.test', 'https://api.kubernetes.test', true],
    ['.kubernetes.test', 'https://kubernetes.test', false],
    ['*.kubernetes.test', 'https://api.kubernetes.test', true],
    ['*.kubernetes.test', 'https://kubernetes.test', false],
    ['kubernetes.test:6443', 'https://kubernetes.test:6443', true],
    ['kubernetes.test:6443', 'https://kubernetes.test', false],
    ['kubernetes.test:443', 'https://kubernetes.test', true],
    ['other.test , kubernetes.test', 'https://kubernetes.test', true],
    ['*', 'https://kubernetes.test', true],
    ['other.test,*', 'https://10.0.0.1', true],
    ['10.0.0.1', 'https://10.0.0.1', true],
    ['10.0.0.1:6443', 'https://10.0.0.1:6443', true],
    ['10.0.0.1:6443', 'https://10.0.0.1', false],
    ['10.0.0.0/8', 'https://10.1.2.3', true],
    ['10.0.0.0/8', 'https://11.1.2.3', false],
    ['10.0.0.0/33', 'https://10.1.2.3', false],
    ['10.', 'https://10.1.2.3', false],
    ['fd00::/8', 'https://[fd12::1]:6443', true],
    ['fd12::1', 'https://[fd12::1]:6443', true],
    ['[fd12::1]:6443', 'https://[fd12::1]:6443', true],
    ['[fd12::1]:6444', 'https://[fd12::1]:6443', false],
    ['bücher.test', 'https://xn--bcher-kva.test', true],
    ['', 'https://localhost:6443', true],
    ['', 'https://127.1.2.3', true],
    ['', 'https://[::1]:6443', true],
    ['', 'https://kubernetes.test', false],
    [':443,.,[]:1', 'https://kubernetes.test', false],
  ])('%s, server %s: without a proxy %s', (noProxy, server, isDirect) => {
    const proxy = environmentProxies({ HTTPS_PROXY: 'http://proxy.test', NO_PROXY: noProxy })(new URL(server));
    expect(proxy).toBe(isDirect ? undefined : 'http://proxy.test');
  });
});
