import { execFileSync, spawnSync } from 'node:child_process';
import { projectRoot } from './project/entry-points.js';

/*
 * Runs the tests of rx-informers/react, with every version of React or with the versions that the
 * first arguments name. Further arguments are passed to jest.
 *
 *   npm run test:react
 *   npm run test:react -- 18 -t suspense
 */

/** The folder in which each version of React is installed. */
const folders: ReadonlyMap<string, string> = new Map([
  ['18', 'test/react/react-18'],
  ['19.2', 'test/react/react-19.2'],
  ['19.3', 'test/react'],
]);

const args = process.argv.slice(2);
const last = args.findIndex((argument) => !folders.has(argument));
const named = last < 0 ? args : args.slice(0, last);
const versions = named.length > 0 ? named : [...folders.keys()];
const jestArguments = args.slice(named.length);

// Each version needs test/react, which has the packages that are not React.
const needed = new Set(['test/react', ...versions.flatMap((version) => folders.get(version) ?? [])]);
execFileSync(process.execPath, ['scripts/install.mjs', ...needed], { cwd: projectRoot, stdio: 'inherit' });
const { status } = spawnSync(
  'npm',
  [
    ...['test', '--silent', '--', '--config', 'test/react/jest.config.js'],
    ...jestArguments,
    ...['--selectProjects', ...versions.map((version) => `react-${version}`)],
  ],
  { cwd: projectRoot, stdio: 'inherit', shell: process.platform === 'win32' },
);
process.exitCode = status ?? 1;
