import type { Page } from 'playwright-core';
import { aNode, aPod } from 'rx-informers/testing';
import { accessibilityViolations } from './support/accessibility.js';
import { useStage } from './support/dashboard.js';
import { manyPods } from './support/many-pods.js';
import { expectFocused, expectSoon, expectVisible } from './support/page-conditions.js';
import { drawer, filterField, notice, openTab, podCount, podRow, podTable, statusText } from './support/places.js';

describe('the accessibility of the dashboard in Chromium', () => {
  const { start, open } = useStage();

  it('axe finds no violation in either theme', async () => {
    const { api, url } = await start();
    manyPods(api, { pods: 40, nodes: 3 });
    api.apply([
      aPod({ name: 'pending', phase: 'Pending' }),
      aPod({ name: 'failed', node: 'worker-1', phase: 'Failed' }),
    ]);
    const { page } = await open(url);
    await podCount(page, 42).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);

    await podRow(page, 'failed').click();
    await openTab(page, 'YAML');
    await drawer(page).getByText('kind: Pod').waitFor();
    await filterField(page).fill('nothing has this name');
    await podCount(page, 0).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  it('axe finds no violation while the dashboard shows an error', async () => {
    const { url } = await start({
      users: { token: { name: 'viewer', allow: [{ resources: ['nodes'] }] } },
      token: 'token',
    });
    const { page } = await open(url);
    await notice(page, 'pods: no permission').waitFor();
    await statusText(page, 'live').waitFor();

    expect(await accessibilityViolations(page)).toEqual([]);
  });

  it('axe finds no violation in any view, drawer tab and dialog', async () => {
    const { api, url } = await start();
    manyPods(api, { pods: 40, nodes: 3 });
    const { page } = await open(url);
    await podCount(page, 40).waitFor();
    const found: Record<string, readonly string[]> = {};
    for (const view of ['Workloads', 'Kinds', 'Timeline', 'Logs', 'Pods']) {
      await page.getByRole('link', { name: view, exact: true }).click();
      await page.getByRole('heading', { level: 1, name: view }).waitFor();
      found[view] = await accessibilityViolations(page);
    }
    await podRow(page, 'pod-00001').click();
    for (const tab of ['Summary', 'Changes', 'Events', 'Logs', 'YAML'] as const) {
      await openTab(page, tab);
      found[`tab ${tab}`] = await accessibilityViolations(page);
    }
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Go to' }).waitFor();
    found['palette'] = await accessibilityViolations(page);

    expect(Object.fromEntries(Object.entries(found).filter(([, violations]) => violations.length > 0))).toEqual({});
  });

  it('axe finds no violation on a phone', async () => {
    const { api, url } = await start();
    manyPods(api, { pods: 40, nodes: 3 });
    const { page } = await open(url, { viewport: { width: 390, height: 844 }, hasTouch: true });
    await podRow(page, 'pod-00001').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await podRow(page, 'pod-00001').click();
    await drawer(page).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  it('every task works with the keyboard alone: to the table, to a pod, back, to a filter', async () => {
    const { api, url } = await start();
    api.apply(aNode({ name: 'worker-1' }));
    api.apply([aPod({ name: 'a', node: 'worker-1' }), aPod({ name: 'b', namespace: 'shop' })]);
    const { page } = await open(url);
    await podCount(page, 2).waitFor();

    await page.keyboard.press('Tab');
    await expectSoon(() => focusedName(page), 'Skip to the table of pods');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'grid');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await drawer(page).getByRole('heading', { name: 'Pod shop/b' }).waitFor();
    await expectSoon(() => focusedName(page), 'Close the object (Escape)');
    await page.keyboard.press('Escape');
    await drawer(page).waitFor({ state: 'detached' });
    await expectFocused(podTable(page));

    await page.keyboard.press('Shift+Tab');
    await page.keyboard.type('a');
    await page.keyboard.press('Escape');
    await expectSoon(() => filterField(page).inputValue(), '');
    await page.getByRole('button', { name: /^worker-1\W+1 pod: 1 running$/ }).focus();
    await page.keyboard.press('Enter');
    await podCount(page, 1).waitFor();
    await expectVisible(podRow(page, 'a'));
  });
});

function focusedName(page: Page): Promise<string> {
  return page.evaluate(() => {
    const focused = document.activeElement;
    return focused?.getAttribute('aria-label') ?? focused?.textContent ?? '';
  });
}
