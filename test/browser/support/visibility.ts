import type { Page } from 'playwright-core';

/** Tells the page that nobody sees it, or that somebody does again; a browser without a window always shows it. */
export async function setVisibility(page: Page, visibilityState: 'hidden' | 'visible'): Promise<void> {
  await page.evaluate((state) => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => state });
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => state === 'hidden' });
    document.dispatchEvent(new Event('visibilitychange'));
  }, visibilityState);
}
