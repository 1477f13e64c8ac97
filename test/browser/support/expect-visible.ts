import type { Locator } from 'playwright-core';

/** Passes as soon as the element is on the page and can be seen; says what it waited for where it never is. */
export async function expectVisible(element: Locator): Promise<void> {
  await element.waitFor();
  expect(await element.count()).toBe(1);
}
