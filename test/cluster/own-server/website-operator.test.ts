import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceAccounts, type KubeClient, type Resource } from 'rx-informers';
import { inCluster, kubeClient } from 'rx-informers/node';
import { clusterRoleBindings, clusterRoles } from 'rx-informers/resources';
import { recordRights, type PolicyRule } from 'rx-informers/testing';
import { firstValueFrom, interval } from 'rxjs';
import { parseAllDocuments } from 'yaml';
import { completeForm } from '../../../examples/test/website-operator/forms.js';
import { play } from '../../../examples/test/website-operator/play.js';
import { describeWebsiteOperator } from '../../../examples/test/website-operator/scenarios.js';
import { websites } from '../../../examples/website-operator/website.js';
import { requestJson } from '../../../src/sources/client/kube-client.js';
import { connect, readKubeConfig, type Cluster, type Manifest } from '../support/cluster.js';
import { eventually } from '../support/eventually.js';
import { startRig, type Rig } from '../support/rig.js';
import { installWebsites, websitePlayhouse } from '../support/website-playhouse.js';

// The complete API server: it has rights, defaults and validation, and it serves events.
let rig: Rig;
let cluster: Cluster;
let operator: KubeClient;
const documents = parseAllDocuments(readFileSync('examples/website-operator/rbac.yaml', 'utf8')).map(
  (document) => document.toJS() as Manifest & { readonly kind: string },
);
const roleRules = (documents[0] as unknown as { readonly rules: readonly PolicyRule[] }).rules;
const files = mkdtempSync(join(tmpdir(), 'serviceaccount-'));
async function startServer(flags: readonly string[] = []): Promise<void> {
  rig = await startRig({ kind: 'kube120', flags });
  cluster = connect(rig.kubeConfigFile);
  await installWebsites(cluster);
  await grantRights();
  operator = await connectAs('default', 'website-operator');
}
afterAll(() => {
  rmSync(files, { recursive: true });
});

describe('the website operator with a real API server, with only the rights of examples/website-operator/rbac.yaml', () => {
  beforeAll(() => startServer());
  afterAll(() => rig.stop());
  const playhouse = websitePlayhouse({
    cluster: () => cluster,
    operator: () => operator,
    storesEvents: true,
    restart: () => rig.restart(),
  });
  describeWebsiteOperator(playhouse, completeForm);
});

describe('the website operator with a real API server that checks owner references, as OpenShift does', () => {
  beforeAll(() => startServer(['--enable-admission-plugins=OwnerReferencesPermissionEnforcement']));
  afterAll(() => rig.stop());
  const blocked = '- { apiGroups: [example.com], resources: [websites/finalizers], verbs: [update] }';

  it.each([
    ['needs no other rights than those of rbac.yaml', roleRules, []],
    [
      'lacks a line of YAML without the right to the finalizers of websites, which recordRights names',
      roleRules.filter(({ resources }) => !resources.includes('websites/finalizers')),
      [blocked],
    ],
  ])('%s', async (_, rules, missing) => {
    await cluster.patch(clusterRoles, { metadata: { name: 'website-operator' } }, { rules });
    const rights = recordRights(operator);
    const playhouse = websitePlayhouse({ cluster: () => cluster, operator: () => rights.client, storesEvents: true });
    const scenario = await play(playhouse, completeForm);
    scenario.start();
    await scenario.stage.user.create(websites, 'shop', { spec: { image: 'nginx' } });
    if (missing.length === 0) await scenario.settled(({ deployments }) => deployments.length === 1);
    else await eventually(interval(50), () => rights.missing().length > 0);
    expect(rights.missing()).toEqual(missing);
    await scenario.close();
  });
});

/** Does the same as `kubectl apply --filename rbac.yaml`. */
async function grantRights(): Promise<void> {
  const resources: Readonly<Record<string, Resource<unknown>>> = {
    ClusterRole: clusterRoles,
    ClusterRoleBinding: clusterRoleBindings,
    ServiceAccount: serviceAccounts,
  };
  for (const manifest of documents) await cluster.create(resources[manifest.kind] as Resource<unknown>, manifest);
}

/** Connects as a pod with this ServiceAccount does, from the files that the kubelet would mount. */
async function connectAs(namespace: string, name: string): Promise<KubeClient> {
  const { status } = await firstValueFrom(
    requestJson<{ readonly status: { readonly token: string } }>(cluster.client, {
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }),
    }),
  );
  const { server = '', caData = '' } = readKubeConfig(rig.kubeConfigFile).getCurrentCluster() ?? {};
  writeFileSync(join(files, 'token'), status.token);
  writeFileSync(join(files, 'ca.crt'), Buffer.from(caData, 'base64'));
  writeFileSync(join(files, 'namespace'), namespace);
  const { hostname, port } = new URL(server);
  Object.assign(process.env, { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port });
  return kubeClient(inCluster(files));
}
