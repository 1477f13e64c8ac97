import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from './entry-points.js';

/*
 * Follows docs/first-controller.md to the letter, in an empty folder: writes each block whose first line names a file, runs each line
 * of each `sh` block, in the order of the page. Only the package is one that was packed here (after `npm run build`), because the
 * registry may not have it. Ends with the first command that fails.
 */
const page = `${projectRoot}docs/first-controller.md`;
const block = /^```(\w+)\n([^]*?)^```$/gm;
const fileName = /^(?:\/\/|#) (\S+)\n/;

const folder = mkdtempSync(join(tmpdir(), 'rx-informers-guide-'));
try {
  const tarball = pack();
  let directory = folder;
  for (const [, language, code = ''] of readFileSync(page, 'utf8').matchAll(block)) {
    const [, name] = fileName.exec(code) ?? [];
    if (language === 'sh') directory = run(code.replace('install rx-informers ', `install ${tarball} `), directory);
    else if (name !== undefined) writeFileSync(join(directory, name), code);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Runs the lines of a block, and says in which directory the last of them ended. */
function run(commands: string, cwd: string): string {
  console.log(commands.trimEnd().replaceAll(/^/gm, '$ '));
  const began = performance.now();
  const ended = join(folder, 'directory');
  const script = `set -e\n${commands}\npwd > '${ended}'\n`;
  execFileSync('sh', ['-c', script], { cwd, stdio: ['ignore', 'inherit', 'inherit'], timeout: 300_000 });
  console.log(`(${((performance.now() - began) / 1000).toFixed(1)} s)\n`);
  return readFileSync(ended, 'utf8').trim();
}

function pack(): string {
  const arguments_ = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const output = execFileSync('npm', arguments_, { cwd: projectRoot, encoding: 'utf8' });
  const [packed] = JSON.parse(output) as readonly { readonly filename: string }[];
  return join(folder, packed?.filename ?? '');
}
