import { aNode, aPod } from 'rx-informers/testing';
import { accessibilityViolations } from './support/accessibility.js';
import { useStage } from './support/dashboard.js';
import { expectSoon } from './support/page-conditions.js';
import { drawer, facetValue, podCount, podRow, podTable } from './support/places.js';

describe('the first screen of the dashboard in Chromium', () => {
  const { start, open } = useStage();

  async function troubled() {
    const dashboard = await start();
    const unready = aPod({ name: 'unready', namespace: 'blog', node: 'worker-1', ready: false });
    // A pod that became not ready just now is not in trouble yet.
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const conditions = [{ type: 'Ready', status: 'False', lastTransitionTime: since }];
    dashboard.api.apply([
      aNode({ name: 'worker-1' }),
      ...['a', 'b', 'c'].map((name) => aPod({ name, namespace: 'shop', node: 'worker-1', labels: { app: 'web' } })),
      { ...unready, status: { ...unready.status, conditions } },
      aPod({ name: 'zz-failed', namespace: 'blog', node: 'worker-1', phase: 'Failed' }),
    ]);
    return dashboard;
  }

  it('shows pods in trouble first, in figures that filter and in the table order, and in the page title', async () => {
    const { url } = await troubled();
    const { page } = await open(url);
    const names = podTable(page).locator('.cell.name .visually-hidden');
    expect(await names.allTextContents()).toEqual(['zz-failed', 'unready', 'a', 'b', 'c']);
    await page.waitForFunction(() => document.title.startsWith('1 failing · '));

    const figure = page.getByRole('list', { name: 'Trouble' }).getByRole('button', { name: /Failing$/ });
    await figure.click();
    await podCount(page, 1).waitFor();
    await expectSoon(
      async () => [await figure.getAttribute('aria-pressed'), new URL(page.url()).search],
      ['true', '?is.trouble=failing'],
    );
    await page.goBack();
    await podCount(page, 5).waitFor();
  });

  it('narrows facets by each other, and offers to clear a filter that matches nothing', async () => {
    const { url } = await troubled();
    const { page } = await open(url);
    await facetValue(page, 'blog 2').click();
    await facetValue(page, 'web 0').waitFor();
    await facetValue(page, 'shop 3').waitFor();
    await facetValue(page, 'web 0').click();
    await podCount(page, 0).waitFor();
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await podCount(page, 5).waitFor();
    await expectSoon(() => facetValue(page, 'blog 2').getAttribute('aria-pressed'), 'false');
    await expectSoon(() => new URL(page.url()).search, '');
  });

  it('opens a pod from the palette by a few letters, and has keys for views and help', async () => {
    const { url } = await troubled();
    const { page } = await open(url);
    await podCount(page, 5).waitFor();
    await page.keyboard.press('Control+k');
    const field = page.getByRole('dialog', { name: 'Go to' }).getByRole('combobox');
    await field.fill('unrea');
    await page.getByRole('option', { name: /unready/, selected: true }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await drawer(page).getByRole('heading', { name: 'Pod blog/unready' }).waitFor();
    await page.keyboard.press('Escape');
    await drawer(page).waitFor({ state: 'detached' });

    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'detached' });
    // The second key belongs to the first one only if it comes soon.
    await Promise.all([page.keyboard.press('g'), page.keyboard.press('w')]);
    await page.waitForURL(/view=workloads/);
  });

  it('has facets in a sheet on a phone, and two lines for each pod', async () => {
    const { url } = await troubled();
    const { page } = await open(url, { viewport: { width: 390, height: 844 } });
    expect((await podRow(page, 'a').boundingBox())?.height).toBe(56);
    await page.getByRole('button', { name: 'Filters' }).click();
    await facetValue(page, 'blog 2').click();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Show 2 pods' }).click();
    await podCount(page, 2).waitFor();
  });
});
