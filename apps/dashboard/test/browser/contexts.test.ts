import { KubeConfig } from '@kubernetes/client-node';
import { aNode, aPod, createApiServer, type ApiServer } from 'rx-informers/testing';
import { accessibilityViolations } from './support/accessibility.js';
import { useStage } from './support/dashboard.js';
import { expectSoon } from './support/page-conditions.js';
import { drawer, facetValue, podCount, podRow } from './support/places.js';

describe('several contexts side by side in Chromium', () => {
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

  it('shows one context, then two in one table and map, opens the pod of the right one, and shows which one lost its connection', async () => {
    const east = await cluster('east');
    const west = await cluster('west');
    const url = await serve(east.kubeConfig, [west.kubeConfig]);
    const { page, errors } = await open(url);
    await podCount(page, 2).waitFor();
    await page.getByRole('button', { name: /^Contexts/ }).click();
    await page.getByRole('checkbox', { name: 'west' }).click();
    await podCount(page, 4).waitFor();
    await expectSoon(() => new URL(page.url()).search, '?contexts=east,west');
    await page
      .getByRole('region', { name: 'context west' })
      .getByRole('button', { name: /^worker-1/ })
      .waitFor();
    await page.keyboard.press('Escape');
    expect(await accessibilityViolations(page)).toEqual([]);

    await facetValue(page, 'west 2').click();
    await podCount(page, 2).waitFor();
    await podRow(page, 'web').click();
    await drawer(page).getByRole('heading', { name: 'Pod west · shop/web' }).waitFor();
    west.api.apply(aPod({ name: 'web', namespace: 'shop', node: 'worker-1', phase: 'Failed' }));
    await drawer(page).getByText('Error').first().waitFor();
    await page.reload();
    await drawer(page).getByRole('heading', { name: 'Pod west · shop/web' }).waitFor();
    expect(errors).toEqual([]);

    await page.goto(`${url}?contexts=east,west`);
    await podCount(page, 4).waitFor();
    servers.splice(servers.indexOf(west.api), 1);
    await west.api.close();
    const lost = page.getByRole('status', { name: 'Contexts that are not live' });
    await lost.getByText('west').waitFor();
    expect(await lost.textContent()).not.toContain('east');
    east.api.apply(aPod({ name: 'new', namespace: 'shop', node: 'worker-1' }));
    await podCount(page, 5).waitFor();
  });
});
