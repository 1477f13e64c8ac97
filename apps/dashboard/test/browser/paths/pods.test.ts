import type { Page } from 'playwright-core';
import { pods } from 'rx-informers';
import { aPod } from 'rx-informers/testing';
import { accessibilityViolations } from '../support/accessibility.js';
import { useStage } from '../support/dashboard.js';
import { expectFocused, expectSoon, expectVisible } from '../support/page-conditions.js';
import { drawer, facetValue, filterField, podCount, podRow, podTable, statusText } from '../support/places.js';
import { troubledPods } from '../support/troubled-pods.js';

describe('the page of pods in Chromium', () => {
  const { start, open } = useStage();

  it('shows pods in trouble first, in figures that filter and in the table order, and in the page title', async () => {
    const { api, url } = await start();
    troubledPods(api);
    const { page, errors } = await open(url);
    const names = podTable(page).locator('.cell.name .visually-hidden');
    expect(await names.allTextContents()).toEqual(['zz-failed', 'unready', 'a', 'b', 'c']);
    await page.waitForFunction(() => document.title.startsWith('1 failing · '));
    await expectVisible(facetValue(page, 'shop 3'));
    await expectVisible(page.getByRole('button', { name: /^worker-1\W+5 pods: 1 failed, 1 unready, 3 running$/ }));
    expect(await accessibilityViolations(page)).toEqual([]);

    const figure = page.getByRole('list', { name: 'Trouble' }).getByRole('button', { name: /Failing$/ });
    await figure.click();
    await podCount(page, 1).waitFor();
    await expectSoon(
      async () => [await figure.getAttribute('aria-pressed'), new URL(page.url()).search],
      ['true', '?is.trouble=failing'],
    );
    await page.goBack();
    await podCount(page, 5).waitFor();
    expect(errors).toEqual([]);
  });

  it('follows pods that are added, updated and deleted on the server, in the table, the counts and the map', async () => {
    const { api, url } = await start();
    troubledPods(api);
    const { page } = await open(url);
    await statusText(page, 'live').waitFor();

    api.apply(aPod({ name: 'web-1', phase: 'Pending' }));
    await podRow(page, 'web-1').filter({ hasText: 'Pending' }).waitFor();
    await podCount(page, 6).waitFor();
    api.apply(aPod({ name: 'web-1', node: 'worker-1' }));
    await podRow(page, 'web-1').filter({ hasText: 'Running' }).waitFor();
    await expectVisible(page.getByRole('button', { name: /^worker-1\W+6 pods: 1 failed, 1 unready, 4 running$/ }));
    api.remove(pods, 'web-1', 'default');
    await podRow(page, 'web-1').waitFor({ state: 'detached' });
    await podCount(page, 5).waitFor();
  });

  it('needs only the keyboard: to the table, to a pod, back, to a filter', async () => {
    const { api, url } = await start();
    troubledPods(api);
    const { page } = await open(url);
    await podCount(page, 5).waitFor();

    await page.keyboard.press('Tab');
    await expectSoon(() => focusedName(page), 'Skip to the table of pods');
    await page.keyboard.press('Enter');
    await expectFocused(podTable(page));
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await drawer(page).getByRole('heading', { name: 'Pod blog/unready' }).waitFor();
    await expectSoon(() => focusedName(page), 'Close the object (Escape)');
    await page.keyboard.press('Escape');
    await drawer(page).waitFor({ state: 'detached' });
    await expectFocused(podTable(page));

    await page.keyboard.press('f');
    await page.keyboard.type('unready');
    await podCount(page, 1).waitFor();
    await page.keyboard.press('Escape');
    await expectSoon(() => filterField(page).inputValue(), '');
    await podCount(page, 5).waitFor();
    await page.getByRole('button', { name: /^worker-1\W+5 pods/ }).focus();
    await page.keyboard.press('Enter');
    await expectVisible(page.getByRole('button', { name: 'Remove the filter Node worker-1' }));
  });
});

function focusedName(page: Page): Promise<string> {
  return page.evaluate(() => {
    const focused = document.activeElement;
    return focused?.getAttribute('aria-label') ?? focused?.textContent ?? '';
  });
}
