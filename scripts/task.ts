import { spawnSync } from 'node:child_process';
import { projectRoot } from './project/entry-points.js';

/*
 * Runs a command that few people need, or lists these commands:
 *
 *   npm run task                              the list
 *   npm run task -- soak --minutes 10         one command; further arguments are passed to it
 *
 * The scripts of package.json are the commands for daily work.
 */
const jest = 'npm test --silent --';
const install = (...houses: readonly string[]): string => `node scripts/install.mjs ${houses.join(' ')}`;

const tasks: Readonly<Record<string, readonly [command: string, does: string]>> = {
  'test:frameworks': [
    `${install('test/react', 'test/frameworks')} && ${jest} --config test/frameworks/jest.config.js`,
    'tests the documented bindings for Angular, Solid, Svelte and Vue',
  ],
  'test:examples': [
    `${install('examples')} && ${jest} --config examples/jest.config.js`,
    'tests the examples: the website operator, pods by node, the cookbook, the agent',
  ],
  'test:site': [`${jest} --config site/jest.config.js`, 'tests the scripts of the site'],
  'test:scripts': [
    `${install('scripts')} && ${jest} --config scripts/jest.config.js`,
    'tests the scripts and the GitHub workflows',
  ],
  'test:cluster': [
    `${jest} --config test/jest.cluster.config.js`,
    'tests against a real API server: test/cluster/README.md',
  ],
  smoke: [
    'tsx scripts/smoke.ts',
    'uses the built package in empty projects: Node 20, 22 and 24, client-node 1 and 2, types, browser bundle; `--quick` with this Node only',
  ],
  'git-install': ['tsx scripts/git-install.ts', 'installs the last commit from git, and runs the first tutorial'],
  guide: [
    `${install('scripts', 'apps/dashboard')} && tsx scripts/follow-guide.ts`,
    'follows the pages that have steps, with the built package; `react` follows one page',
  ],
  'examples:check': [
    'tsx scripts/examples.ts',
    'copies each example out of the repository and runs it with the built package; `empty-nodes` checks one',
  ],
  'package:check': [
    `${install('scripts', 'test/react', 'test/frameworks')} && npm run --silent check-package --prefix scripts && tsx scripts/check-declarations.ts`,
    'checks the built package with publint, attw, and the examples compiled with `declaration: true`',
  ],
  'api:check': [`${install('scripts')} && tsx scripts/api-report.ts`, 'compares the public API with etc/*.api.md'],
  soak: [
    `${install('scripts')} && node --expose-gc --import tsx scripts/soak/main.ts`,
    'compares every source and view with a real API server, while connections break and servers restart',
  ],
  'build:wasm': [
    `${install('scripts')} && tsx scripts/build-wasm.ts`,
    'compiles src/sources/wire/assembly to scanner-module.ts; `--check` fails if the committed file differs',
  ],
  'scanners:compare': [
    'tsx scripts/compare-scanners.ts',
    'compares the scanner in WebAssembly with JSON.parse on a million random texts; `SEED=2` chooses others',
  ],
  'site:dev': [`${install('site')} && tsx site/scripts/site.ts dev`, 'serves the site while you write'],
  'site:run': ['tsx site/playground/run-blocks.ts', 'runs the examples of the documentation in Chromium'],
  'site:check': [
    'npm run --silent site && tsx site/scripts/check.ts',
    'builds the site; checks its links, texts, sizes and pictures; with `--chromium`, also pages with axe and Lighthouse',
  ],
  'site:playground': ['tsx site/scripts/check.ts --playground', 'measures size and speed of the playground'],
  'site:versions': [
    'npm run --silent site && tsx site/scripts/build-versions.ts',
    'builds the site of each released version',
  ],
  'simulate:bars': [
    'tsx bench/studies/simulation.ts',
    'measures `simulate`: `bugs`, `shares`, `twins`, `matrix`, `seeds` or `website`, with a number of schedules',
  ],
  'schema:compare': [
    'tsx scripts/schema-compare.ts',
    'compares how the embedded API server and a real one validate custom resources; `--objects 1000` for each definition',
  ],
  'types:check': [
    'tsx scripts/types-of-crds.ts',
    'measures `rx-informers types` on a folder of CustomResourceDefinitions and objects; `--kubeconfig` names a server',
  ],
  'release:version': ['npm run --silent changeset -- version', 'writes versions and changelog from the changesets'],
  'release:publish': ['npm run --silent changeset -- publish', 'publishes to npm'],
  'lock:complete': [
    'tsx scripts/complete-lock.ts',
    'adds the native packages that a registry left out of package-lock.json; `scripts` for the lock of that house',
  ],
};

const [name, ...args] = process.argv.slice(2);
const task = name === undefined ? undefined : tasks[name];
if (task === undefined) {
  if (name !== undefined) console.error(`There is no task ${name}.\n`);
  const width = Math.max(...Object.keys(tasks).map(({ length }) => length));
  console.log('npm run task -- NAME [arguments]\n');
  for (const [each, [, does]] of Object.entries(tasks)) console.log(`${each.padEnd(width)}  ${does}`);
  process.exitCode = name === undefined ? 0 : 1;
} else {
  const line = [task[0], ...args.map((argument) => JSON.stringify(argument))].join(' ');
  process.exitCode = spawnSync(line, { shell: true, cwd: projectRoot, stdio: 'inherit' }).status ?? 1;
}
