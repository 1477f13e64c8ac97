import { TextlintKernel, type TextlintKernelOptions } from '@textlint/kernel';
import markdown from '@textlint/textlint-plugin-markdown';
import plainText from '@textlint/textlint-plugin-text';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { projectRoot } from './project/entry-points.js';
import { proseOf } from './prose/extract.js';
import { voice } from './prose/voice.js';

/*
 * Checks all prose of the project with textlint: pages, and in TypeScript files comments, names of
 * tests and messages. Prints each violation of the rules of `prose/voice.ts`.
 *
 *   npx tsx scripts/prose.ts              everything
 *   npx tsx scripts/prose.ts src/store    files whose path starts with src/store
 */

const chosen = process.argv.slice(2);
/**
 * Files that are not written by hand: reports, generated code, and pages that are written from
 * recorded results.
 */
const notOurs =
  /^(?:etc\/|temp\/|src\/sources\/wire\/assembly\/|docs\/reference\/api\/|docs\/contributing\/benchmarks\.md)/;
const kernel = new TextlintKernel();
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: projectRoot,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => /\.(?:tsx?|md)$/.test(path) && !notOurs.test(path))
  .filter((path) => chosen.length === 0 || chosen.some((start) => path.startsWith(start)));

let problems = 0;
for (const path of files) {
  const text = readFileSync(projectRoot + path, 'utf8');
  const isPage = path.endsWith('.md');
  const { messages } = await kernel.lintText(isPage ? text : proseOf(path, text), optionsFor(path, isPage));
  for (const { loc, message } of messages) console.error(`${path}:${loc.start.line}:${loc.start.column} ${message}`);
  problems += messages.length;
}
console.log(`${files.length} files, ${problems} problems of prose`);
process.exitCode = problems > 0 ? 1 : 0;

function optionsFor(filePath: string, isPage: boolean): TextlintKernelOptions {
  return {
    ext: isPage ? '.md' : '.txt',
    filePath,
    plugins: [
      isPage ? { pluginId: 'markdown', plugin: markdown.default } : { pluginId: 'text', plugin: plainText.default },
    ],
    rules: [{ ruleId: 'voice', rule: voice }],
  };
}
