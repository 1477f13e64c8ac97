import type { Locator, Page } from 'playwright-core';
import { aNode, aPod, serverFaults } from 'rx-informers/testing';
import { accessibilityViolations } from './support/accessibility.js';
import { useStage, type Dashboard } from './support/dashboard.js';
import { manyPods } from './support/many-pods.js';
import { expectFocused, expectSoon, settled } from './support/page-conditions.js';
import { drawer, filterField, notice, openTab, podCount, podRow, podTable } from './support/places.js';

describe('the layout of the dashboard in Chromium', () => {
  const { start, open } = useStage();

  /** Names of the maximum length among others, and a kind with an error. */
  async function crowded(): Promise<Dashboard> {
    const dashboard = await start();
    const { api } = dashboard;
    const long = 'a-name-that-goes-on-and-on-until-it-is-as-long-as-it-may-ever-b';
    manyPods(api, { pods: 60, nodes: 12 });
    api.apply(aNode({ name: `${long}.${long}.example.com` }));
    api.apply(
      aPod({
        name: `${long}.${long}.${long}`,
        namespace: long,
        node: `${long}.${long}.example.com`,
        labels: { [`example.com/${long}`]: long },
        annotations: { long: 'word'.repeat(200) },
      }),
    );
    api.faults.always(({ path }) => path.endsWith('/events'), serverFaults.respond(403));
    return dashboard;
  }

  it.each([
    { width: 1440, height: 900 },
    { width: 1024, height: 768 },
  ])('nothing on the page moves when an object is opened: $width × $height', async (viewport) => {
    const { url } = await crowded();
    const { page } = await open(url, { viewport });
    const parts = [
      page.getByRole('main'),
      podTable(page),
      podRow(page, 'pod-00001'),
      page.getByRole('list', { name: 'Nodes and their pods' }),
    ];
    const places = await Promise.all(parts.map(box));
    await podRow(page, 'pod-00001').click();
    await openTab(page, 'Events');
    await notice(page, 'events: no permission').waitFor();
    await settled(page);

    expect(await Promise.all(parts.map(box))).toEqual(places);
    expect((await box(drawer(page))).right).toBe(viewport.width);
    await podRow(page, 'pod-00003').click({ position: { x: 20, y: 10 } });
    await drawer(page).getByRole('heading', { name: 'Pod blog/pod-00003' }).waitFor();
    await settled(page);
    expect(await overflow(page)).toEqual({ across: 0, down: 0 });
  });

  it('keeps the drawer width that was set with the mouse or the keyboard', async () => {
    const { url } = await crowded();
    const { page } = await open(url);
    await podRow(page, 'pod-00001').click();
    await drawer(page).waitFor();
    await settled(page);
    const before = await box(drawer(page));
    const left = async (): Promise<number> => (await box(drawer(page))).left;
    await page.mouse.move(before.left, 400);
    await page.mouse.down();
    await page.mouse.move(before.left - 100, 420);
    await page.mouse.up();
    await expectSoon(left, before.left - 100);
    await page.getByRole('separator', { name: 'Width of the drawer' }).press('ArrowRight');
    await expectSoon(left, before.left - 68);

    await page.reload();
    await drawer(page).waitFor();
    await expectSoon(left, before.left - 68);
  });

  it.each([
    { width: 800, height: 600 },
    { width: 390, height: 844 },
    { width: 1280, height: 400 },
  ])(
    'shows the object over the page with a way back if the screen is too small for both: $width × $height',
    async (viewport) => {
      const { url } = await crowded();
      const { page } = await open(url, { viewport });
      await filterField(page).fill('pod-0000');
      await podCount(page, 10).waitFor();
      await podTable(page).focus();
      await page.keyboard.press('Enter');
      await openTab(page, 'YAML');
      await drawer(page).getByText('kind: Pod').waitFor();
      await settled(page);

      expect(await box(drawer(page))).toEqual({ left: 0, top: 0, right: viewport.width, bottom: viewport.height });
      // The focus never gets behind the dialog: Tab stays in the object, or leaves the page.
      for (let stop = 0; stop < 8; stop++) {
        await page.keyboard.press('Tab');
        expect(
          await page.evaluate(() => document.activeElement?.closest('body > *, .drawer')?.className ?? ''),
        ).toMatch(/^(drawer|)$/);
      }
      await page.getByRole('button', { name: 'Close the object (Escape)' }).click();
      await podRow(page, 'pod-00001').waitFor();
      await expectFocused(podTable(page));
      expect(await filterField(page).inputValue()).toBe('pod-0000');
    },
  );

  it.each([
    { width: 1024, height: 768 },
    { width: 720, height: 450 },
    { width: 390, height: 844 },
    { width: 320, height: 256 },
  ])('scrolls in one direction only, except for the list of views: $width × $height', async (viewport) => {
    const { url } = await crowded();
    const { page } = await open(url, { viewport });
    expect((await overflow(page)).across).toBe(0);
    expect((await scrollsAcross(page)).filter((name) => name !== 'views')).toEqual([]);

    await podRow(page, 'pod-00001').click();
    await openTab(page, 'Events');
    await notice(page, 'events: no permission').waitFor();
    await settled(page);
    expect((await overflow(page)).across).toBe(0);
    expect((await scrollsAcross(page)).filter((name) => name !== 'views')).toEqual([]);
  });

  it('axe finds no serious or critical violation on a small screen', async () => {
    const { url } = await crowded();
    const { page } = await open(url, { viewport: { width: 390, height: 844 } });
    expect(await accessibilityViolations(page)).toEqual([]);
    await podRow(page, 'pod-00001').click();
    await openTab(page, 'Events');
    await notice(page, 'events: no permission').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  it('keeps the colours of phases distinguishable with forced colours', async () => {
    const { api, url } = await crowded();
    api.apply(aPod({ name: 'failed', node: 'worker-1', phase: 'Failed' }));
    const { page } = await open(url, { forcedColors: 'active' });
    await page.getByRole('button', { name: /^worker-1\W+6 pods: 1 failed, 5 running$/ }).waitFor();

    const marks = await page
      .getByRole('list', { name: 'Pods by phase' })
      .locator('.phase-dot')
      .evaluateAll((dots) =>
        dots.map((dot) => {
          const { backgroundColor, borderColor, backgroundImage, boxShadow } = getComputedStyle(dot);
          return [backgroundColor, borderColor, backgroundImage, boxShadow].join();
        }),
      );
    expect(new Set(marks).size).toBe(7);
    // Two phases, each filled with one colour; the edges of a mark are partly transparent.
    const canvas = page
      .locator('.tile', { has: page.getByRole('button', { name: 'Show the node worker-1', exact: true }) })
      .locator('canvas');
    const colours = (): Promise<number> =>
      canvas.evaluate((drawn: HTMLCanvasElement) => {
        const { data } = drawn.getContext('2d')!.getImageData(0, 0, drawn.width, drawn.height);
        return new Set(new Uint32Array(data.buffer).filter((_, at) => data[at * 4 + 3] === 255)).size;
      });
    await expectSoon(colours, 2);
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  it('animates nothing if the system asks for reduced motion', async () => {
    const { api, url } = await start();
    api.apply(aPod({ name: 'web-1' }));
    const { page } = await open(url, { reducedMotion: 'reduce' });
    await podRow(page, 'web-1').click();
    await openTab(page, 'Changes');
    await drawer(page)
      .getByText(/^Nothing has changed since/)
      .waitFor();
    api.apply(aPod({ name: 'web-1', labels: { app: 'web' } }));
    await drawer(page).getByRole('insertion').waitFor();

    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
  });
});

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

function box(part: Locator): Promise<Box> {
  return part.evaluate((element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    return { left, top, right, bottom };
  });
}

/** By how many pixels the page is larger than the window. */
function overflow(page: Page): Promise<{ readonly across: number; readonly down: number }> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = document.documentElement;
    return { across: scrollWidth - clientWidth, down: scrollHeight - clientHeight };
  });
}

/** The visible parts that scroll sideways. */
function scrollsAcross(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('body *')]
      .filter((element) => element.scrollWidth > element.clientWidth && element.clientWidth > 0)
      .filter((element) => /auto|scroll/.test(getComputedStyle(element).overflowX))
      .map(({ className }) => className),
  );
}
