import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { typedHouses } from './houses.mjs';

/*
 * Runs ESLint for the root, and then for each folder that has its own packages and a tsconfig.json,
 * each in a process of its own. In one process, ESLint keeps the types of all of them in memory,
 * which is more than 4 GB.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const houses = typedHouses();
const options = ['--config', 'scripts/eslint.config.js', '--max-warnings', '0'];

for (const path of ['.', ...houses.filter(({ isInstalled }) => isInstalled).map((house) => house.path)]) {
  const inside = houses.filter((house) => house.path !== path && (path === '.' || house.path.startsWith(`${path}/`)));
  const ignored = inside.flatMap((house) => ['--ignore-pattern', `${house.path}/`]);
  const { status } = spawnSync(
    process.execPath,
    ['scripts/node_modules/eslint/bin/eslint.js', ...options, ...ignored, path],
    { cwd: root, stdio: 'inherit' },
  );
  if (status !== 0) process.exitCode = 1;
}
