import type { Locator, Page } from 'playwright-core';

/*
 * The parts of the page by their accessible names. The user of a screen reader finds them by these
 * names.
 */

export function podTable(page: Page): Locator {
  return page.getByRole('grid', { name: 'Pods' });
}

/** Returns the table row of the pod with this name, if the row is visible. */
export function podRow(page: Page, name: string): Locator {
  return podTable(page)
    .getByRole('row')
    .filter({ has: page.getByRole('gridcell', { name, exact: true }) });
}

export function facetValue(page: Page, name: string): Locator {
  return page.getByRole('navigation', { name: 'Filters' }).getByRole('button', { name, exact: true });
}

export function drawer(page: Page): Locator {
  return page.getByRole('complementary');
}

/** Opens a tab of the drawer. */
export async function openTab(page: Page, title: 'Summary' | 'Changes' | 'Events' | 'Logs' | 'YAML'): Promise<void> {
  await drawer(page)
    .getByRole('tab', { name: new RegExp(`^${title}`) })
    .click();
}

/** Returns the change of one field of the opened object, in the tab of changes. */
export function fieldChange(page: Page, field: string): Locator {
  return drawer(page)
    .getByRole('listitem')
    .filter({ hasText: field, hasNot: page.getByRole('listitem') });
}

/** Returns the connection status of the page with this text, for example `live`. */
export function statusText(page: Page, text: string): Locator {
  return page.getByRole('banner').getByRole('status').filter({ hasText: text });
}

/** Returns the message about a lost connection. */
export function lostText(page: Page, text: string): Locator {
  return page.getByRole('banner').getByRole('alert').filter({ hasText: text });
}

export function notice(page: Page, text: string): Locator {
  return page.getByRole('alert').filter({ hasText: text });
}

/** Returns the heading with the number of pods in the table. */
export function podCount(page: Page, count: number): Locator {
  return page.getByRole('heading', { name: `Pods ${count.toLocaleString('en')}`, exact: true });
}

export function filterField(page: Page): Locator {
  return page.getByRole('searchbox', { name: /^Filter by / });
}
