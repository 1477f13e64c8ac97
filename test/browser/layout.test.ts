import type { Locator, Page } from 'playwright-core';
import { aNode, aPod, serverFaults } from 'rx-informers/testing';
import { accessibilityViolations } from './support/accessibility.js';
import { useStage, type Dashboard } from './support/dashboard.js';
import { manyPods } from './support/many-pods.js';
import { drawer, filterField, notice, podCount, podRow, podTable } from './support/places.js';

describe('the layout of the dashboard in Chromium', () => {
  const { start, open } = useStage();

  /** Names as long as they may be, among others, and trouble with a kind. */
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
    { width: 1280, height: 800 },
  ])('has the object beside everything else where there is room: $width × $height', async (viewport) => {
    const { url } = await crowded();
    const { page } = await open(url, { viewport });
    await podRow(page, 'pod-00001').click();
    await notice(page, 'events: no permission').waitFor();

    const { left } = await box(drawer(page));
    for (const part of [
      page.getByRole('main'),
      podTable(page),
      page.getByRole('list', { name: 'Nodes and their pods' }),
    ]) {
      expect((await box(part)).right).toBeLessThanOrEqual(left);
    }
    await podRow(page, 'pod-00003').click();
    await drawer(page).getByRole('heading', { name: 'Pod blog/pod-00003' }).waitFor();
    expect(await overflow(page)).toEqual({ across: 0, down: 0 });
  });

  it.each([
    { width: 1024, height: 768 },
    { width: 390, height: 844 },
    { width: 1280, height: 400 },
  ])('has the object over everything else where there is none, and a way back: $width × $height', async (viewport) => {
    const { url } = await crowded();
    const { page } = await open(url, { viewport });
    await filterField(page).fill('pod-0000');
    await podCount(page, 10).waitFor();
    await podTable(page).focus();
    await page.keyboard.press('Enter');
    await drawer(page).getByText('kind: Pod').waitFor();

    expect(await box(drawer(page))).toEqual({ left: 0, top: 0, right: viewport.width, bottom: viewport.height });
    // Nobody gets lost below: with Tab one stays in the object, or leaves the page.
    for (let stop = 0; stop < 8; stop++) {
      await page.keyboard.press('Tab');
      expect(await page.evaluate(() => document.activeElement?.closest('body > *, .drawer')?.className ?? '')).toMatch(
        /^(drawer|)$/,
      );
    }
    await page.getByRole('button', { name: 'Close the object (Escape)' }).click();
    await podRow(page, 'pod-00001').waitFor();
    expect(await podTable(page).evaluate((grid) => grid === document.activeElement)).toBe(true);
    expect(await filterField(page).inputValue()).toBe('pod-0000');
  });

  it.each([
    { width: 1024, height: 768 },
    { width: 720, height: 450 },
    { width: 390, height: 844 },
    { width: 320, height: 256 },
  ])('scrolls in one direction only, but for the table: $width × $height', async (viewport) => {
    const { url } = await crowded();
    const { page } = await open(url, { viewport });
    await podRow(page, 'pod-00001').waitFor();
    expect((await overflow(page)).across).toBe(0);
    expect(await scrollsAcross(page)).toEqual(viewport.width < 640 ? ['pod-table'] : []);

    await podRow(page, 'pod-00001').click();
    await notice(page, 'events: no permission').waitFor();
    expect((await overflow(page)).across).toBe(0);
    expect((await scrollsAcross(page)).filter((name) => name !== 'pod-table')).toEqual([]);
  });

  it('has no violation that axe calls serious or critical on a small screen', async () => {
    const { url } = await crowded();
    const { page } = await open(url, { viewport: { width: 390, height: 844 } });
    await podRow(page, 'pod-00001').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await podRow(page, 'pod-00001').click();
    await notice(page, 'events: no permission').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  it('keeps the colours of phases apart where the user has colours forced on every page', async () => {
    const { api, url } = await crowded();
    api.apply(aPod({ name: 'failed', node: 'worker-1', phase: 'Failed' }));
    const { page } = await open(url, { forcedColors: 'active' });
    await page.getByRole('button', { name: /^worker-1\W+6 pods: 5 running, 1 failed$/ }).waitFor();

    const colours = await page
      .getByRole('list', { name: 'Pods by phase' })
      .locator('.phase-dot')
      .evaluateAll((dots) => dots.map((dot) => getComputedStyle(dot).backgroundColor));
    expect(new Set(colours).size).toBe(7);
    // The ground, and two phases.
    const cells = await page
      .locator('.tile', { has: page.getByRole('button', { name: 'Show the node worker-1', exact: true }) })
      .locator('canvas')
      .evaluate((canvas: HTMLCanvasElement) => {
        const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
        return [...new Set(new Uint32Array(data.buffer))].length;
      });
    expect(cells).toBe(3);
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  it('animates nothing if the system asks for reduced motion', async () => {
    const { api, url } = await start();
    api.apply(aPod({ name: 'web-1' }));
    const { page } = await open(url, { reducedMotion: 'reduce' });
    await podRow(page, 'web-1').click();
    await drawer(page).getByText('Nothing has changed since this was opened.').waitFor();
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

/** The parts in sight that can be scrolled to the side. */
function scrollsAcross(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('body *')]
      .filter((element) => element.scrollWidth > element.clientWidth && element.clientWidth > 0)
      .filter((element) => /auto|scroll/.test(getComputedStyle(element).overflowX))
      .map(({ className }) => className),
  );
}
