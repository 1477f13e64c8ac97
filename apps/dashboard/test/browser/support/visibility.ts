import type { Page } from 'playwright-core';

/**
 * Hides the page or shows it again. This overwrites the visibility state of the document, because a
 * page in a headless browser is always visible.
 */
export async function setVisibility(page: Page, visibilityState: 'hidden' | 'visible'): Promise<void> {
  await page.evaluate((state) => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => state });
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => state === 'hidden' });
    document.dispatchEvent(new Event('visibilitychange'));
  }, visibilityState);
}
