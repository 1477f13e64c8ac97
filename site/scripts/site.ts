import { copyFileSync, writeFileSync } from 'node:fs';
import { fullText, overview } from '../../scripts/docs/assistants.js';
import { pagesByKind } from '../../scripts/docs/pages.js';
import { projectRoot } from '../../scripts/project/entry-points.js';
import { writeApiReference } from './api.js';
import { makeRelative, placeholderBase, preload } from './relative-base.js';
import { versionsOf } from './versions.js';

/*
 * Builds the site into site/dist: the reference from doc comments, and the pages. Then it rewrites
 * the files so that the site works from any path. With `dev`, it serves the site instead, and
 * updates it when a page changes.
 */
const site = `${projectRoot}site`;
const isDev = process.argv.includes('dev');
if (!isDev) process.env['SITE_BASE'] = placeholderBase;

await writeApiReference();
const { build, createServer } = await import('vitepress');
if (isDev) {
  const server = await createServer(site);
  await server.listen();
  server.printUrls();
} else {
  await build(site);
  preload(`${site}/dist`, 'playground.html', ['host', 'library', 'base', 'share', 'Results']);
  makeRelative(`${site}/dist`);
  copyFileSync(`${site}/not-found.html`, `${site}/dist/404.html`);
  writeFileSync(`${site}/dist/llms.txt`, overview(''));
  writeFileSync(`${site}/dist/llms-full.txt`, fullText());
  for (const { path, text } of pagesByKind().flatMap(({ pages }) => pages)) writeFileSync(`${site}/dist/${path}`, text);
  writeFileSync(`${site}/dist/versions.json`, `${JSON.stringify(versionsOf([]), null, 2)}\n`);
}
