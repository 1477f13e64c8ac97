import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { createApiServer } from 'rx-informers/testing';
import { launchChromium } from '../apps/dashboard/test/browser/support/chromium.js';
import { followPage } from './guide/follow-page.js';
import { pack } from './pack.js';
import { projectRoot } from './project/entry-points.js';

/*
 * Follows pages of the documentation to the letter, each in an empty folder and in the order of the
 * page. It writes the blocks whose first line names a file, runs the lines of the `sh` blocks, and
 * opens links to this machine in a browser. Three things differ from the page. The package is
 * packed from this project (after `npm run build`), because the registry may not have it. Servers
 * listen on free ports. The cluster of kubectl is an embedded API server. The script throws at the
 * first result that differs from the page.
 *
 *   npm run guide               all pages
 *   npm run guide -- react      one, by the name of its file
 */
const pages = new Map([
  ['first-controller', 'docs/tutorials/first-controller.md'],
  ['react', 'docs/how-to/react.md'],
]);
const asked = process.argv.slice(2);
const unknown = asked.filter((page) => !pages.has(page));
if (unknown.length > 0)
  throw new Error(`unknown pages: ${unknown.join(', ')}; available: ${[...pages.keys()].join(', ')}`);

const folder = mkdtempSync(join(tmpdir(), 'rx-informers-guide-'));
process.once('exit', () => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});
// Exits normally on a signal, so that the exit handlers clean up.
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

const cluster = await createApiServer();
let launched: Promise<Browser> | undefined;
try {
  const tarball = pack(folder);
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, cluster.kubeconfig());
  for (const [page, path] of pages) {
    if (asked.length > 0 && !asked.includes(page)) continue;
    const text = readFileSync(join(projectRoot, path), 'utf8');
    const empty = join(folder, page);
    mkdirSync(empty);
    await followPage(text.replaceAll('install rx-informers ', `install ${tarball} `), {
      folder: empty,
      // Answers yes in advance, because npm asks before it fetches the package that `npm create`
      // names.
      environment: { ...process.env, KUBECONFIG: kubeconfig, npm_config_yes: 'true' },
      browser: () => (launched ??= launchChromium()),
    });
  }
} finally {
  await (await launched)?.close();
  await cluster.close();
}
