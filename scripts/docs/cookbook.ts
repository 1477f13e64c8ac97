import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { format } from 'node:util';
import { projectRoot } from '../project/entry-points.js';
import type { Example } from './examples.js';

/** The longest time in milliseconds that a program may need to print what its page shows. */
const longest = 20_000;

/**
 * Runs the program of each page of the cookbook in this process, and compares what it prints with
 * the page. A program of the cookbook names its file in its first line, and a `text` block with its
 * output follows it. The programs do not end, so the caller has to end the process.
 *
 * @param modules the examples of the documentation by the files that contain them
 * @returns the differences
 */
export async function differencesOfCookbook(modules: ReadonlyMap<string, Example>): Promise<readonly string[]> {
  const differences: string[] = [];
  for (const [file, { name, file: page }] of modules) {
    if (!page.startsWith('docs/cookbook/') || name === undefined) continue;
    const [, expected] = /^It prints:\n\n```text\n([^]*?)\n```$/m.exec(readFileSync(projectRoot + page, 'utf8')) ?? [];
    const printed = await outputOf(file, expected?.split('\n').length ?? 1);
    if (printed !== expected) differences.push(`${page} does not show what its program prints:\n${printed}`);
  }
  return differences;
}

/** Returns what a program has printed when it has run and printed a number of lines. */
async function outputOf(file: string, lines: number): Promise<string> {
  const printed: string[] = [];
  const original = { log: console.log, warn: console.warn, error: console.error };
  let finish = (): void => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<void>((resolve) => (timer = setTimeout(resolve, longest)));
  const print = (...values: readonly unknown[]): void => {
    printed.push(...format(...values).split('\n'));
    if (printed.length >= lines) finish();
  };
  // A warning about a slow subscriber depends on the machine, so warnings are not compared.
  Object.assign(console, { log: print, warn: () => undefined, error: print });
  try {
    await Promise.race([Promise.all([import(pathToFileURL(file).href), finished]), expired]);
  } catch (error) {
    printed.push(String(error));
  } finally {
    clearTimeout(timer);
    Object.assign(console, original);
  }
  return printed.join('\n');
}
