import type { Locator, Page } from 'playwright-core';

/* The parts of the page by what they are called, as somebody finds them who does not see it. */

export function podTable(page: Page): Locator {
  return page.getByRole('grid', { name: 'Pods' });
}

/** The row of the table in which a pod of this name is, where it is in sight. */
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

/** What the page says about its connection: for example `pods: live`. */
export function statusText(page: Page, text: string): Locator {
  return page.getByRole('banner').getByRole('status').filter({ hasText: text });
}

export function notice(page: Page, text: string): Locator {
  return page.getByRole('alert').filter({ hasText: text });
}

/** The heading that counts the pods of the table. */
export function podCount(page: Page, count: number): Locator {
  return page.getByRole('heading', { name: `Pods ${count}`, exact: true });
}

export function filterField(page: Page): Locator {
  return page.getByRole('searchbox');
}
