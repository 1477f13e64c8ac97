import type { Page } from 'playwright-core';
import { aPod } from 'rx-informers/testing';
import { useStage } from './support/dashboard.js';
import { manyPods } from './support/many-pods.js';
import { podCount } from './support/places.js';
import { fast3G, slowLine } from './support/slow-line.js';

/** Bytes of compressed script that the page may load until its first rows are visible. */
const scriptBudget = 170_000;

describe('the first load of the dashboard in Chromium', () => {
  const { start, open } = useStage();

  it('shows the first rows with at most 170 KB of compressed script', async () => {
    const { api, url } = await start();
    manyPods(api, { pods: 100, nodes: 3 });
    const { page, errors } = await open(url);
    await page.getByRole('region', { name: 'Time' }).waitFor();

    const scripts = await loadedScripts(page);
    const size = scripts.reduce((sum, { bytes }) => sum + bytes, 0);
    process.stdout.write(
      `script at first load: ${size} bytes\n${scripts.map(({ name, bytes }) => `  ${bytes} ${name}\n`).join('')}`,
    );
    expect(size).toBeGreaterThan(100_000);
    expect(size).toBeLessThanOrEqual(scriptBudget);
    expect(errors).toEqual([]);
  });

  it('moves what is on the screen already by no more than Lighthouse allows', async () => {
    const { api, url } = await start();
    manyPods(api, { pods: 300, nodes: 12 });
    api.apply(aPod({ name: 'not-scheduled', phase: 'Pending' }));
    const { page } = await open(url, { prepare: (opened) => opened.addInitScript(recordShifts) });
    await podCount(page, 301).waitFor();
    await page.getByRole('button', { name: /^worker-0\W+25 pods/ }).waitFor();
    await page.getByRole('region', { name: 'Time' }).waitFor();

    const shifts = await page.evaluate(() => (globalThis as unknown as { readonly shifts: readonly number[] }).shifts);
    const sum = shifts.reduce((total, shift) => total + shift, 0);
    process.stdout.write(`layout shifts at first load: ${sum.toFixed(3)}\n`);
    expect(sum).toBeLessThan(0.1);
  });

  it('on Fast 3G, shows the first of 5,000 pods long before the list is complete, and no count that looks complete', async () => {
    const { api, url } = await start();
    manyPods(api, { pods: 5000, nodes: 50 });
    const line = await slowLine(fast3G);
    const { page } = await open(url, {
      isSettled: false,
      proxy: { server: line.proxy, bypass: '<-loopback>' },
      prepare: (opened) => opened.addInitScript(recordScreens),
    });
    await podCount(page, 5000).waitFor();
    const seen = await page.evaluate(() => (globalThis as unknown as { readonly screens: readonly Screen[] }).screens);
    const requests = await page.evaluate(() =>
      (performance.getEntriesByType('resource') as PerformanceResourceTiming[]).map(
        ({ name, startTime, responseEnd }) => ({ name: name.replace(location.origin, ''), startTime, responseEnd }),
      ),
    );
    const firstPaint = await page.evaluate(
      () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
    );
    await line.close();

    const withRows = seen.filter(({ rows }) => rows > 1);
    const firstRows = withRows[0]?.at ?? NaN;
    const all = seen.find(({ count }) => count === 'Pods 5,000')?.at ?? NaN;
    process.stdout.write(
      `on Fast 3G (1.6 Mbit/s, 150 ms): first paint ${seconds(firstPaint)}, first rows ${seconds(firstRows)}, all 5,000 ${seconds(all)}\n`,
    );
    expect(firstPaint).toBeLessThan(firstRows);
    expect(firstRows).toBeLessThan(all);
    const before = withRows.filter(({ isBusy }) => isBusy);
    expect(new Set(before.map(({ count }) => count))).toEqual(new Set(['Pods –']));
    expect(new Set(before.flatMap(({ figures }) => figures))).toEqual(new Set(['–']));
    // A node shows all of its pods or no figure.
    expect(new Set(seen.flatMap(({ tiles }) => tiles).filter((text) => text !== '–'))).toEqual(new Set(['100']));
    expect(new Set(seen.map(({ count }) => count))).toEqual(new Set(['', 'Pods –', 'Pods 5,000']));
    expect(before.map(({ notice }) => notice)).toContain('Loading pods: 50 of about 5,000');
    // The first rows are on their way while the script is.
    const list = requests.find(({ name }) => name === '/api/v1/pods?limit=50');
    const script = requests.find(({ name }) => /^\/assets\/start-.*\.js$/.test(name));
    expect(list?.startTime).toBeLessThan(script?.responseEnd ?? NaN);
  });
});

/** The pods that are visible at one moment, in milliseconds since the page was requested. */
interface Screen {
  readonly at: number;
  readonly rows: number;
  readonly count: string;
  readonly notice: string;
  /** Of pods; the nodes are another list. */
  readonly figures: readonly string[];
  /** How many pods the nodes have. */
  readonly tiles: readonly string[];
  /** True if more rows are announced. */
  readonly isBusy: boolean;
}

/** Runs in the page before its own script. */
function recordScreens(): void {
  const screens: Screen[] = [];
  Object.assign(globalThis, { screens });
  const textOf = (selector: string): string => document.querySelector(selector)?.textContent ?? '';
  let last = '';
  new MutationObserver(() => {
    const screen = {
      rows: document.querySelectorAll('#table [role=row]').length,
      count: textOf('#pods-title'),
      notice: textOf('.pods .pending-notice'),
      figures: [...document.querySelectorAll('.figure:not(.nodes) .figure-value')].map((each) => each.textContent),
      tiles: [...document.querySelectorAll('.tile-name .count')].map((each) => each.textContent),
      isBusy: document.querySelector('#table')?.getAttribute('aria-busy') === 'true',
    };
    const text = JSON.stringify(screen);
    if (text === last) return;
    last = text;
    screens.push({ at: performance.now(), ...screen });
  }).observe(document, { attributes: true, characterData: true, childList: true, subtree: true });
}

/** Runs in the page before its own script. */
function recordShifts(): void {
  const shifts: number[] = [];
  Object.assign(globalThis, { shifts });
  new PerformanceObserver((list) => {
    shifts.push(...list.getEntries().map((shift) => (shift as PerformanceEntry & { readonly value: number }).value));
  }).observe({ type: 'layout-shift', buffered: true });
}

/** The scripts of the page, without the script of the shared worker, which all tabs share. */
function loadedScripts(page: Page): Promise<readonly { readonly name: string; readonly bytes: number }[]> {
  return page.evaluate(() =>
    (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
      .map(({ name, encodedBodySize }) => ({ name: new URL(name).pathname, bytes: encodedBodySize }))
      .filter(({ name }) => name.endsWith('.js') && !name.includes('informer-worker')),
  );
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(2)} s`;
}
