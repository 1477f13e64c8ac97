import { jest } from '@jest/globals';
import { KubeConfig } from '@kubernetes/client-node';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kubeCredentials, kubeClient } from 'rx-informers/node';
import { answerOf, failureOf, listPods } from '../exchanges.js';
import { kubeConfigOf } from '../kube-config.js';
import { json, startServer, type TestServer } from '../test-server.js';

describe('the credentials of kubeClient', () => {
  let server: TestServer;
  let directory: string;

  beforeEach(async () => {
    server = await startServer(json({}));
    directory = mkdtempSync(join(tmpdir(), 'kube-client-'));
  });
  afterEach(async () => {
    jest.useRealTimers();
    rmSync(directory, { recursive: true });
    await server.close();
  });

  async function headersSentWith(kubeConfig: KubeConfig): Promise<(typeof server.requests)[number]['headers']> {
    await answerOf(kubeClient(kubeConfig).exchange(listPods));
    return server.requests.at(-1)!.headers;
  }

  it('are empty if the kubeconfig has no user', async () => {
    const kubeConfig = kubeConfigOf({ server: server.url });
    kubeConfig.users = [];

    expect((await headersSentWith(kubeConfig)).authorization).toBeUndefined();
  });

  it('may be a token', async () => {
    const headers = await headersSentWith(kubeConfigOf({ server: server.url }, { token: 'secret' }));

    expect(headers.authorization).toBe('Bearer secret');
  });

  it('may be a user name and a password', async () => {
    const headers = await headersSentWith(kubeConfigOf({ server: server.url }, { username: 'ada', password: 'p:w' }));

    expect(headers.authorization).toBe(`Basic ${Buffer.from('ada:p:w').toString('base64')}`);
  });

  it('may impersonate another user', async () => {
    const headers = await headersSentWith(
      kubeConfigOf({ server: server.url }, { token: 'secret', impersonateUser: 'grace' }),
    );

    expect(headers).toMatchObject({ authorization: 'Bearer secret', 'impersonate-user': 'grace' });
  });

  it('may be a token file, which is read again after rotation', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'setInterval', 'queueMicrotask'] });
    const tokenFile = join(directory, 'token');
    writeFileSync(tokenFile, 'first\n');
    const user = { authProvider: { name: 'tokenFile', config: { tokenFile } } };
    const client = kubeClient(kubeConfigOf({ server: server.url }, user));

    await answerOf(client.exchange(listPods));
    writeFileSync(tokenFile, 'second\n');
    jest.setSystemTime(Date.now() + 61_000);
    await answerOf(client.exchange(listPods));

    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer first', 'Bearer second']);
  });

  it('may come from an exec plugin, which is called again after they have expired', async () => {
    const plugin = join(directory, 'plugin.cjs');
    const count = join(directory, 'count');
    writeFileSync(count, '0');
    writeFileSync(
      plugin,
      `const fs = require('node:fs');
       const run = Number(fs.readFileSync(${JSON.stringify(count)}, 'utf8')) + 1;
       fs.writeFileSync(${JSON.stringify(count)}, String(run));
       const expirationTimestamp = new Date(run === 1 ? 0 : Date.now() + 3600000).toISOString();
       const status = { token: process.env.PREFIX + run, expirationTimestamp };
       console.log(JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status }));`,
    );
    const exec = { command: process.execPath, args: [plugin], env: [{ name: 'PREFIX', value: 'token-' }] };
    const client = kubeClient(kubeConfigOf({ server: server.url }, { exec }));

    for (let i = 0; i < 3; i++) await answerOf(client.exchange(listPods));

    const sent = server.requests.map(({ headers }) => headers.authorization);
    expect(sent).toEqual(['Bearer token-1', 'Bearer token-2', 'Bearer token-2']);
  });

  it('are renewed after a 401, once for all exchanges with the refused token, although they have not expired', async () => {
    await server.close();
    server = await startServer((request, response) => {
      if (request.headers.authorization !== 'Bearer token-1') json({})(request, response);
      else response.writeHead(401).end();
    });
    const runs = join(directory, 'runs');
    writeFileSync(runs, '');
    const script = `const fs = require('node:fs');
      fs.appendFileSync(${JSON.stringify(runs)}, 'x');
      const token = 'token-' + fs.readFileSync(${JSON.stringify(runs)}, 'utf8').length;
      const expirationTimestamp = new Date(Date.now() + 3600000).toISOString();
      console.log(JSON.stringify({ status: { token, expirationTimestamp } }));`;
    const exec = { command: process.execPath, args: ['-e', script] };
    const client = kubeClient(kubeConfigOf({ server: server.url }, { exec }));

    const refused = await Promise.all([1, 2].map(() => failureOf(client.exchange(listPods), 'RXI_STATUS')));
    expect(refused).toMatchObject([{ statusCode: 401 }, { statusCode: 401 }]);
    for (let i = 0; i < 3; i++) await answerOf(client.exchange(listPods));

    expect(readFileSync(runs, 'utf8')).toBe('xx');
    expect(server.requests.at(-1)?.headers.authorization).toBe('Bearer token-2');
  });

  it('are read from the token file again after a 401', async () => {
    await server.close();
    server = await startServer((request, response) => {
      if (request.headers.authorization === 'Bearer renewed') json({})(request, response);
      else response.writeHead(401).end();
    });
    const tokenFile = join(directory, 'token');
    writeFileSync(tokenFile, 'first\n');
    const user = { authProvider: { name: 'tokenFile', config: { tokenFile } } };
    const client = kubeClient(kubeConfigOf({ server: server.url }, user));

    await failureOf(client.exchange(listPods), 'RXI_STATUS');
    writeFileSync(tokenFile, 'renewed\n');
    await answerOf(client.exchange(listPods));

    expect(server.requests).toHaveLength(2);
  });

  it('are read once for exchanges that begin together', async () => {
    const runs = join(directory, 'runs');
    writeFileSync(runs, '');
    const script = `require('node:fs').appendFileSync(${JSON.stringify(runs)}, 'x');
      console.log(JSON.stringify({ status: { token: 'secret' } }));`;
    const client = kubeClient(
      kubeConfigOf({ server: server.url }, { exec: { command: process.execPath, args: ['-e', script] } }),
    );

    await Promise.all([1, 2, 3].map(() => answerOf(client.exchange(listPods))));
    expect(readFileSync(runs, 'utf8')).toBe('x');

    await answerOf(client.exchange(listPods));
    expect(readFileSync(runs, 'utf8')).toBe('xx');
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(Array(4).fill('Bearer secret'));
  });

  it('cause an error if the exec plugin fails', async () => {
    const exec = { command: process.execPath, args: ['-e', 'console.error("please log in"); process.exit(1)'] };
    const client = kubeClient(kubeConfigOf({ server: server.url }, { exec }));

    const error = await failureOf(client.exchange(listPods), 'RXI_CREDENTIALS');

    expect(error.message).toContain('please log in');
    expect(server.accepted).toBe(0);
  });

  it.each<[string, (url: string) => KubeConfig, string]>([
    ['has no current context', () => new KubeConfig(), 'the kubeconfig is empty'],
    [
      'names a server that is not a URL',
      () => kubeConfigOf({ server: 'not a url', skipTLSVerify: true }),
      'the server of the current cluster is not an http or https URL: "not a url"',
    ],
    [
      'was loaded from a cluster outside a pod',
      () => {
        const kubeConfig = new KubeConfig();
        kubeConfig.loadFromCluster('/nowhere');
        return kubeConfig;
      },
      'KUBERNETES_SERVICE_HOST is not set, so this program does not run in a pod',
    ],
    [
      'names a server of another protocol',
      () => kubeConfigOf({ server: 'unix:///var/run/kube.sock', skipTLSVerify: true }),
      'the server of the current cluster is not an http or https URL: "unix:///var/run/kube.sock"',
    ],
    ['names a missing CA file', (server) => kubeConfigOf({ server, caFile: '/nowhere/ca.crt' }), 'ENOENT'],
    [
      'has a CA that is not a certificate',
      (server) =>
        kubeConfigOf(
          { server: server.replace('http:', 'https:'), caData: 'Z2FyYmFnZQ==' },
          { certData: 'Z2FyYmFnZQ==' },
        ),
      'PEM',
    ],
    [
      'has a token that is invalid in a header',
      (server) => kubeConfigOf({ server }, { token: 'a\nb' }),
      'header content',
    ],
    [
      'names a missing token file',
      (server) =>
        kubeConfigOf({ server }, { authProvider: { name: 'tokenFile', config: { tokenFile: '/nowhere/token' } } }),
      'ENOENT',
    ],
    [
      'would send credentials over an unencrypted connection',
      (server) => kubeConfigOf({ server, skipTLSVerify: false }, { token: 'secret' }),
      'does not allow requests without TLS',
    ],
  ])('cause an RXI_CREDENTIALS, without a request, if the kubeconfig %s', async (_, kubeConfigFor, problem) => {
    const error = await failureOf(kubeClient(kubeConfigFor(server.url)).exchange(listPods), 'RXI_CREDENTIALS');

    expect(error.message).toContain('GET /api/v1/pods: cannot read the credentials: ');
    expect(error.message).toContain(problem);
    expect(server.requests).toEqual([]);
  });
});

