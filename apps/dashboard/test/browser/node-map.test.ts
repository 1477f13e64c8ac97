import type { Page } from 'playwright-core';
import { aNode, aPod } from 'rx-informers/testing';
import { until } from '../../../../test/support/until.js';
import { accessibilityViolations } from './support/accessibility.js';
import { useStage } from './support/dashboard.js';
import { expectSoon, settled } from './support/page-conditions.js';
import { drawer, podCount } from './support/places.js';

/** The names of the tiles, in order. */
function tileTitles(page: Page): Promise<readonly string[]> {
  return page.locator('.tile-title .visually-hidden').allTextContents();
}

/** The number of pixels of the first canvas for each opacity, in tenths. */
function opacities(page: Page): Promise<readonly number[]> {
  return page
    .locator('.tile canvas')
    .first()
    .evaluate((canvas: HTMLCanvasElement) => {
      const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
      return [...new Set(data.filter((_, at) => at % 4 === 3).map((alpha) => Math.round(alpha / 25.5)))].sort(
        (a, b) => a - b,
      );
    });
}

describe('the map of nodes in Chromium', () => {
  const { start, open } = useStage();

  it('shows nodes in trouble first, and what is drawn of a node is as wide as its tile', async () => {
    const { api, url } = await start();
    api.apply([aNode({ name: 'a-1' }), aNode({ name: 'b-2' }), aNode({ name: 'z-9', ready: false })]);
    api.apply(Array.from({ length: 30 }, (_, at) => aPod({ name: `p-${at}`, node: ['a-1', 'b-2', 'z-9'][at % 3]! })));
    const { page, errors } = await open(url);
    await podCount(page, 30).waitFor();
    await expectSoon(() => tileTitles(page), ['z-9', 'a-1', 'b-2']);
    const [tile, canvas] = await page
      .locator('.tile')
      .first()
      .evaluate((element) => [element.clientWidth, element.querySelector('canvas')!.clientWidth]);
    expect(canvas / tile).toBeGreaterThan(0.9);

    expect(await accessibilityViolations(page)).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('dims pods that do not match the filter, and filters by a click on the legend or on the head of a tile', async () => {
    const { api, url } = await start();
    api.apply(aNode({ name: 'worker-1' }));
    api.apply([
      ...Array.from({ length: 6 }, (_, at) => aPod({ name: `ok-${at}`, node: 'worker-1' })),
      aPod({ name: 'bad', node: 'worker-1', phase: 'Failed' }),
    ]);
    const { page } = await open(url);
    await podCount(page, 7).waitFor();
    await page.getByRole('list', { name: 'Pods by phase' }).getByRole('button', { name: 'failed 1' }).click();
    await podCount(page, 1).waitFor();
    await until(async () => (await opacities(page)).some((tenths) => tenths === 1 || tenths === 2), {
      what: 'pods that do not match are dimmed',
      within: 30_000,
    });
    await page
      .locator('.tile-head')
      .first()
      .click({ position: { x: 100, y: 12 } });
    await expectSoon(() => new URL(page.url()).search.includes('is.node=worker-1'), true);
  });

  it('shows what is under the pointer, and opens it with a click', async () => {
    const { api, url } = await start();
    api.apply([aNode({ name: 'worker-1' }), aPod({ name: 'web-1', namespace: 'shop', node: 'worker-1' })]);
    const { page } = await open(url);
    await podCount(page, 1).waitFor();
    const canvas = page.locator('.tile canvas').first();
    await canvas.hover({ position: { x: 6, y: 6 } });
    expect(await canvas.getAttribute('title')).toBe('shop/web-1: running');
    await canvas.click({ position: { x: 6, y: 6 } });
    await drawer(page).getByRole('heading', { name: 'Pod shop/web-1' }).waitFor();
  });

  it('draws only the visible part of a thousand nodes', async () => {
    const { api, url } = await start();
    api.apply(Array.from({ length: 1000 }, (_, at) => aNode({ name: `worker-${at}` })));
    api.apply(Array.from({ length: 1000 }, (_, at) => aPod({ name: `p-${at}`, node: `worker-${at}` })));
    const { page } = await open(url);
    await podCount(page, 1000).waitFor();
    await until(async () => (await page.locator('.tile').count()) === 1000, { what: 'all tiles', within: 60_000 });
    const drawn = (): Promise<number> => page.locator('.tile canvas').count();
    await until(async () => (await drawn()) > 5, { what: 'what is in sight is drawn' });
    await settled(page);
    expect(await drawn()).toBeLessThan(250);
  });
});
