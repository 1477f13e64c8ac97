import type { Page } from 'playwright-core';
import { services } from 'rx-informers';
import { aDeployment, aNode, aPod, anyObject } from 'rx-informers/testing';
import { accessibilityViolations } from './support/accessibility.js';
import { useStage } from './support/dashboard.js';
import { expectSoon } from './support/page-conditions.js';
import { drawer, podCount, podTable } from './support/places.js';

async function type(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /^Go to/ }).fill(text);
}

describe('the command palette in Chromium', () => {
  const { start, open } = useStage();

  it('finds objects of every watched kind, and any kind of the API server', async () => {
    const { api, url } = await start();
    api.apply([
      aPod({ name: 'front-1', namespace: 'shop' }),
      aDeployment({ name: 'front', namespace: 'shop' }),
      anyObject(services, { name: 'front-door', namespace: 'shop', content: { spec: {} } }),
    ]);
    const { page, errors } = await open(`${url}/?view=workloads&workloads.show=services`);
    await page.getByRole('link', { name: 'front-door' }).waitFor();
    await page.getByRole('link', { name: 'Workloads' }).last().click();
    await page.getByRole('link', { name: 'front', exact: true }).waitFor();
    await type(page, 'deployment front');
    await page.getByRole('option', { name: 'Deployment front shop' }).click();
    await drawer(page).getByRole('heading', { name: /front/ }).waitFor();
    await page.waitForURL(/open=apps\/v1\/deployments:shop\/front/);

    await type(page, 'service front-door');
    await page.getByRole('option', { name: 'Service front-door shop' }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole('combobox', { name: /^Go to/ }).fill('configm');
    await page.getByRole('option', { name: /^Kind ConfigMap v1\/configmaps/ }).click();
    await page.getByRole('heading', { name: /^ConfigMap/ }).waitFor();
    expect(errors).toEqual([]);
  });

  it('runs actions: scales the opened object, copies a link, and returns to live', async () => {
    const { api, url } = await start({ allowWrites: true });
    api.apply(aDeployment({ name: 'front', namespace: 'shop', replicas: 2 }));
    const { page } = await open(`${url}/?open=apps/v1/deployments:shop/front`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await drawer(page).getByRole('button', { name: 'Scale' }).waitFor();
    await type(page, 'scale');
    await page.getByRole('option', { name: 'Action Scale shop/front' }).click();
    await drawer(page).getByLabel('Replicas').waitFor();

    await type(page, 'copy link');
    await page.getByRole('option', { name: /^Action Copy/ }).click();
    await expectSoon(() => page.evaluate(() => navigator.clipboard.readText()), page.url());

    await page.getByRole('button', { name: 'Freeze the page at this time' }).click();
    await page.getByText(/^Past/).waitFor();
    await type(page, 'live');
    await page.getByRole('option', { name: /live/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText(/^Past/).waitFor({ state: 'detached' });
  });
});

describe('the map of nodes in Chromium, by keyboard', () => {
  const { start, open } = useStage();

  it('leads to every pod: the name of a node filters the table, in which the keys open a pod', async () => {
    const { api, url } = await start();
    api.apply(['n1', 'n2'].map((name) => aNode({ name })));
    api.apply([...['a', 'b', 'c'].map((name) => aPod({ name, node: 'n2' })), aPod({ name: 'other', node: 'n1' })]);
    const { page } = await open(url);
    await podCount(page, 4).waitFor();
    await page.locator('.tile-name').first().focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await podCount(page, 3).waitFor();
    await podTable(page).focus();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await drawer(page)
      .getByRole('heading', { name: /default\/b/ })
      .waitFor();
    expect(new URL(page.url()).search).toBe('?is.node=n2&open=v1/pods:default/b');
  });
});
