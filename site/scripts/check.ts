import { readdirSync, statSync } from 'node:fs';
import { projectRoot } from '../../scripts/project/entry-points.js';
import { readSurface } from '../../scripts/shape/surface.js';
import { brokenLinks } from './check/links.js';
import { undescribedNames } from './check/reference.js';
import { serve } from './check/static-server.js';

/*
 * Checks the files of the site that site.ts has built: every public name in the reference, and
 * sizes, links, anchors and pictures of all pages. With `--chromium`, it also opens pages in
 * Chromium, checks them with axe and Lighthouse, and measures the playground. For this, the pages
 * are served from a path that the build does not know. Scores and times depend on the machine, so
 * only the nightly run uses `--chromium`. With `--phone`, it also prints the scores of Lighthouse
 * for each page on a phone. With `--playground`, it only measures the playground.
 */
const pages = [
  '',
  'tutorials/first-live-query.html',
  'explanation/guarantees.html',
  'reference/api/rx-informers/informer.html',
];
/** The maximum size of the HTML of a page, in bytes. Longer pages are slow on a phone. */
const largestPage = 300_000;
const site = `${projectRoot}site`;
const alsoPhone = process.argv.includes('--phone');
const onlyPlayground = process.argv.includes('--playground');
const inChromium = onlyPlayground || process.argv.includes('--chromium');
const problems: string[] = [];

const check = async (name: string, run: () => Promise<readonly string[]> | readonly string[]): Promise<void> => {
  const startedAt = performance.now();
  const found = await run();
  problems.push(...found);
  console.log(`${name}: ${found.length} problems, ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
};

if (!onlyPlayground) {
  await check('sizes of pages', largePages);
  await check('every public name is in the reference, with a text', () =>
    undescribedNames(readSurface().names, `${site}/dist/reference/api`),
  );
  await check('links, anchors and pictures', () => brokenLinks(`${site}/dist`, projectRoot));
}
if (inChromium) await checkInChromium();

for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

function largePages(): readonly string[] {
  return readdirSync(`${site}/dist`, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.html'))
    .map((file) => ({ file, bytes: statSync(`${site}/dist/${file}`).size }))
    .filter(({ bytes }) => bytes > largestPage)
    .map(
      ({ file, bytes }) => `${file} has ${bytes} bytes, more than ${largestPage}: see partsOnOnePage in scripts/api.ts`,
    );
}

async function checkInChromium(): Promise<void> {
  const { launchChromium, problemsInBrowser, scores } = await import('./check/browser.js');
  const { problemsOfPlayground } = await import('./check/playground.js');
  const browser = await launchChromium();
  const { url, server } = await serve(`${site}/dist`);
  try {
    await check('the playground', () => problemsOfPlayground(browser, url, `${site}/dist`));
    for (const page of onlyPlayground ? [] : pages) {
      await check(`/${page} in Chromium, with axe`, () => problemsInBrowser(browser, url + page));
      await check(`/${page} with Lighthouse`, async () => {
        if (alsoPhone) console.log((await scores(url + page, 'phone')).line);
        const { line, problems: found } = await scores(url + page);
        console.log(line);
        return found;
      });
    }
  } finally {
    await browser.close();
    server.close();
  }
}
