import { KubeConfig } from '@kubernetes/client-node';
import { nodes, pods, serviceAccounts } from 'rx-informers';
import { clusterRoleBindings, clusterRoles } from 'rx-informers/resources';
import { firstValueFrom } from 'rxjs';
import { requestJson } from '../../../../../src/sources/client/kube-client.js';
import { connect, readKubeConfig, type Cluster } from '../../../../../test/cluster/support/cluster.js';
import { startRig, type Rig } from '../../../../../test/cluster/support/rig.js';
import { useStage } from '../../browser/support/dashboard.js';
import { expectVisible } from '../../browser/support/page-conditions.js';
import { notice, podRow, statusText } from '../../browser/support/places.js';

const { serve, open } = useStage();
let rig: Rig;
let cluster: Cluster;
afterEach(() => rig.stop());

describe('the dashboard in Chromium with a real API server that fails', () => {
  it('shows that the connection is lost when the API server is killed, and shows what changed when it is back', async () => {
    await start('rig');
    const namespace = await cluster.createNamespace();
    await createPod(namespace, 'before');
    const { page } = await open(await serve(readKubeConfig(rig.kubeConfigFile)));
    await statusText(page, 'live').waitFor();
    await podRow(page, 'before').waitFor();
    // The message may be visible for a short time only, so the page records it.
    await page.evaluate(() => {
      const messages: string[] = [];
      Object.assign(globalThis, { messages });
      new MutationObserver(() => {
        messages.push(document.querySelector('header')?.textContent ?? '');
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    });

    await rig.restart();
    await createPod(namespace, 'after');

    await podRow(page, 'after').waitFor({ timeout: 60_000 });
    await statusText(page, 'live').waitFor();
    await podRow(page, 'before').waitFor();
    const messages = await page.evaluate(
      () => (globalThis as unknown as { readonly messages: readonly string[] }).messages,
    );
    expect(messages.filter((text) => /reconnecting|connection is lost|does not respond/.test(text))).not.toEqual([]);
  });

  it('shows in the panel of the nodes that the account may not read them, and shows the pods', async () => {
    await start('kube120');
    const namespace = await cluster.createNamespace();
    await cluster.create(serviceAccounts, { metadata: { namespace, name: 'default' } });
    await cluster.create(nodes, { metadata: { name: 'worker-1' } });
    await createPod(namespace, 'web-1');

    const { page } = await open(await serve(await kubeConfigOfPodReader(namespace, 'pod-reader')));

    await expectVisible(notice(page, 'nodes: no permission').filter({ hasText: 'pod-reader' }));
    await expectVisible(podRow(page, 'web-1').filter({ hasText: 'worker-1' }));
    await expectVisible(statusText(page, 'live'));
  });
});

async function start(kind: 'rig' | 'kube120'): Promise<void> {
  rig = await startRig({ kind });
  cluster = connect(rig.kubeConfigFile);
}

async function createPod(namespace: string, name: string): Promise<void> {
  await cluster.create(pods, {
    metadata: { namespace, name },
    spec: {
      nodeName: 'worker-1',
      automountServiceAccountToken: false,
      containers: [{ name: 'main', image: 'example.com/main' }],
    },
  });
}

/** A service account that may read pods and nothing else. */
async function kubeConfigOfPodReader(namespace: string, name: string): Promise<KubeConfig> {
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] }];
  await cluster.create(serviceAccounts, { metadata: { namespace, name } });
  await cluster.create(clusterRoles, { metadata: { name }, rules });
  await cluster.create(clusterRoleBindings, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', namespace, name }],
  });
  const { status } = await firstValueFrom(
    requestJson<{ readonly status: { readonly token: string } }>(cluster.client, {
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
      body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }),
    }),
  );
  const { clusters } = readKubeConfig(rig.kubeConfigFile);
  const [server] = clusters;
  if (server === undefined) throw new Error('the kubeconfig has no cluster');
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromClusterAndUser(server, { name, token: status.token });
  return kubeConfig;
}
