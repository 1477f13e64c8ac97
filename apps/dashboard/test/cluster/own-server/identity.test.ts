import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { informer, pods, type Informer, type Pod } from 'rx-informers';
import { connectHub } from 'rx-informers/hub';
import { roleBindings } from 'rx-informers/resources';
import { WebSocket } from 'ws';
import { parseAllDocuments } from 'yaml';
import { connect, readKubeConfig, type Cluster } from '../../../../../test/cluster/support/cluster.js';
import { startRig, type Rig } from '../../../../../test/cluster/support/rig.js';
import { until } from '../../../../../test/cluster/support/until.js';
import { startDashboardServer, type DashboardServer } from '../../../server/dashboard-server.js';
import { addressOf } from '../../../server/viewer-token.js';
import { exchange, statusIn } from '../../server/exchange.js';
import { fromProxy, identity } from '../../server/identity.js';
import { unrestrictedImpersonations, type Rule } from '../../server/rules.js';
import { fromPage, host, origin } from '../../server/team.js';
import { accountsOf, type Accounts } from '../support/accounts.js';

const page = fileURLToPath(new URL('../../../server/placeholder', import.meta.url));
const deploy = fileURLToPath(new URL('../../../deploy', import.meta.url));
const account = 'rx-informers-dashboard';
const [ada, grace] = ['ada@example.com', 'grace@example.com'];

