import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Runs TypeScript 7, the native compiler, and returns its exit code and what it printed. The
 * package `typescript` is version 6, because tsup, API Extractor and TypeDoc need its API. All
 * checks of types use version 7, which needs a quarter of the processor time.
 *
 * Each type is checked once, by one checker. Several checkers end sooner on a machine that does
 * nothing else, but each of them has to know the types of `src`.
 *
 * @param {string} project a tsconfig.json or its folder, relative to the root
 * @param {readonly string[]} [options] more options of the compiler
 * @returns {{ status: number | null, output: string }} paths in the output are relative to the root
 */
export function compile(project, options = []) {
  const compiler = 'node_modules/typescript-7/bin/tsc';
  const args = ['--project', project, '--checkers', '1', ...options];
  const { status, stdout, error } = spawnSync(process.execPath, [compiler, ...args], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: Infinity,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (error !== undefined) throw error;
  return { status, output: stdout };
}
