import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { typedHouses } from './houses.mjs';

/*
 * Type-checks the project, and then each folder that has its own packages and a tsconfig.json.
 * Names the folders that it leaves out because their packages are not installed.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const houses = typedHouses();

for (const path of ['.', ...houses.filter(({ isInstalled }) => isInstalled).map((house) => house.path)]) {
  const { status } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '--project', path], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
}
for (const { path } of houses.filter(({ isInstalled }) => !isInstalled))
  console.warn(`not checked, because its packages are not installed: ${path} (node scripts/install.mjs ${path})`);
