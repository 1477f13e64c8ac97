import { KubeConfig } from '@kubernetes/client-node';
import { aNode, aPod, createApiServer, type ApiServer } from 'rx-informers/testing';
import { accessibilityViolations } from './support/accessibility.js';
import { useStage } from './support/dashboard.js';
import { drawer, podRow } from './support/places.js';

describe('several contexts in Chromium', () => {
  const { serve, open } = useStage();
  const servers: ApiServer[] = [];

  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });

  async function cluster(name: string): Promise<{ readonly api: ApiServer; readonly kubeConfig: KubeConfig }> {
    const api = await createApiServer();
    servers.push(api);
    api.apply([
      aNode({ name: 'worker-1' }),
      aPod({ name: 'web', namespace: 'shop', node: 'worker-1' }),
      aPod({ name: `only-${name}`, namespace: 'shop', node: 'worker-1' }),
    ]);
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromString(api.kubeconfig());
    const { clusters, users, contexts } = kubeConfig;
    const [context] = contexts;
    if (context === undefined) throw new Error('the kubeconfig has no context');
    kubeConfig.loadFromOptions({ clusters, users, contexts: [{ ...context, name }], currentContext: name });
    return { api, kubeConfig };
  }

  it('shows one context at a time, and leads from one to another', async () => {
    const east = await cluster('east');
    const west = await cluster('west');
    const url = await serve(east.kubeConfig, [west.kubeConfig]);
    const { page, errors } = await open(url);
    await podRow(page, 'only-east').waitFor();
    await page.getByRole('button', { name: /^Contexts/ }).click();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole('link', { name: 'west' }).click();
    await podRow(page, 'only-west').waitFor();
    expect(new URL(page.url()).search).toBe('?context=west');
    expect(await podRow(page, 'only-east').count()).toBe(0);

    await podRow(page, 'web').click();
    await drawer(page).getByRole('heading', { name: 'Pod shop/web' }).waitFor();
    west.api.apply(aPod({ name: 'web', namespace: 'shop', node: 'worker-1', phase: 'Failed' }));
    await drawer(page).getByText('Error').first().waitFor();
    await page.reload();
    await drawer(page).getByText('Error').first().waitFor();

    await page.goBack();
    await page.goBack();
    await podRow(page, 'only-east').waitFor();
    expect(errors).toEqual([]);
  });
});