describe('kubeCredentials', () => {
  it('calls the plugin once for simultaneous callers, and again for the next one', async () => {
    let requested = 0;
    const read = kubeCredentials({
      getCurrentCluster: () => ({ server: 'https://127.0.0.1:1' }),
      applyToHTTPSOptions: (options) => {
        requested++;
        options.headers = { Authorization: `Bearer ${requested}\n` };
        return Promise.resolve();
      },
    });

    const together = await Promise.all([read(), read(), read()]);
    const later = await read();

    expect(together.map(({ options }) => options.headers)).toEqual(Array(3).fill({ authorization: 'Bearer 1' }));
    expect(later.options.headers).toEqual({ authorization: 'Bearer 2' });
  });

  it('tries again after a failure', async () => {
    let requested = 0;
    const read = kubeCredentials({
      getCurrentCluster: () => ({ server: 'https://127.0.0.1:1' }),
      applyToHTTPSOptions: () => (requested++ === 0 ? Promise.reject(new Error('expired')) : Promise.resolve()),
    });

    await expect(read()).rejects.toThrow('expired');
    expect((await read()).server).toBe('https://127.0.0.1:1');
  });

  it('throws if the kubeconfig has no cluster', async () => {
    const read = kubeCredentials({ getCurrentCluster: () => null, applyToHTTPSOptions: () => Promise.resolve() });

    await expect(read()).rejects.toThrow('kubeconfig is empty');
  });

  it('returns what a Node request needs, and leaves pooling to its caller', async () => {
    const kubeConfig = kubeConfigOf({ server: 'https://127.0.0.1:1', caData: 'Y2E=', tlsServerName: 'kubernetes' });
    kubeConfig.users = [];

    expect(await kubeCredentials(kubeConfig)()).toEqual({
      server: 'https://127.0.0.1:1',
      options: { ca: Buffer.from('ca'), servername: 'kubernetes', headers: {} },
    });
  });
});
