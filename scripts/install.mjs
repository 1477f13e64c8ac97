import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/*
 * Installs the packages of folders that have their own package-lock.json, for example
 * `node scripts/install.mjs bench site`. A folder whose lock file has not changed since the last
 * installation is left as it is. The root's `npm ci` installs none of these folders, so that it
 * stays small. Needs only Node and npm.
 */
const root = fileURLToPath(new URL('..', import.meta.url));

for (const folder of process.argv.slice(2)) {
  const lock = createHash('sha256')
    .update(readFileSync(`${root}${folder}/package-lock.json`))
    .digest('hex');
  const installed = `${root}${folder}/node_modules/.installed-lock`;
  if (existsSync(installed) && readFileSync(installed, 'utf8') === lock) continue;
  console.log(`Installing the packages of ${folder}. This is needed once, and again when its lock file changes.`);
  execFileSync('npm', ['ci', '--loglevel', 'error'], {
    cwd: `${root}${folder}`,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  writeFileSync(installed, lock);
}
