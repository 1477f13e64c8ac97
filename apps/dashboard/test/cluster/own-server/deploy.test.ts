import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deployments, pods, serviceAccounts, services } from 'rx-informers';
import { resourceClient } from 'rx-informers/requests';
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from 'rx-informers/resources';
import { firstValueFrom } from 'rxjs';
import { requestJson } from '../../../../../src/sources/client/kube-client.js';
import { connect, readKubeConfig, type Cluster } from '../../../../../test/cluster/support/cluster.js';
import { startRig, type Rig } from '../../../../../test/cluster/support/rig.js';
import { hubKinds } from '../../../server/hub-kinds.js';
import { npmEnvironment } from '../../browser/support/npm-environment.js';
import { linesToAddress } from '../../browser/support/printed-lines.js';
import { exchange } from '../../server/exchange.js';
import { cookieIn } from '../../server/team.js';

const dashboard = fileURLToPath(new URL('../../..', import.meta.url));
const base = join(dashboard, 'deploy/base');
/** Where a pod has the token and the certificate of its account. */
const mounted = '/var/run/secrets/kubernetes.io/serviceaccount';
const publicUrl = 'https://dashboard.example.com';
const name = 'rx-informers-dashboard';

/*
 * There is no container runtime here, so the test carries out what the Dockerfile says in an empty
 * folder, and runs the command of the image with the account and the arguments of the manifests.
 */
