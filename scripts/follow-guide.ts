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
 * opens links to this machine in a browser. Four things differ from the page. The package is packed
 * from this project (after `npm run build`), because the registry may not have it. A clone is one
 * of this folder, of the last commit. Servers listen on free ports. The cluster of kubectl is an
 * embedded API server. The script throws at the first result that differs from the page.
 *
 *   npm run task -- guide            all pages
 *   npm run task -- guide react      one, by the name of its file
 */
const pages = new Map([
  ['first-controller', 'docs/tutorials/first-controller.md'],
  ['find-a-race', 'docs/tutorials/find-a-race.md'],
  ['react', 'docs/how-to/react.md'],
  ['contributing', 'CONTRIBUTING.md'],
]);
const args = process.argv.slice(2);
const unknown = args.filter((page) => !pages.has(page));
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
    if (args.length > 0 && !args.includes(page)) continue;
    const text = readFileSync(join(projectRoot, path), 'utf8');
    const empty = join(folder, page);
    mkdirSync(empty);
    const [, firstSection = text] = page === 'contributing' ? text.split(/^(?=## )/m) : [];
    const commands = firstSection
      .replaceAll('install rx-informers ', `install ${tarball} `)
      // The folder of this checkout may have another name.
      .replaceAll('https://github.com/rx-informers/rx-informers.git', `${projectRoot.replace(/\/$/, '')} rx-informers`);
    await followPage(commands, {
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
