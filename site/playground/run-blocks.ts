import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { blocksOf, faultOfFence, whyNotRun } from './blocks.js';
import { bundleSandbox } from './bundle.js';
import { compile } from './compile.js';
import type { SandboxEvent } from './protocol.js';

/*
 * Runs every TypeScript block of the docs in Chromium, in the sandbox of the site. Fails if a block
 * throws, or if a block cannot run and its fence does not state the reason. With a part of a file's
 * name as argument, only the blocks of matching files run.
 */
const project = fileURLToPath(new URL('../..', import.meta.url));
const [only = ''] = process.argv.slice(2);
/**
 * The time for which a block may run after its last statement, in milliseconds, so that its
 * subscriptions emit.
 */
const settle = 500;
const longest = 8_000;

const bundle = await bundleSandbox();
const { outputFiles } = await build({
  entryPoints: [`${project}site/playground/host.ts`],
  bundle: true,
  write: false,
  format: 'iife',
  globalName: 'host',
  platform: 'browser',
});
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
const page = await browser.newPage();
await page.addScriptTag({ content: outputFiles[0]?.text ?? '' });
await page.addScriptTag({ content: runner(JSON.stringify(bundle)) });

const problems: string[] = [];
let ran = 0;
let left = 0;
for (const file of ['README.md', ...pages('docs')].filter((name) => name.includes(only))) {
  for (const block of blocksOf(readFileSync(project + file, 'utf8'))) {
    const fault = faultOfFence(block);
    if (fault !== undefined) problems.push(`${file}:${block.line} ${fault}`);
    if (whyNotRun(block) !== undefined) {
      left += 1;
      continue;
    }
    const events = await run(compile(block.code));
    const errors = events.flatMap((event) => (event.type === 'log' && event.level === 'thrown' ? [event.text] : []));
    problems.push(...errors.map((text) => `${file}:${block.line} ${text}`));
    ran += 1;
    if (only !== '') console.log(`${file}:${block.line}`, summary(events));
  }
}
await browser.close();
for (const problem of problems) console.error(problem);
console.log(`${ran} blocks ran in Chromium, ${left} do not run in a page and say why, ${problems.length} problems`);
process.exitCode = problems.length > 0 ? 1 : 0;

function run(javascript: string): Promise<readonly SandboxEvent[]> {
  return page.evaluate(
    ([code, quiet, most]) =>
      (globalThis as unknown as { run(...values: unknown[]): Promise<readonly SandboxEvent[]> }).run(code, quiet, most),
    [javascript, settle, longest] as const,
  );
}

/**
 * Returns the program in the page. It collects events until a block has finished, and for a short
 * time after that.
 */
function runner(library: string): string {
  return `
    const bundle = ${library.replaceAll('<', '\\u003c')};
    const library = {
      base: async () => bundle.base,
      extras: bundle.extras.map((extra) => ({ ...extra, modules: async () => extra.modules })),
    };
    globalThis.run = (code, settle, longest) => new Promise((resolve) => {
      const events = [];
      const end = () => { session.stop(); resolve(events); };
      const timer = setTimeout(end, longest);
      const session = host.runInSandbox(code, library, (event) => {
        events.push(event);
        if (event.type === 'finished') { clearTimeout(timer); setTimeout(end, settle); }
      });
    });`;
}

function summary(events: readonly SandboxEvent[]): string {
  const counts = new Map<string, number>();
  for (const { type } of events) counts.set(type, (counts.get(type) ?? 0) + 1);
  return Array.from(counts, ([type, count]) => `${type} ${count}`).join(', ');
}

function pages(folder: string): readonly string[] {
  return readdirSync(project + folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md') && !path.startsWith('reference/api/'))
    .map((path) => `${folder}/${path}`)
    .sort();
}
