import type { Page } from 'playwright-core';
import { aDeployment, aNode, aPod } from 'rx-informers/testing';
import { useStage } from './support/dashboard.js';
import { expectSoon, settled } from './support/page-conditions.js';

const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true } as const;

/**
 * Returns visible buttons, links and fields that are too small for a finger. The link of a
 * row counts with the size of its row.
 */
function smallTargets(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const root = document.querySelector('dialog[open], .drawer') ?? document.body;
    const targets = [...root.querySelectorAll<HTMLElement>('button, a, select, input:not([type="checkbox"])')];
    return targets
      .filter((target) => target.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
      .filter((target) => !target.matches('.skip-link, .visually-hidden *, p a, dd a, .fold, .pod-cell'))
      .map((target) => {
        // The link of a row is as large as the row, and the name of a tile as large as its head.
        const place = target.closest<HTMLElement>('.table-row, .timeline-row, .tile-head') ?? target;
        return { target, height: place.getBoundingClientRect().height };
      })
      .filter(({ height }) => height > 0 && height < 43.5)
      .map(({ target, height }) => `${target.className || target.tagName} "${target.textContent}" ${height}`);
  });
}

const widths = (page: Page): Promise<readonly [content: number, window: number]> =>
  page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);

describe('the dashboard in Chromium on a phone', () => {
  const { start, open } = useStage();

  it.each([
    ['pods', '', '.table-row', '', ''],
    ['the map', '', '.table-row', 'button:has-text("Map of nodes")', '.tile'],
    ['the facets', '', '.table-row', 'button:has-text("Filters")', '.facet-value'],
    ['the palette', '', '.table-row', '.go-to', '[role="option"]'],
    ['workloads', '?view=workloads', '.table-row', '', ''],
    ['a kind', '?view=kinds&kind=v1/pods', '.table-row', '', ''],
    ['the timeline', '?view=timeline', '.filter-bar button', '', ''],
    ['logs', '?view=logs', '.log-tools', '', ''],
    ['an opened pod', '?open=v1/pods:shop/web-1', '.drawer .label', '', ''],
    ['an opened node', '?open=v1/nodes:worker-1', '.related-rows a', '', ''],
    ['its YAML', '?open=v1/pods:shop/web-1&tab=yaml', '.yaml-line', '', ''],
  ])(
    'has touch targets that are large enough, and does not scroll sideways: %s',
    async (_, search, there, press, then) => {
      const { api, url } = await start({ allowWrites: true });
      api.apply([
        aNode({ name: 'worker-1' }),
        aDeployment({ name: 'web', namespace: 'shop' }),
        ...['web-1', 'web-2', 'a-pod-with-a-name-that-is-longer-than-any-phone-is-wide-5c6d7'].map((name) =>
          aPod({ name, namespace: 'shop', node: 'worker-1', labels: { app: 'web' } }),
        ),
      ]);
      const { page, errors } = await open(`${url}/${search}`, phone);
      await page.locator(there).first().waitFor();
      if (press !== '') await page.locator(press).first().click();
      if (then !== '') await page.locator(then).first().waitFor();
      await settled(page);
      await expectSoon(() => smallTargets(page), []);
      const [content, window] = await widths(page);
      expect(content).toBeLessThanOrEqual(window);
      expect(errors).toEqual([]);
    },
  );

  it('shows the clock next to the button that returns to live', async () => {
    const { api, url } = await start();
    api.apply(aPod({ name: 'web-1' }));
    const { page } = await open(url, phone);
    expect(await page.getByRole('button', { name: 'Back to live' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Freeze the page at this time' }).click();
    const back = page.getByRole('button', { name: 'Back to live' });
    await back.waitFor();
    await settled(page);
    const [controls, clock, button] = await page.evaluate(() =>
      ['.time-controls', '.time-text', '.back-to-live'].map((part) => {
        const { left, right } = document.querySelector(part)!.getBoundingClientRect();
        return { left, right };
      }),
    );
    expect(clock!.left).toBeGreaterThanOrEqual(controls!.right);
    expect(button!.left).toBeGreaterThanOrEqual(clock!.right);
    expect(button!.right).toBeLessThanOrEqual(390);
    await back.click();
    await back.waitFor({ state: 'detached' });
  });
});
