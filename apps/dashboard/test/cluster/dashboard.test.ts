import { nodes, pods } from 'rx-informers';
import { firstValueFrom } from 'rxjs';
import { requestJson } from '../../../../src/sources/client/kube-client.js';
import {
  connect,
  currentKubeConfigFile,
  readKubeConfig,
  uniqueName,
} from '../../../../test/cluster/support/cluster.js';
import { startKubectlProxy, type KubectlProxy } from '../../../../test/cluster/support/kubectl-proxy.js';
import { hasKubectl } from '../../../../test/cluster/support/kubectl.js';
import { builtPage, useStage } from '../browser/support/dashboard.js';
import {
  drawer,
  facetValue,
  fieldChange,
  filterField,
  openTab,
  podRow,
  statusText,
} from '../browser/support/places.js';

const cluster = connect();
const { serve, open } = useStage();
let proxy: KubectlProxy | undefined;
const node = uniqueName('node');
beforeAll(() => cluster.create(nodes, { metadata: { name: node } }));
afterEach(async () => {
  await proxy?.stop();
  proxy = undefined;
});
afterAll(async () => {
  await cluster.remove(nodes, { metadata: { name: node } });
  await cluster.cleanUp();
});

async function dashboardThroughKubectlProxy(apiPrefix?: string): Promise<string> {
  const prefix = apiPrefix === undefined ? {} : { apiPrefix };
  proxy = await startKubectlProxy({ kubeConfigFile: currentKubeConfigFile(), folder: builtPage, ...prefix });
  return proxy.url;
}

type Way = readonly [name: string, start: () => Promise<string>];

const ownServer: Way = ['its own server', () => serve(readKubeConfig(currentKubeConfigFile()))];
const kubectlProxies: readonly Way[] = [
  ['kubectl proxy --www', () => dashboardThroughKubectlProxy()],
  ['kubectl proxy --www --api-prefix', async () => `${await dashboardThroughKubectlProxy('/k8s/')}?api=/k8s`],
];
const ways: readonly Way[] = (await hasKubectl()) ? [ownServer, ...kubectlProxies] : [ownServer];

describe('the dashboard in Chromium with a real API server', () => {
  it.each(ways)('shows, behind %s, a pod that is added, relabelled and deleted, and its YAML', async (way, start) => {
    const namespace = await cluster.createNamespace();
    const [name, first, second] = [uniqueName('web'), uniqueName('first'), uniqueName('second')];
    const { page, errors } = await open(await start());
    await statusText(page, 'live').waitFor();
    await filterField(page).fill(name);

    const pod = await cluster.create(pods, {
      metadata: { namespace, name, labels: { tier: first } },
      spec: { nodeName: node, containers: [{ name: 'main', image: 'example.com/main' }] },
    });
    await podRow(page, name).filter({ hasText: namespace }).filter({ hasText: node }).waitFor();
    await page.getByRole('button', { name: new RegExp(`${node}\\W+1 pod: 1 pending$`) }).waitFor();
    await page.getByRole('button', { name: 'tier', exact: true }).click();
    await facetValue(page, `${first} 1`).waitFor();
    await podRow(page, name).click();
    await openTab(page, 'YAML');
    await drawer(page).getByText(`uid: ${pod.metadata.uid}`).waitFor();
    await drawer(page).getByText('image: example.com/main').waitFor();
    await openTab(page, 'Changes');

    await cluster.patch(pods, pod, { metadata: { labels: { tier: second } } });
    await facetValue(page, `${second} 1`).waitFor();
    await facetValue(page, `${first} 1`).waitFor({ state: 'detached' });
    const change = fieldChange(page, 'metadata.labels.tier');
    await change.waitFor();
    expect(await change.getByRole('insertion').textContent()).toBe(`"${second}"`);

    await removeAtOnce(namespace, name);
    await podRow(page, name).waitFor({ state: 'detached' });
    await drawer(page).getByText('Deleted. This is its last state.').waitFor();
    // Only the dashboard's own server reports the signed-in user and the context.
    const isExpected = (error: string): boolean => way !== ownServer[0] && /\b404\b.*\/dashboard\/info$/.test(error);
    expect(errors.filter((error) => !isExpected(error))).toEqual([]);
  });
});

/** There is no kubelet that ends the pod. */
async function removeAtOnce(namespace: string, name: string): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
  await firstValueFrom(requestJson(cluster.client, { method: 'DELETE', path, query: { gracePeriodSeconds: '0' } }));
}
