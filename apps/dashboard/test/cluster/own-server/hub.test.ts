import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  deployments,
  informer,
  pods,
  serviceAccounts,
  type Informer,
  type KubernetesObject,
  type Resource,
} from 'rx-informers';
import { latestSource } from 'rx-informers/client';
import { connectHub } from 'rx-informers/hub';
import { kubeClient } from 'rx-informers/node';
import { clusterRoleBindings, clusterRoles } from 'rx-informers/resources';
import { WebSocket } from 'ws';
import { parse } from 'yaml';
import { connect, readKubeConfig, type Cluster, type Manifest } from '../../../../../test/cluster/support/cluster.js';
import { startRig, type Rig } from '../../../../../test/cluster/support/rig.js';
import { until } from '../../../../../test/cluster/support/until.js';
import { hubReading } from '../../../page/cluster/hub-reading.js';
import { startDashboardServer, type DashboardServer } from '../../../server/dashboard-server.js';
import { addressOf } from '../../../server/viewer-token.js';
import { exchange } from '../../server/exchange.js';
import { fromPage, host, origin } from '../../server/team.js';
import { accountsOf, type Accounts } from '../support/accounts.js';

const page = fileURLToPath(new URL('../../../server/placeholder', import.meta.url));
const role = fileURLToPath(new URL('../../../deploy/hub/cluster-role.yaml', import.meta.url));