describe('the image and the manifests of the dashboard, on a real API server with RBAC', () => {
  let rig: Rig;
  let cluster: Cluster;
  let namespace: string;
  let folder: string;

  beforeAll(async () => {
    rig = await startRig({ kind: 'kube120' });
    cluster = connect(rig.kubeConfigFile);
    namespace = await cluster.createNamespace();
    folder = mkdtempSync(join(tmpdir(), 'rx-informers-image-'));
    if (existsSync(mounted)) throw new Error(`${mounted} exists: this test runs outside of pods only`);
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    rmSync(mounted, { recursive: true, force: true });
    await rig.stop();
  });

  const kubectl = (...args: readonly string[]): string =>
    execFileSync('kubectl', ['--kubeconfig', rig.kubeConfigFile, '--namespace', namespace, ...args], {
      encoding: 'utf8',
    });

  async function tokenOf(account: string): Promise<string> {
    const { status } = await firstValueFrom(
      requestJson<{ readonly status: { readonly token: string } }>(cluster.client, {
        method: 'POST',
        path: `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`,
        body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }),
      }),
    );
    return status.token;
  }

  it('are applied with kubectl, and their account may read nothing', async () => {
    kubectl('apply', '-k', base);
    const deployment = await resourceClient(cluster.client, deployments).get(`${namespace}/${name}`);
    const [container] = deployment.spec?.template.spec?.containers ?? [];
    expect(container?.securityContext).toMatchObject({ readOnlyRootFilesystem: true, runAsUser: 65532 });
    expect((await resourceClient(cluster.client, services).get(`${namespace}/${name}`)).spec?.selector).toEqual(
      deployment.spec?.selector.matchLabels,
    );
    const account = `system:serviceaccount:${namespace}:${name}`;
    expect(() => kubectl('auth', 'can-i', 'list', 'pods', '--all-namespaces', '--as', account)).toThrow(
      expect.objectContaining({ stdout: 'no\n' }),
    );
  });

  it('with the component of the hub, give the account its kinds and RBAC to list and watch, and nothing else', () => {
    const overlay = mkdtempSync(join(tmpdir(), 'rx-informers-overlay-'));
    cpSync(join(dashboard, 'deploy'), overlay, { recursive: true });
    const lines = ['apiVersion: kustomize.config.k8s.io/v1beta1', 'kind: Kustomization', `namespace: ${namespace}`];
    writeFileSync(join(overlay, 'kustomization.yaml'), [...lines, 'resources: [base]', 'components: [hub]'].join('\n'));
    kubectl('apply', '-k', overlay);
    rmSync(overlay, { recursive: true });

    const args = kubectl('get', 'deployment', name, '--output', 'jsonpath={.spec.template.spec.containers[0].args}');
    expect((JSON.parse(args) as readonly string[]).slice(-3)).toEqual(['--public-url', publicUrl, '--hub']);
    const account = `system:serviceaccount:${namespace}:${name}`;
    const rights = kubectl('auth', 'can-i', '--list', '--no-headers', '--as', account).split('\n');
    const ofObjects = rights.map((line) => line.split(/\s{2,}/)).filter(([kind = '']) => !/^$|^self/.test(kind));
    const kinds = [...hubKinds, clusterRoles, clusterRoleBindings, roles, roleBindings].map(({ group, plural }) =>
      group === '' ? plural : `${plural}.${group}`,
    );
    expect(ofObjects.map(([kind, , , verbs]) => `${kind} ${verbs}`).sort()).toEqual(
      kinds.map((kind) => `${kind} [list watch]`).sort(),
    );
    kubectl('delete', 'clusterrole,clusterrolebinding', `${name}-hub`);
    kubectl('apply', '-k', base);
  });

  it('serve a viewer with the rights of the viewer, from an empty folder', async () => {
    const image = readFileSync(join(dashboard, 'deploy/Dockerfile'), 'utf8');
    const stages = image.split(/^FROM .*$/m).slice(1);
    for (const stage of stages) {
      for (const [, instruction, rest = ''] of stage.matchAll(/^(COPY|RUN) (.*)$/gm)) {
        // The second stage copies the packages from the first, which has the same folder here.
        if (rest.startsWith('--from=')) continue;
        if (instruction === 'RUN')
          execFileSync('sh', ['-c', rest], { cwd: folder, env: npmEnvironment(), stdio: 'ignore' });
        else
          for (const file of rest.split(' ').slice(0, -1))
            cpSync(join(dashboard, file), join(folder, file), { recursive: true });
      }
    }
    const listOf = (instruction: string): readonly string[] =>
      JSON.parse(new RegExp(`^${instruction} (\\[.*\\])$`, 'm').exec(image)?.[1] ?? '[]') as readonly string[];
    const deployment = await resourceClient(cluster.client, deployments).get(`${namespace}/rx-informers-dashboard`);
    const [container] = deployment.spec?.template.spec?.containers ?? [];
    expect(container?.args).toEqual(listOf('CMD'));

    await asPod('rx-informers-dashboard');
    const key = join(folder, 'session-key');
    writeFileSync(key, 'a secret of at least thirty-two bytes');
    const places: Readonly<Record<string, string>> = {
      '/var/run/dashboard/session-key': key,
      '0.0.0.0': '127.0.0.1',
      '8080': '0',
    };
    const { hostname, port } = new URL(readKubeConfig(rig.kubeConfigFile).getCurrentCluster()?.server ?? '');
    const [program = '', ...script] = [...listOf('ENTRYPOINT'), ...(container?.args ?? [])];
    const server = spawn(
      program,
      script.map((text) => places[text] ?? text),
      {
        cwd: folder,
        env: { PATH: process.env['PATH'], KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const exited = once(server, 'exit');
    try {
      await follow('ada');
      const lines = await linesToAddress(server.stdout, (line) => /127\.0\.0\.1:\d+/.test(line));
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(lines.at(-1) ?? '')?.[0] ?? '';
      const host = new URL(publicUrl).host;
      const signedIn = await exchange(url, '/login', {
        method: 'POST',
        headers: { host, origin: publicUrl, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ token: await tokenOf('ada') }).toString(),
      });
      const headers = { host, cookie: cookieIn(signedIn) };
      const codeOf = async (path: string): Promise<number | undefined> =>
        (await exchange(url, path, { headers })).status;
      expect(await codeOf(`/api/v1/namespaces/${namespace}/pods`)).toBe(200);
      expect(await codeOf('/api/v1/nodes')).toBe(403);
      expect(await codeOf('/')).toBe(200);
    } finally {
      server.kill('SIGTERM');
    }
    await exited;
  });

  /** Writes the token and the certificate of an account where a pod has them. */
  async function asPod(account: string): Promise<void> {
    mkdirSync(dirname(mounted), { recursive: true });
    mkdirSync(mounted);
    writeFileSync(join(mounted, 'token'), await tokenOf(account));
    writeFileSync(join(mounted, 'namespace'), namespace);
    const { caData = '', caFile } = readKubeConfig(rig.kubeConfigFile).getCurrentCluster() ?? {};
    writeFileSync(join(mounted, 'ca.crt'), caFile === undefined ? Buffer.from(caData, 'base64') : readFileSync(caFile));
  }

  /** Creates an account that may read the pods of the namespace. */
  async function follow(name: string): Promise<void> {
    await cluster.create(serviceAccounts, { metadata: { namespace, name } });
    const rules = [{ apiGroups: [''], resources: [pods.plural], verbs: ['get', 'list', 'watch'] }];
    await cluster.create(roles, { metadata: { namespace, name: 'pods' }, rules });
    await cluster.create(roleBindings, {
      metadata: { namespace, name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'pods' },
      subjects: [{ kind: 'ServiceAccount', namespace, name }],
    });
  }
});
