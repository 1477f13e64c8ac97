import type { Page } from 'playwright-core';
import { deployments, pods, replicaSets, services, type Deployment, type ReplicaSet } from 'rx-informers';
import { aDeployment, anyObject, aNode, aPod, aReplicaSet, type ApiServer } from 'rx-informers/testing';
import { until } from '../../../../test/support/until.js';
import { accessibilityViolations } from './support/accessibility.js';
import { useStage } from './support/dashboard.js';
import { expectSoon } from './support/page-conditions.js';
import { drawer } from './support/places.js';

const refusal = { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'no more replicas', code: 403 };

const revision = 'deployment.kubernetes.io/revision';

/** A Deployment in a rollout: two pods of the old revision, one of the new. */
function rollout(api: ApiServer): { readonly current: ReplicaSet } {
  const owner = api.apply(aDeployment({ name: 'web', namespace: 'shop', replicas: 2 }))[0] as Deployment;
  const set = (number: number, replicas: number): ReplicaSet => {
    const made = aReplicaSet({ name: `web-${number}`, namespace: 'shop', replicas, owner, selector: { app: 'web' } });
    const metadata = { ...made.metadata, annotations: { [revision]: String(number) } };
    return api.apply({ ...made, metadata })[0] as ReplicaSet;
  };
  const [old, current] = [set(1, 2), set(2, 1)];
  const labels = { app: 'web' };
  api.apply([
    aNode({ name: 'n1' }),
    aPod({ name: 'old-a', namespace: 'shop', node: 'n1', owner: old, labels }),
    aPod({ name: 'old-b', namespace: 'shop', node: 'n1', owner: old, labels }),
    aPod({ name: 'new-a', namespace: 'shop', node: 'n1', owner: current, labels }),
    anyObject(services, { name: 'web', namespace: 'shop', content: { spec: { selector: labels } } }),
    anyObject(services, { name: 'empty', namespace: 'shop', content: { spec: { selector: { app: 'gone' } } } }),
  ]);
  return { current };
}

const widgets = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

const widget = (name: string, size: number): object => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name, namespace: 'shop' },
  spec: { size },
});

