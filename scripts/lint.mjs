import { spawn, spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { typedHouses } from './houses.mjs';
import { changesOf, filesOfProject } from './lint-memory.mjs';

/*
 * Checks code, format, imports and wording:
 *
 *   npm run lint                          everything
 *   npm run lint -- src/store --fix       ESLint and Prettier for some paths, and corrects them
 *
 * ESLint runs once for src, once for the rest of the root, and once for each folder that has its own
 * packages and a tsconfig.json, each in a process of its own. In one process, it keeps the types of
 * all of them in memory, which is more than 4 GB. As many checks run side by side as there are
 * processors.
 *
 * A check that passed is not started again before one of its files, or of the files with its rules,
 * has changed. When it is, ESLint and Prettier check the changed files, which they remember in
 * node_modules/.cache. A rule may depend on the types of other files: `.ci/run` starts without a
 * memory.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
// With a larger young generation, the garbage collector takes half the time.
const eslint = [
  '--max-semi-space-size=64',
  'scripts/node_modules/eslint/bin/eslint.js',
  '--config',
  'scripts/eslint.config.js',
];
const options = ['--max-warnings', '0', '--cache', '--cache-strategy', 'content', '--cache-location'];
const prettier = ['node_modules/prettier/bin/prettier.cjs', '--log-level', 'warn'];
const paths = process.argv.slice(2).filter((argument) => argument !== '--fix');

if (paths.length > 0) {
  const isFixing = process.argv.includes('--fix');
  for (const command of [
    [...eslint, '--max-warnings', '0', ...(isFixing ? ['--fix'] : []), ...paths],
    [...prettier, isFixing ? '--write' : '--check', ...paths],
  ])
    if (spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit' }).status !== 0) process.exitCode = 1;
} else {
  const files = [...filesOfProject()];
  const waiting = [
    ...eslintOf(),
    {
      name: 'format',
      command: [...prettier, '--check', '--cache', '--cache-strategy', 'content', '.'],
      reads: () => true,
      rules: /^(package-lock\.json|\.prettier.*|\.editorconfig|\.gitignore)$/,
    },
    {
      name: 'imports of the entry points',
      command: ['--import', 'tsx', 'scripts/check-imports.ts'],
      reads: (path) => path.startsWith('src/'),
      rules: /^(package-lock\.json|scripts\/check-imports\.ts|scripts\/project\/.*)$/,
    },
    {
      name: 'wording',
      command: ['--import', 'tsx', 'scripts/prose.ts'],
      reads: (path) => /\.(tsx?|md)$/.test(path),
      rules: /^scripts\/(package-lock\.json|prose\.ts|prose\/.*|project\/.*)$/,
      takesFiles: true,
    },
  ];
  console.log(`${waiting.length} checks; a minute or two, a few seconds when little has changed`);
  await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await check(next, files);
    }),
  );
}

/** Returns the commands that run ESLint for the root and for the houses. The root takes longest. */
function eslintOf() {
  const houses = typedHouses();
  const folders = ['.', 'src', ...houses.filter(({ isInstalled }) => isInstalled).map(({ path }) => path)];
  return folders.map((path) => {
    const isInside = (folder) => folder !== path && (path === '.' || folder.startsWith(`${path}/`));
    const inside = ['src', ...houses.map((house) => house.path)].filter(isInside);
    const ignored = inside.flatMap((folder) => ['--ignore-pattern', `${folder}/`]);
    const cache = `node_modules/.cache/eslint/${path.replaceAll('/', '-')}`;
    return {
      name: `ESLint in ${path === '.' ? 'the rest of the root' : path}`,
      command: [...eslint, ...options, cache, ...ignored, path],
      reads: (file) =>
        /\.([cm]?js|tsx?)$|(^|\/)(package-lock|package|tsconfig)\.json$/.test(file) &&
        (path === '.' || file.startsWith(`${path}/`)) &&
        !inside.some((folder) => file.startsWith(`${folder}/`)),
      rules:
        /^(package(-lock)?\.json|tsconfig\.json|scripts\/(package-lock\.json|eslint\.config\.js|houses\.mjs|project\/.*))$/,
    };
  });
}

/**
 * Runs a check, unless it passed with the same files and rules. Prints its output when it has ended.
 */
async function check({ name, command, reads, rules, takesFiles = false }, files) {
  const read = files.filter(([path]) => reads(path) || rules.test(path));
  const { changed, remember } = changesOf(name, command, read);
  if (changed.length === 0) {
    console.log(`${name}: ok (unchanged)`);
    return;
  }
  const isPart = takesFiles && !changed.some((path) => path === 'command' || rules.test(path));
  const start = performance.now();
  console.log(`${name} …`);
  const child = spawn(process.execPath, [...command, ...(isPart ? changed : [])], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)));
  const status = await new Promise((resolve) => child.once('close', resolve));
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  console.log(`${output}${name}: ${status === 0 ? 'ok' : 'FAILED'} (${seconds} s)`);
  if (status === 0) remember();
  else process.exitCode = 1;
}