/** Records who has sent which request. */
const auditPolicy = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [ResponseStarted, ResponseComplete]
rules: [{ level: Metadata }]
`;

/** A request that the API server has received. */
interface AuditedRequest {
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username?: string };
  readonly objectRef?: { readonly resource: string };
}

describe('the hub of the dashboard in front of a real API server with RBAC', () => {
  let rig: Rig;
  let cluster: Cluster;
  let namespace: string;
  let other: string;
  let accounts: Accounts;
  let dashboard: DashboardServer;
  let folder: string;
  let opened: readonly Informer<KubernetesObject>[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rx-informers-audit-'));
    writeFileSync(join(folder, 'policy.yaml'), auditPolicy);
    const flags = [`--audit-policy-file=${folder}/policy.yaml`, `--audit-log-path=${folder}/audit.log`];
    rig = await startRig({ kind: 'kube120', flags });
    cluster = connect(rig.kubeConfigFile);
    namespace = await cluster.createNamespace();
    other = await cluster.createNamespace();
    accounts = accountsOf(cluster, namespace);
    await accounts.role('pods', ['list', 'watch']);
    for (const name of ['hub', 'ada', 'grace']) await accounts.create(name);
    await accounts.bind('ada', 'pods');
    // The account of the hub has exactly the rights that the component grants.
    const manifest = parse(readFileSync(role, 'utf8')) as Manifest;
    await cluster.create(clusterRoles, manifest);
    await cluster.create(clusterRoleBindings, {
      metadata: { name: 'hub' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: manifest.metadata.name },
      subjects: [{ kind: 'ServiceAccount', namespace, name: 'hub' }],
    });
    await createPod('first');
    await createPod('foreign', other);
  });
  beforeEach(async () => {
    opened = [];
    const kubeConfig = addressOf(readKubeConfig(rig.kubeConfigFile), await accounts.tokenOf('hub'));
    dashboard = await startDashboardServer({ kubeConfig, page, team: { publicUrl: origin, hub: true } });
  });
  afterEach(async () => {
    for (const each of opened) each.stop();
    await dashboard.close();
  });
  afterAll(async () => {
    await rig.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function createPod(name: string, of = namespace): Promise<void> {
    const spec = { automountServiceAccountToken: false, containers: [{ name: 'main', image: 'example.com/main' }] };
    await cluster.create(pods, { metadata: { namespace: of, name }, spec });
  }

  /** Opens the page of a viewer: its code reads through the hub, with the headers of a browser. */
  function pageOf(
    cookie: string,
  ): <T extends KubernetesObject>(resource: Resource<T>, of?: string) => Informer<KubernetesObject> {
    const headers = { host, origin, cookie };
    const client = kubeClient({
      getCurrentCluster: () => ({ server: dashboard.url }),
      applyToHTTPSOptions(options) {
        options.headers = headers;
        return Promise.resolve();
      },
    });
    const hub = connectHub(() => new WebSocket(`${dashboard.url.replace('http', 'ws')}/hub`, { headers }));
    const reading = hubReading(client, hub);
    return (resource, of) => {
      const source = latestSource(reading.sources(resource, { namespace: of }), { resource });
      const followed = informer(source, { onUnobservedError: () => undefined }) as Informer<KubernetesObject>;
      followed.connect();
      opened = [...opened, followed];
      return followed;
    };
  }

  /**
   * Returns the accounts of the namespace that have listed or watched a kind so far: `hub: watch`.
   * Leaves out streaming lists, which this API server does not support.
   */
  function readersOf({ plural }: Resource<unknown>): readonly string[] {
    const prefix = `system:serviceaccount:${namespace}:`;
    const log = readFileSync(join(folder, 'audit.log'), 'utf8');
    return log
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as AuditedRequest)
      .filter(
        ({ objectRef, requestURI }) => objectRef?.resource === plural && !requestURI.includes('sendInitialEvents'),
      )
      .flatMap(({ user: { username = '' }, verb }) =>
        username.startsWith(prefix) ? [`${username.slice(prefix.length)}: ${verb}`] : [],
      );
  }

  it('sends two viewers with different rights what they may read, from one watch a kind', async () => {
    const before = readersOf(pods).length;
    const [ada, grace] = [
      pageOf(await accounts.signIn(dashboard, 'ada')),
      pageOf(await accounts.signIn(dashboard, 'grace')),
    ];
    const [shown, refused] = [ada(pods, namespace), grace(pods, namespace)];
    const others = [ada(pods, other), ada(pods), ada(deployments, namespace), grace(pods, other)];
    await until(() => shown.hasSynced);
    await until(() => [refused, ...others].every(({ status }) => status.state === 'forbidden'));
    await createPod(`later-${before}`);
    await createPod(`foreign-${before}`, other);
    await until(() => shown.keys().includes(`${namespace}/later-${before}`));

    expect(shown.keys()).toContain(`${namespace}/first`);
    expect(shown.keys().filter((key) => !key.startsWith(`${namespace}/`))).toEqual([]);
    expect([refused, ...others].flatMap((each) => each.keys())).toEqual([]);
    const readers = readersOf(pods).slice(before);
    expect(readers.filter((reader) => reader.startsWith('hub: '))).toEqual(['hub: list', 'hub: watch']);
    expect(readers.filter((reader) => !reader.startsWith('hub: '))).toEqual([]);
    expect(readersOf(deployments)).toEqual([]);
  });

  it('sends objects once a right is granted, and removes them soon after it is withdrawn', async () => {
    const grace = pageOf(await accounts.signIn(dashboard, 'grace'));
    const shown = grace(pods, namespace);
    await until(() => shown.status.state === 'forbidden');
    await accounts.bind('grace', 'pods');
    await until(() => shown.keys().includes(`${namespace}/first`));

    await accounts.unbind('grace', 'pods');
    await until(() => shown.status.state === 'forbidden');
    expect(shown.keys()).toEqual([]);
    expect(readersOf(pods).filter((reader) => reader.startsWith('grace'))).toEqual([]);
  });

  it('ends with the session: after a sign-out nothing more arrives, and the page learns that it must sign in', async () => {
    const cookie = await accounts.signIn(dashboard, 'ada');
    const [ended, kept] = [pageOf(cookie), pageOf(await accounts.signIn(dashboard, 'ada'))].map((read) =>
      read(pods, namespace),
    );
    await until(() => ended?.hasSynced === true && kept?.hasSynced === true);
    await exchange(dashboard.url, '/logout', { method: 'POST', headers: { host, cookie, ...fromPage } });
    const name = `after-sign-out-${readersOf(pods).length}`;
    await createPod(name);
    await until(() => kept?.keys().includes(`${namespace}/${name}`) === true);
    await until(() => ended?.status.state === 'forbidden');

    expect(ended?.keys()).not.toContain(`${namespace}/${name}`);
    expect(ended?.status).toMatchObject({ cause: { code: 'RXI_STATUS', statusCode: 401 } });
  });

  it('ends the session of an account that is deleted', async () => {
    await accounts.create('guest');
    await accounts.bind('guest', 'pods');
    const cookie = await accounts.signIn(dashboard, 'guest');
    const shown = pageOf(cookie)(pods, namespace);
    await until(() => shown.hasSynced);
    await cluster.remove(serviceAccounts, { metadata: { namespace, name: 'guest' } });
    // The binding changes too, so that the hub reviews the rights now and not after minutes.
    await accounts.unbind('guest', 'pods');
    const info = (): ReturnType<typeof exchange> =>
      exchange(dashboard.url, '/dashboard/info', { headers: { host, cookie } });
    await until(async () => (await info()).status === 401);
    expect(shown.keys()).toEqual([]);
  });
});
