import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inCluster, kubeClient } from 'rx-informers/node';
import { errorWith } from '../../../support/error-with.js';
import { answerOf, listPods } from '../exchanges.js';
import { json, startServer } from '../test-server.js';
import { certificateAuthority, signedBy } from './certificates.js';

describe('inCluster', () => {
  let folder: string;
  const saved = { ...process.env };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'service-account-'));
    mount({ 'ca.crt': 'certificate', token: 'first\n', namespace: 'web\n' });
    setAddress('10.0.0.1', '443');
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
    Object.assign(process.env, saved);
    for (const name of ['HOST', 'PORT']) delete process.env[`KUBERNETES_SERVICE_${name}`];
  });

  function mount(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  }

  function setAddress(host: string, port: string): void {
    Object.assign(process.env, { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port });
  }

  it('has the address and the namespace of the pod', () => {
    const account = inCluster(folder);
    expect(account.namespace).toBe('web');
    expect(account.getCurrentCluster()?.server).toBe('https://10.0.0.1:443');
  });

  it('writes an IPv6 address in brackets', () => {
    setAddress('fd00::1', '443');
    expect(inCluster(folder).getCurrentCluster()?.server).toBe('https://[fd00::1]:443');
  });

  it('sends the current token in each of 1,000 rotations, over connections that the CA of the pod verifies', async () => {
    const ca = await certificateAuthority();
    const server = await startServer(json({}), await signedBy(ca, '127.0.0.1'));
    const { hostname, port } = new URL(server.url);
    setAddress(hostname, port);
    mount({ 'ca.crt': ca.cert });
    const client = kubeClient(inCluster(folder));
    const tokens = Array.from({ length: 1000 }, (_, n) => `token-${n}`);

    for (const token of tokens) {
      mount({ token: `${token}\n` });
      await answerOf(client.exchange(listPods));
    }

    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(
      tokens.map((token) => `Bearer ${token}`),
    );
    expect(server.accepted).toBe(1);
    client.close();
    await server.close();
  });

  it.each(['KUBERNETES_SERVICE_HOST', 'KUBERNETES_SERVICE_PORT'])('says outside a pod that %s is missing', (name) => {
    delete process.env[name];
    expect(() => inCluster(folder)).toThrow(errorWith('RXI_NOT_IN_CLUSTER', { missing: name }));
    expect(() => inCluster(folder)).toThrow('load a KubeConfig of @kubernetes/client-node with loadFromDefault()');
  });

  it.each(['ca.crt', 'token', 'namespace'])('says in a pod without a mounted token that %s is missing', (name) => {
    rmSync(join(folder, name));
    expect(() => inCluster(folder)).toThrow(errorWith('RXI_NOT_IN_CLUSTER', { missing: join(folder, name) }));
  });

  it('fails the request if the token file is gone later', async () => {
    const client = kubeClient(inCluster(folder));
    rmSync(join(folder, 'token'));
    await expect(answerOf(client.exchange(listPods))).rejects.toThrow(errorWith('RXI_CREDENTIALS'));
  });
});
