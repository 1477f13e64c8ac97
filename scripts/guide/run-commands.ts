import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Terminal } from './terminal.js';

/** Runs commands to their end, and says in which directory that was. Throws where one fails. */
export function runCommands(commands: string, { folder, directory, environment }: Terminal): string {
  console.log(commands.replaceAll(/^/gm, '$ '));
  const began = performance.now();
  const ended = join(folder, 'directory');
  execFileSync('sh', ['-c', `set -e\n${commands}\npwd > '${ended}'\n`], {
    cwd: directory,
    env: environment,
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: 300_000,
  });
  console.log(`(${((performance.now() - began) / 1000).toFixed(1)} s)\n`);
  return readFileSync(ended, 'utf8').trim();
}
