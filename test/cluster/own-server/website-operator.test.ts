import { readFileSync } from 'node:fs';
import { serviceAccounts, type KubeClient, type Resource } from 'rx-informers';
import { kubeClient } from 'rx-informers/node';
import { clusterRoleBindings, clusterRoles } from 'rx-informers/resources';
import { firstValueFrom } from 'rxjs';
import { parseAllDocuments } from 'yaml';
import { requestJson } from '../../../src/sources/client/kube-client.js';
import { completeForm } from '../../examples/website-operator/forms.js';
import { describeWebsiteOperator } from '../../examples/website-operator/scenarios.js';
import { connect, readKubeConfig, type Cluster, type Manifest } from '../support/cluster.js';
import { startRig, type Rig } from '../support/rig.js';
import { installWebsites, websitePlayhouse } from '../support/website-playhouse.js';

// The complete API server: it has rights, defaults and validation, and it serves events.
let rig: Rig;
let cluster: Cluster;
let operator: KubeClient;
beforeAll(async () => {
  rig = await startRig({ kind: 'kube120' });
  cluster = connect(rig.kubeConfigFile);
  await installWebsites(cluster);
  await grantRights();
  operator = await connectAs('default', 'website-operator');
});
afterAll(() => rig.stop());

describe('the website operator with a real API server, with only the rights of examples/website-operator/rbac.yaml', () => {
  const playhouse = websitePlayhouse({
    cluster: () => cluster,
    operator: () => operator,
    storesEvents: true,
    restart: () => rig.restart(),
  });
  describeWebsiteOperator(playhouse, completeForm);
});

/** Does the same as `kubectl apply --filename rbac.yaml`. */
async function grantRights(): Promise<void> {
  const resources: Readonly<Record<string, Resource<unknown>>> = {
    ClusterRole: clusterRoles,
    ClusterRoleBinding: clusterRoleBindings,
    ServiceAccount: serviceAccounts,
  };
  for (const document of parseAllDocuments(readFileSync('examples/website-operator/rbac.yaml', 'utf8'))) {
    const manifest = document.toJS() as Manifest & { readonly kind: string };
    await cluster.create(resources[manifest.kind] as Resource<unknown>, manifest);
  }
}

/** A connection with the rights of a ServiceAccount. */
async function connectAs(namespace: string, name: string): Promise<KubeClient> {
  const { status } = await firstValueFrom(
    requestJson<{ readonly status: { readonly token: string } }>(cluster.client, {
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }),
    }),
  );
  const kubeConfig = readKubeConfig(rig.kubeConfigFile);
  const { clusters, currentContext, contexts } = kubeConfig;
  kubeConfig.loadFromOptions({
    clusters,
    currentContext,
    contexts: contexts.map((context) => ({ ...context, user: name })),
    users: [{ name, token: status.token }],
  });
  return kubeClient(kubeConfig);
}
