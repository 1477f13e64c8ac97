import type { Browser } from 'playwright-core';

/**
 * Opens a page in a browser, and creates and deletes a pod through the server of the page. The row
 * of the pod must appear in a table of the page and disappear again, without a reload and without
 * an error on the console.
 */
export async function seeLiveRow(browser: Browser, url: string): Promise<void> {
  console.log(`> ${url}`);
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  const expectRow = async (name: string, state: 'visible' | 'detached', what: string): Promise<void> => {
    const row = page.getByRole('table').getByRole('row').filter({ hasText: name });
    await row.waitFor({ state }).catch((cause: unknown) => {
      throw new Error([`${url}: ${what}`, ...problems].join('\n  '), { cause });
    });
  };
  try {
    await createPod(url, 'was-there');
    await page.goto(url);
    await expectRow('was-there', 'visible', 'the table has no row for an existing pod');
    let loads = 0;
    page.on('load', () => (loads += 1));
    await createPod(url, 'is-new');
    await expectRow('is-new', 'visible', 'no row appears for a new pod');
    await deletePod(url, 'is-new');
    await expectRow('is-new', 'detached', 'the row of a deleted pod remains');
    await deletePod(url, 'was-there');
    if (loads > 0) throw new Error(`${url}: the page was reloaded`);
    if (problems.length > 0) throw new Error([`${url}: the page reports errors`, ...problems].join('\n  '));
    console.log('(a row came and went, live)\n');
  } finally {
    await page.close();
  }
}

function createPod(url: string, name: string): Promise<void> {
  const body = JSON.stringify({ metadata: { name }, spec: { containers: [{ name: 'main', image: 'app:1' }] } });
  return ask(new URL('/api/v1/namespaces/default/pods', url), { method: 'POST', body });
}

function deletePod(url: string, name: string): Promise<void> {
  return ask(new URL(`/api/v1/namespaces/default/pods/${name}`, url), { method: 'DELETE' });
}

async function ask(url: URL, request: RequestInit): Promise<void> {
  const response = await fetch(url, { ...request, headers: { 'content-type': 'application/json' } });
  const text = await response.text();
  if (!response.ok) throw new Error(`${String(request.method)} ${url.href}: ${response.status} ${text}`);
}
