import type { Locator, Page } from 'playwright-core';
import { until } from '../../../../../test/support/until.js';

export function slider(page: Page): Locator {
  return page.getByRole('slider', { name: 'Time shown' });
}

/** Returns the rows whose name contains this one. */
export function podNamed(page: Page, name: string): Locator {
  return page.getByRole('row', { name: new RegExp(name) });
}

/** Waits until the clock of the page has advanced, so the next change is at another time. */
export async function secondsPass(page: Page): Promise<void> {
  const clock = page.locator('.time-text');
  for (const _ of [1, 2]) {
    const before = await clock.textContent();
    await until(async () => (await clock.textContent()) !== before, { what: 'a second passes' });
  }
}
