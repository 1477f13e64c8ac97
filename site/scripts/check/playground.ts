import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';

/**
 * The maximum number of compressed bytes that the playground may load in addition to an ordinary
 * page of the site.
 */
const maxBytes = 156_000;
/**
 * The maximum time in milliseconds from opening the address to the first row of a live table, on a
 * processor that is four times slower.
 */
const longest = 3_000;
const slowdown = 4;
/**
 * The number of visits. The best visit counts, because other work on the machine can only make it
 * slower.
 */
const visits = 3;
/** An ordinary page. The files that it loads belong to the site, not to the playground. */
const otherPage = 'tutorials/first-live-query.html';

/** Returns the problems with the size and the speed of the playground, and prints both. */
export async function problemsOfPlayground(browser: Browser, url: string, folder: string): Promise<readonly string[]> {
  const ofSite = new Set((await visit(browser, url + otherPage, false)).files);
  const measured = [];
  for (let count = 0; count < visits; count++) measured.push(await visit(browser, `${url}playground.html`, true));
  const own = (measured[0]?.files ?? []).filter(
    (file) => !ofSite.has(file) && file.includes('/assets/') && !/\.md\.[^/]*$/.test(file),
  );
  const sizes = own.map((file) => gzipSync(readFileSync(join(folder, file.slice(url.length)))).length);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const best = Math.min(...measured.map(({ milliseconds }) => milliseconds));
  console.log(`playground: ${(bytes / 1000).toFixed(1)} KB beside the site, in ${own.length} files`);
  console.log(
    `playground: first live table after ${Math.round(best)} ms at a ${slowdown} times slower processor, of ${measured
      .map(({ milliseconds }) => Math.round(milliseconds))
      .join(', ')} ms`,
  );
  return [
    ...(bytes > maxBytes ? [`the playground loads ${bytes} bytes beside the site, more than ${maxBytes}`] : []),
    ...(best > longest
      ? [`the first live table of the playground takes ${Math.round(best)} ms, more than ${longest}`]
      : []),
  ];
}

interface Visit {
  /** The addresses of the loaded files. */
  readonly files: readonly string[];
  /** The time until the first row of a table was drawn. */
  readonly milliseconds: number;
}

/** Visits a page with an empty cache. */
async function visit(browser: Browser, url: string, hasTable: boolean): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const files: string[] = [];
  page.on('request', (request) => files.push(request.url()));
  const slow = async (session: ReturnType<typeof context.newCDPSession>): Promise<void> => {
    await (await session).send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  };
  await slow(context.newCDPSession(page));
  // Slows down the sandbox if it has a process of its own. Otherwise it has no session, and the
  // page's limit applies to it.
  page.on('frameattached', (frame) => void slow(context.newCDPSession(frame)).catch(() => undefined));
  const startedAt = performance.now();
  await page.goto(url, { waitUntil: 'commit' });
  if (hasTable) {
    await page.waitForSelector('.pg-table tbody tr', { timeout: 60_000 });
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
  } else await page.waitForLoadState('networkidle');
  const milliseconds = performance.now() - startedAt;
  await context.close();
  return {
    files: [...new Set(files)].filter((file) => !file.startsWith('data:') && !file.startsWith('blob:')),
    milliseconds,
  };
}
