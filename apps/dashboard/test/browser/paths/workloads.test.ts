import { pods, replicaSets } from 'rx-informers';
import { aPod } from 'rx-informers/testing';
import { accessibilityViolations } from '../support/accessibility.js';
import { useStage } from '../support/dashboard.js';
import { expectSoon } from '../support/page-conditions.js';
import { drawer } from '../support/places.js';
import { rollout } from '../support/rollout.js';

describe('the page of workloads in Chromium', () => {
  const { start, open } = useStage();

  it('shows a rollout, and follows the pods that come and go', async () => {
    const { api, url } = await start();
    const { current } = rollout(api);
    const { page, errors } = await open(`${url}/?view=workloads`);
    await page.getByText('1 of 2 new pods ready, 2 old remaining').waitFor();
    await expectSoon(() => page.locator('.revision.current .pod-cell:not(.missing)').count(), 1);
    expect(await accessibilityViolations(page)).toEqual([]);

    api.apply(aPod({ name: 'new-b', namespace: 'shop', node: 'n1', owner: current, labels: { app: 'web' } }));
    api.remove(pods, 'old-a', 'shop');
    await page.getByText('2 of 2 new pods ready, 1 old remaining').waitFor();
    api.remove(pods, 'old-b', 'shop');
    api.remove(replicaSets, 'web-1', 'shop');
    await page.getByRole('gridcell', { name: 'ready', exact: true }).waitFor();

    await page.getByRole('grid', { name: 'Workloads' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('link', { name: 'new-b', exact: true }).waitFor();
    await page.keyboard.press('ArrowLeft');
    await page.getByRole('link', { name: 'new-b', exact: true }).waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await drawer(page).getByRole('heading', { name: 'Deployment shop/web' }).waitFor();
    await drawer(page).getByRole('link', { name: 'new-b', exact: true }).click();
    await drawer(page).getByRole('heading', { name: /new-b/ }).waitFor();
    expect(errors).toEqual([]);
  });

  it('shows how many pods each service selects, follows them, and shows which services select none', async () => {
    const { api, url } = await start();
    rollout(api);
    const { page } = await open(`${url}/?view=workloads&workloads.show=services`);
    await page.getByRole('gridcell', { name: 'selects nothing' }).waitFor();
    await page.getByRole('gridcell', { name: '3/3' }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    api.remove(pods, 'old-a', 'shop');
    await page.getByRole('gridcell', { name: '2/2' }).waitFor();
  });
});
