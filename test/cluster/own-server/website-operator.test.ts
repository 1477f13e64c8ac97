import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceAccounts, type KubeClient, type Resource } from 'rx-informers';
import { inCluster, kubeClient } from 'rx-informers/node';
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
const files = mkdtempSync(join(tmpdir(), 'serviceaccount-'));
beforeAll(async () => {
  rig = await startRig({ kind: 'kube120' });
  cluster = connect(rig.kubeConfigFile);
  await installWebsites(cluster);
  await grantRights();
  operator = await connectAs('default', 'website-operator');
});
afterAll(async () => {
  await rig.stop();
  rmSync(files, { recursive: true });
});

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
