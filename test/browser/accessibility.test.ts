import type { Page } from 'playwright-core';
import { aNode, aPod } from 'rx-informers/testing';
import { accessibilityViolations } from './support/accessibility.js';
import { useStage } from './support/dashboard.js';
import { manyPods } from './support/many-pods.js';
import { drawer, filterField, notice, podCount, podRow, podTable, statusText } from './support/places.js';

describe('the dashboard in Chromium, its accessibility', () => {
  const { start, open } = useStage();

  it.each(['light', 'dark'] as const)(
    'has no violation that axe calls serious or critical, %s',
    async (colorScheme) => {
      const { api, url } = await start();
      manyPods(api, { pods: 40, nodes: 3 });
      api.apply([
        aPod({ name: 'pending', phase: 'Pending' }),
        aPod({ name: 'failed', node: 'worker-1', phase: 'Failed' }),
      ]);
      const { page } = await open(url, { colorScheme });
      await podCount(page, 42).waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);

      await podRow(page, 'failed').click();
      await drawer(page).getByText('kind: Pod').waitFor();
      await filterField(page).fill('nothing has this name');
      await podCount(page, 0).waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
    },
  );

  it.each(['light', 'dark'] as const)('has none where it says what is wrong, %s', async (colorScheme) => {
    const { url } = await start({
      users: { token: { name: 'viewer', allow: [{ resources: ['nodes'] }] } },
      token: 'token',
    });
    const { page } = await open(url, { colorScheme });
    await notice(page, 'pods: no permission').waitFor();
    await statusText(page, 'nodes: live').waitFor();

    expect(await accessibilityViolations(page)).toEqual([]);
  });

  it('can be used with the keyboard alone: to the table, to a pod, back, to a filter', async () => {
    const { api, url } = await start();
    api.apply(aNode({ name: 'worker-1' }));
    api.apply([aPod({ name: 'a', node: 'worker-1' }), aPod({ name: 'b', namespace: 'shop' })]);
    const { page } = await open(url);
    await podCount(page, 2).waitFor();

    await page.keyboard.press('Tab');
    expect(await focusedName(page)).toBe('Skip to the table of pods');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'grid');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await drawer(page).getByRole('heading', { name: 'Pod shop/b' }).waitFor();
    expect(await focusedName(page)).toBe('Close the object (Escape)');
    await page.keyboard.press('Escape');
    await drawer(page).waitFor({ state: 'detached' });
    expect(await podTable(page).evaluate((grid) => grid === document.activeElement)).toBe(true);

    await page.keyboard.press('Shift+Tab');
    await page.keyboard.type('a');
    await page.keyboard.press('Escape');
    expect(await filterField(page).inputValue()).toBe('');
    await page.getByRole('button', { name: /^worker-1\W+1 pod: 1 running$/ }).focus();
    await page.keyboard.press('Enter');
    await podCount(page, 1).waitFor();
    expect(await podRow(page, 'a').count()).toBe(1);
  });
});

function focusedName(page: Page): Promise<string> {
  return page.evaluate(() => {
    const focused = document.activeElement;
    return focused?.getAttribute('aria-label') ?? focused?.textContent ?? '';
  });
}
