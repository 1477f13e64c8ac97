import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { missingLine } from './missing-line.js';

/** The place where the commands of a page run. */
export interface Terminal {
  /** The folder of the page. It is empty at first, and removed at the end. */
  readonly folder: string;
  /**
   * The working directory: `folder`, or the directory in it to which the commands so far have
   * changed.
   */
  readonly directory: string;
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * Runs commands, waits until they have ended, and returns their last working directory. Throws if a
 * command fails, or if the output lacks one of the lines of `expected`.
 */
export function runCommands(commands: string, expected: string, { folder, directory, environment }: Terminal): string {
  console.log(commands.replaceAll(/^/gm, '$ '));
  const began = performance.now();
  const ended = join(folder, 'directory');
  const script = `exec 2>&1\nset -e\n${commands}\npwd > '${ended}'\n`;
  const { status, signal, stdout } = spawnSync('sh', ['-c', script], {
    cwd: directory,
    env: environment,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 300_000,
  });
  console.log(`${stdout}(${((performance.now() - began) / 1000).toFixed(1)} s)\n`);
  if (status !== 0) throw new Error(`the commands failed: ${signal ?? `exit code ${status}`}`);
  const missing = missingLine(stdout, expected);
  if (missing !== undefined) throw new Error(`the page says that these commands print: ${missing}`);
  return readFileSync(ended, 'utf8').trim();
}
