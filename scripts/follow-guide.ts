import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { createApiServer } from 'rx-informers/testing';
import { launchChromium } from '../test/browser/support/chromium.js';
import { projectRoot } from './entry-points.js';
import { followPage } from './guide/follow-page.js';

/*
 * Follows pages of the documentation to the letter, each in an empty folder: writes the blocks whose first line names a file, runs the
 * lines of the `sh` blocks, and opens links to this machine in a browser, in the order of the page. Only the package is one that was
 * packed here (after `npm run build`), because the registry may not have it; servers listen on free ports; and kubectl's cluster is an
 * embedded one. Ends with the first thing that is not as the page says.
 *
 *   npm run guide               all pages
 *   npm run guide -- react      one
 */
const pages = ['first-controller', 'react'];
const asked = process.argv.slice(2);
const unknown = asked.filter((page) => !pages.includes(page));
if (unknown.length > 0) throw new Error(`no page to follow: ${unknown.join(', ')}; there is ${pages.join(', ')}`);

const folder = mkdtempSync(join(tmpdir(), 'rx-informers-guide-'));
process.once('exit', () => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});
// So that what goes with this process goes then too.
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

const cluster = await createApiServer();
let launched: Promise<Browser> | undefined;
try {
  const tarball = pack();
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, cluster.kubeconfig());
  for (const page of asked.length > 0 ? asked : pages) {
    const text = readFileSync(join(projectRoot, 'docs', `${page}.md`), 'utf8');
    const empty = join(folder, page);
    mkdirSync(empty);
    await followPage(text.replaceAll('install rx-informers ', `install ${tarball} `), {
      folder: empty,
      // npm asks before it fetches what `npm create` names.
      environment: { ...process.env, KUBECONFIG: kubeconfig, npm_config_yes: 'true' },
      browser: () => (launched ??= launchChromium()),
    });
  }
} finally {
  await (await launched)?.close();
  await cluster.close();
}

function pack(): string {
  const arguments_ = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const output = execFileSync('npm', arguments_, { cwd: projectRoot, encoding: 'utf8' });
  const [packed] = JSON.parse(output) as readonly { readonly filename: string }[];
  return join(folder, packed?.filename ?? '');
}