describe('the views of the dashboard in Chromium', () => {
  const { start, open } = useStage();

  const expectAccessible = async (page: Page): Promise<void> => {
    expect(await accessibilityViolations(page)).toEqual([]);
  };

  it.each(['light', 'dark'] as const)('the rollout view follows the pods that come and go, %s', async (colorScheme) => {
    const { api, url } = await start();
    const { current } = rollout(api);
    const { page, errors } = await open(`${url}/?view=workloads`, { colorScheme });
    await page.getByText('1 of 2 new pods ready, 2 old remaining').waitFor();
    await expectSoon(() => page.locator('.revision.current .pod-cell:not(.missing)').count(), 1);
    await expectAccessible(page);

    api.apply(aPod({ name: 'new-b', namespace: 'shop', node: 'n1', owner: current, labels: { app: 'web' } }));
    api.remove(pods, 'old-a', 'shop');
    await page.getByText('2 of 2 new pods ready, 1 old remaining').waitFor();
    api.remove(pods, 'old-b', 'shop');
    api.remove(replicaSets, 'web-1', 'shop');
    await page.getByRole('gridcell', { name: 'ready', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Open Deployment shop/web' }).click();
    await page.getByRole('link', { name: 'new-b', exact: true }).click();
    await drawer(page).getByRole('heading', { name: /new-b/ }).waitFor();
    expect(errors).toEqual([]);
  });

  it('the services view shows how many pods each service selects, and which services select none', async () => {
    const { api, url } = await start();
    rollout(api);
    const { page } = await open(`${url}/?view=workloads&workloads.show=services`);
    await page.getByRole('gridcell', { name: 'selects nothing' }).waitFor();
    await page.getByRole('gridcell', { name: '3/3' }).waitFor();
    await expectAccessible(page);
  });

  it('the view of a custom kind has its printer columns, and follows its objects', async () => {
    const { api, url } = await start();
    api.apply(widgets);
    api.apply(widget('a', 3));
    const { page, errors } = await open(`${url}/?view=kinds`);
    await page.getByRole('searchbox', { name: 'Search kinds' }).fill('widg');
    await page.getByRole('link', { name: 'Widget' }).click();
    await page.getByRole('columnheader', { name: 'Size' }).waitFor();
    await page.getByRole('gridcell', { name: '3', exact: true }).waitFor();
    api.apply(widget('b', 42));
    await page.getByRole('gridcell', { name: '42', exact: true }).waitFor();
    await expectAccessible(page);
    // The drawer shows them too.
    await page.getByRole('link', { name: 'b', exact: true }).click();
    await drawer(page).locator('.facts div').filter({ hasText: 'Size42' }).first().waitFor();
    expect(errors).toEqual([]);
  });

  it('the timeline shows what happens, and groups the pods of a workload into one line', async () => {
    const { api, url } = await start();
    rollout(api);
    const { page } = await open(`${url}/?view=timeline`);
    await page.getByText('Nothing has happened yet').waitFor();
    api.remove(pods, 'old-a', 'shop');
    api.remove(pods, 'old-b', 'shop');
    await page.getByRole('listitem').filter({ hasText: 'deleted ×2' }).waitFor();
    await expectAccessible(page);
  });

  it('with writes allowed, a Deployment is scaled from the drawer, and the watch confirms it', async () => {
    const { api, url } = await start({ allowWrites: true });
    rollout(api);
    const { page } = await open(`${url}/?view=workloads&open=apps/v1/deployments:shop/web`);
    await drawer(page).getByRole('button', { name: 'Scale' }).click();
    await drawer(page).getByLabel('Replicas').fill('4');
    await drawer(page).getByLabel('Replicas').press('Enter');
    await drawer(page).getByText('Scaled to 4. Confirmed by the watch.').waitFor();
    expect(api.objects.get<Deployment>(deployments, 'web', 'shop')?.spec?.replicas).toBe(4);
    await expectAccessible(page);
  });

  it("a write is shown at once in the table and the drawer, and is reverted with the server's message if it is refused", async () => {
    const { api, url } = await start({ allowWrites: true });
    rollout(api);
    const { page } = await open(`${url}/?view=workloads&open=apps/v1/deployments:shop/web`);
    const gates: (() => void)[] = [];
    await page.route('**/scale', async (route) => {
      await new Promise<void>((resolve) => gates.push(resolve));
      await (gates.length === 1 ? route.continue() : route.fulfill({ status: 403, json: refusal }));
    });
    const scale = async (replicas: string): Promise<void> => {
      await drawer(page).getByRole('button', { name: 'Scale' }).click();
      await drawer(page).getByLabel('Replicas').fill(replicas);
      await drawer(page).getByLabel('Replicas').press('Enter');
    };
    const saving = page.getByText('saving…');
    await scale('5');
    await drawer(page).getByText('saving…').waitFor();
    await page.locator('.workloads').getByText('saving…').waitFor();
    expect(api.objects.get<Deployment>(deployments, 'web', 'shop')?.spec?.replicas).toBe(2);
    expect(await accessibilityViolations(page, { isSettled: false })).toEqual([]);
    await until(() => gates.length === 1, { what: 'the first request' });
    gates[0]?.();
    await drawer(page).getByText('Scaled to 5. Confirmed by the watch.').waitFor();
    await saving.first().waitFor({ state: 'detached' });

    await scale('9');
    await drawer(page).getByText('saving…').waitFor();
    await until(() => gates.length === 2, { what: 'the second request' });
    gates[1]?.();
    await drawer(page).getByText('No permission: no more replicas').waitFor();
    await saving.first().waitFor({ state: 'detached' });
    expect(api.objects.get<Deployment>(deployments, 'web', 'shop')?.spec?.replicas).toBe(5);
  });
});