describe('the overlay of the impersonation, on a real API server with RBAC', () => {
  let rig: Rig;
  let cluster: Cluster;
  let namespace: string;
  let accounts: Accounts;
  let overlay: string;
  let dashboard: DashboardServer;
  let opened: readonly Informer<Pod>[] = [];

  beforeAll(async () => {
    rig = await startRig({ kind: 'kube120' });
    cluster = connect(rig.kubeConfigFile);
    namespace = await cluster.createNamespace();
    accounts = accountsOf(cluster, namespace);
    overlay = mkdtempSync(join(tmpdir(), 'rx-informers-overlay-'));
    cpSync(deploy, overlay, { recursive: true });
    writeFileSync(
      join(overlay, 'kustomization.yaml'),
      [
        'apiVersion: kustomize.config.k8s.io/v1beta1',
        'kind: Kustomization',
        `namespace: ${namespace}`,
        'resources: [base]',
        'components: [hub, impersonation, impersonation-hub]',
      ].join('\n'),
    );
    kubectl('apply', '-k', overlay);
    await accounts.role('pods', ['get', 'list', 'watch', 'delete']);
    await accounts.role('services', ['list', 'watch']);
    await bind('User', ada, 'pods');
    await bind('Group', 'developers', 'services');
    await cluster.create(pods, {
      metadata: { namespace, name: 'of-ada' },
      spec: { automountServiceAccountToken: false, containers: [{ name: 'main', image: 'example.com/main' }] },
    });
    // The server has exactly the rights that the overlay grants.
    dashboard = await startDashboardServer({
      kubeConfig: addressOf(readKubeConfig(rig.kubeConfigFile), await accounts.tokenOf(account)),
      page,
      allowWrites: true,
      team: { publicUrl: origin, hub: true, identity },
    });
  });
  afterAll(async () => {
    for (const each of opened) each.stop();
    await dashboard.close();
    rmSync(overlay, { recursive: true, force: true });
    await rig.stop();
  });

  const kubectl = (...args: readonly string[]): string =>
    execFileSync('kubectl', ['--kubeconfig', rig.kubeConfigFile, '--namespace', namespace, ...args], {
      encoding: 'utf8',
    });

  async function bind(kind: 'User' | 'Group', name: string, role: string): Promise<void> {
    await cluster.create(roleBindings, {
      metadata: { namespace, name: `${kind}-${role}`.toLowerCase() },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: role },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind, name }],
    });
  }

  const listOf = (resource: string): string => `/api/v1/namespaces/${namespace}/${resource}`;

  async function codesOf(user: string, groups = ''): Promise<readonly (number | undefined)[]> {
    const paths = [listOf('pods'), listOf('services'), '/api/v1/nodes', listOf('secrets')];
    const headers = { host, ...fromProxy(user, groups) };
    return Promise.all(paths.map(async (path) => (await exchange(dashboard.url, path, { headers })).status));
  }

  /** Reads pods of the namespace through the hub, as a page behind the proxy does. */
  function follow(user: string, groups = ''): Informer<Pod> {
    const headers = { host, origin, ...fromProxy(user, groups) };
    const hub = connectHub(() => new WebSocket(`${dashboard.url.replace('http', 'ws')}/hub`, { headers }));
    const followed = informer(hub.listWatch(cluster.client, pods, { namespace }), {
      onUnobservedError: () => undefined,
    });
    followed.connect();
    opened = [...opened, followed];
    return followed;
  }

  it('renders no rule that impersonates without names, and the arguments of the proxy', () => {
    const documents = parseAllDocuments(kubectl('kustomize', overlay)).map((each) => each.toJS() as unknown);
    const rules = documents.flatMap((each) => (each as { readonly rules?: readonly Rule[] }).rules ?? []);
    expect(rules.filter(({ verbs }) => verbs.includes('impersonate')).length).toBe(2);
    expect(unrestrictedImpersonations(rules)).toEqual([]);
    const args = kubectl('get', 'deployment', account, '--output', 'jsonpath={.spec.template.spec.containers[0].args}');
    expect(JSON.parse(args)).toEqual(
      expect.arrayContaining(['--identity-secret-file', '--identity-groups=developers', '--hub']),
    );
    expect(args).not.toContain('--session-key-file');
  });

  it.each([
    ['users', 'root', 'no'],
    ['users', ada, 'yes'],
    ['groups', 'system:masters', 'no'],
    ['groups', 'developers', 'yes'],
    ['serviceaccounts', 'default', 'no'],
  ])('lets the account impersonate the %s/%s: %s', (kind, name, expected) => {
    const subject = `system:serviceaccount:${namespace}:${account}`;
    const question = ['auth', 'can-i', 'impersonate', `${kind}/${name}`, '--as', subject];
    const { stdout } = spawnSync('kubectl', ['--kubeconfig', rig.kubeConfigFile, ...question], { encoding: 'utf8' });
    expect(stdout.trim()).toBe(expected);
  });

  it('serves two identities with their own rights, and never with those of the account', async () => {
    expect([await codesOf(ada), await codesOf(grace), await codesOf(grace, 'developers,finance')]).toEqual([
      [200, 403, 403, 403],
      [403, 403, 403, 403],
      [403, 200, 403, 403],
    ]);
    const remove = async (user: string): Promise<number | undefined> => {
      const headers = { host, ...fromProxy(user, 'developers'), ...fromPage };
      const options = { method: 'DELETE', headers };
      return (await exchange(dashboard.url, `${listOf('pods')}/of-ada?dryRun=All`, options)).status;
    };
    expect([await remove(grace), await remove(ada)]).toEqual([403, 200]);
  });

  it('sends two identities through the hub what they may read themselves', async () => {
    const [shown, refused] = [follow(ada), follow(grace, 'developers')];
    await until(() => shown.hasSynced && refused.status.state === 'forbidden');
    expect(shown.keys()).toEqual([`${namespace}/of-ada`]);
    expect(refused.keys()).toEqual([]);
  });

  it.each([
    ['a user that the ClusterRole does not name', 'eve@example.com', '', 'users "eve@example.com" is forbidden'],
    ['a group that it does not name', ada, 'operators', 'groups "operators" is forbidden'],
  ])('the API server refuses %s, with a reason that the page shows', async (_, user, groups, reason) => {
    const headers = { host, ...fromProxy(user, groups) };
    const answer = await exchange(dashboard.url, listOf('pods'), { headers });
    expect(answer.status).toBe(403);
    expect(statusIn(answer).message).toContain(reason);
    expect(statusIn(answer).message).toContain('cannot impersonate resource');
  });

  it('a sender without the secret of the proxy is not signed in', async () => {
    const headers = { host, 'x-forwarded-email': ada, 'impersonate-user': ada };
    expect((await exchange(dashboard.url, listOf('pods'), { headers })).status).toBe(401);
  });
});
