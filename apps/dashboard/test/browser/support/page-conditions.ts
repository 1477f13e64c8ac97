import { isDeepStrictEqual } from 'node:util';
import type { Locator, Page, Request } from 'playwright-core';
import { until } from '../../../../../test/support/until.js';

/* Conditions that tests wait for, so that no test depends on the speed of the machine. */

/** The requests of each page that have no response yet. */
const unanswered = new WeakMap<Page, Set<Request>>();

/**
 * Matches requests whose response a page does not see: streams, and the script of the shared
 * worker.
 */
const endless = /[?&](watch|follow)=|\/informer-worker-/;

/** Counts the requests of a page from this call on. `settled` needs the count. */
export function countRequests(page: Page): void {
  const requests = new Set<Request>();
  unanswered.set(page, requests);
  page.on('request', (request) => {
    // The browser reports no end for the requests of a document that the page leaves.
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) requests.clear();
    if (!endless.test(request.url())) requests.add(request);
  });
  page.on('response', (response) => requests.delete(response.request()));
  page.on('requestfailed', (request) => requests.delete(request));
}

/**
 * Resolves when the dashboard has settled: all of its lists are complete or refused, its scripts
 * and fonts are loaded, every request has a response, and nothing has moved or changed between two
 * frames.
 *
 * Until then, the page may show only a part of a list, and everything may move. Wait for this
 * before you measure, count or compare anything.
 */
export async function settled(page: Page): Promise<void> {
  const requests = unanswered.get(page);
  let missing = '';
  await until(
    async () => {
      missing =
        [...(requests ?? [])].map((request) => `no answer to ${request.url()}`)[0] ??
        (await page.evaluate(unsettled).catch(whyNot));
      return missing === '' && (requests?.size ?? 0) === 0;
    },
    { what: 'the page settles', within: 60_000 },
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${missing}`);
  });
}

/**
 * Returns a reason if the page navigated to another address during the check, because such a page
 * has not settled. Throws all other errors.
 */
function whyNot(error: unknown): string {
  if (String(error).includes('context was destroyed')) return 'the page goes to another address';
  throw error;
}

/** Runs in the page. Returns a description of what the page still waits for, or an empty text. */
async function unsettled(): Promise<string> {
  const marks =
    '[aria-busy=true], .skeleton, .pending-notice, .loading-view, .connection-line.loading, .time-bar:empty';
  const mark = document.querySelector(marks);
  if (mark !== null) return `<${mark.tagName.toLowerCase()} class="${mark.className}">`;
  const loading = [...document.querySelectorAll('p')].find(({ textContent }) => textContent === 'Loading…');
  if (loading !== undefined) return 'Loading…';
  await document.fonts.ready;
  const frame = (): Promise<number> => new Promise(requestAnimationFrame);
  const picture = (): string =>
    [...document.querySelectorAll('body *')]
      .map((element) => {
        const { x, y, width, height } = element.getBoundingClientRect();
        return [x, y, width, height].join();
      })
      .join(';') + document.body.textContent;
  await frame();
  const before = picture();
  await frame();
  return picture() === before ? '' : 'something moves';
}

/**
 * Passes as soon as the element is visible on the page. If it never is, the error names the
 * element.
 */
export async function expectVisible(element: Locator): Promise<void> {
  await expect(element.waitFor()).resolves.toBeUndefined();
}

export function hasFocus(element: Locator): Promise<boolean> {
  return element.evaluate((each) => each === document.activeElement);
}

/** Passes as soon as the element has the focus. */
export async function expectFocused(element: Locator): Promise<void> {
  await expectSoon(() => hasFocus(element), true);
}

/**
 * Passes as soon as the value that `read` returns equals `expected`. If it never does, the error
 * shows the difference.
 */
export async function expectSoon<V>(read: () => V | Promise<V>, expected: V): Promise<void> {
  let last: V | undefined;
  await until(async () => isDeepStrictEqual((last = await read()), expected), { within: 30_000 }).catch(
    (error: unknown) => {
      if (last === undefined) throw error;
    },
  );
  expect(last).toEqual(expected);
}
