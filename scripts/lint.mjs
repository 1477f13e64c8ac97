import { spawn, spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { typedHouses } from './houses.mjs';

/*
 * Checks code, format, imports and wording:
 *
 *   npm run lint                          everything
 *   npm run lint -- src/store --fix       oxlint and oxfmt for some paths, and corrects them
 *
 * As many checks run side by side as there are processors.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
// oxlint starts this program for the rules that need types. It would look for it in the root.
process.env.OXLINT_TSGOLINT_PATH ??= `${root}scripts/node_modules/oxlint-tsgolint/bin/tsgolint.js`;

/**
 * The houses whose packages are not installed. The types of these packages are unknown, so the
 * TypeScript files of these houses are left out. In CI all packages are installed.
 */
const leftOut = typedHouses().filter(({ isInstalled }) => !isInstalled);
for (const { path } of leftOut)
  console.warn(`not checked, because its packages are not installed: ${path} (node scripts/install.mjs ${path})`);

const oxlint = [
  'scripts/node_modules/oxlint/bin/oxlint',
  ...['--config', 'oxlint.config.js'],
  ...leftOut.flatMap(({ path }) => ['--ignore-pattern', `${path}/**/*.{ts,tsx}`]),
];
const oxfmt = 'node_modules/oxfmt/bin/oxfmt';
const paths = process.argv.slice(2).filter((argument) => argument !== '--fix');

if (paths.length > 0) {
  const isFixing = process.argv.includes('--fix');
  for (const command of [
    [...oxlint, ...(isFixing ? ['--fix'] : []), ...paths],
    [oxfmt, isFixing ? '--write' : '--check', ...paths],
  ])
    if (spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit' }).status !== 0) process.exitCode = 1;
} else {
  const waiting = [
    ['oxlint', oxlint],
    ['wording', ['--import', 'tsx', 'scripts/prose.ts']],
    ['format', [oxfmt, '--list-different', '.']],
    ['imports of the entry points', ['--import', 'tsx', 'scripts/check-imports.ts']],
  ];
  console.log(`${waiting.length} checks; about half a minute`);
  checkDisabledRules();
  await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await check(...next);
    }),
  );
}

/** Runs a check. Prints its output when it has ended. */
async function check(name, command) {
  const start = performance.now();
  const child = spawn(process.execPath, command, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)));
  const status = await new Promise((resolve) => child.once('close', resolve));
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  console.log(`${output}${name}: ${status === 0 ? 'ok' : 'FAILED'} (${seconds} s)`);
  if (status !== 0) process.exitCode = 1;
}

/** Reports comments that disable a rule. oxlint would obey them. */
function checkDisabledRules() {
  const comment = '(es|ox|ts)lint-(disable|enable)|biome-(ignore)';
  const { stdout, status } = spawnSync(
    'git',
    [
      'grep',
      '--untracked',
      '-nIE',
      comment,
      '--',
      '*.ts',
      '*.tsx',
      '*.mts',
      '*.js',
      '*.jsx',
      '*.mjs',
      '*.cjs',
      '*.vue',
    ],
    { cwd: root, encoding: 'utf8' },
  );
  if (status === 1) return;
  console.log(`${stdout}comments that disable a rule: correct the code instead`);
  process.exitCode = 1;
}
