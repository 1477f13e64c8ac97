import { existsSync, readFileSync } from 'node:fs';
import { entryPoints, projectRoot } from './project/entry-points.js';
import { undocumentedNames } from './docs/documented.js';
import { bundles, sizeOf, sourceOf } from './shape/bundle.js';
import { circlesOf, importersOf, readModules } from './shape/modules.js';
import { collisionsOf, readSurface } from './shape/surface.js';

/*
 * Prints the shape of the sources: the number and size of the files, how they import each other,
 * what the entry points export, and the size of bundles. With --check the script fails if a target
 * is missed. With --list it prints every name behind a count. `npm run shape` does not build
 * anything.
 */
const check = process.argv.includes('--check');
const list = process.argv.includes('--list');
const errorsPage = `${projectRoot}docs/reference/errors.md`;

/** The maximum number of files in each part of src. Only the total limits the rest of src. */
const rooms: readonly (readonly [name: string, folders: readonly string[], most: number])[] = [
  ['time', ['time'], 2],
  ['kubernetes', ['kubernetes'], 12],
  ['sources', ['sources'], 47],
  ['sources/wire', ['sources/wire'], 8],
  ['sources/reflector', ['sources/reflector'], 14],
  ['store', ['store'], 15],
  ['queries', ['queries'], 4],
  ['operators', ['operators'], 11],
  ['informer', ['informer'], 20],
  ['derived', ['derived'], 20],
  ['history', ['history'], 8],
  ['shared-worker', ['shared-worker'], 7],
  ['views', ['views'], 14],
  ['react', ['react'], 14],
  ['controller', ['controller'], 88],
  ['controller/queue + workqueue', ['controller/queue', 'controller/workqueue'], 18],
  ['controller/reconcile', ['controller/reconcile'], 14],
  ['controller/api', ['controller/api'], 8],
  ['controller/write', ['controller/write'], 11],
  ['controller/metrics', ['controller/metrics'], 5],
  ['controller/lease + leader-election', ['controller/lease', 'controller/leader-election'], 12],
  ['controller/membership', ['controller/membership', 'controller/shard'], 12],
  ['controller/events', ['controller/events'], 7],
  ['manager', ['manager'], 9],
  ['prometheus', ['prometheus'], 2],
  ['opentelemetry', ['opentelemetry'], 2],
  ['testing', ['testing'], 84],
];
const missed: string[] = [];

const modules = readModules();
const surface = readSurface();
const importers = importersOf(modules);
const lengths = modules.map(({ lines }) => lines).sort((a, b) => a - b);
const mayBeSmall = ['src/store/index-functions/', 'src/sources/wire/scanner-module.ts'];
const small = modules.filter(
  ({ path, lines, isEntry }) => lines < 25 && !isEntry && !mayBeSmall.some((prefix) => path.startsWith(prefix)),
);
const alone = modules.filter(({ path, isEntry }) => importers.get(path) === 1 && !isEntry);
const mostImports = modules
  .filter(({ isEntry }) => !isEntry)
  .map(({ path, imports }) => [path, imports.length] as const)
  .sort(([, a], [, b]) => b - a);
const circles = circlesOf(modules);

console.log('Files');
atMost('files under src', modules.length, 360);
atLeast('median of lines', lengths[Math.floor(lengths.length / 2)] ?? 0, 70);
none(
  'files under 25 lines',
  small.map(({ path, lines }) => `${path} (${lines})`),
);
print(
  'files with exactly one importer',
  alone.length,
  alone.map(({ path, lines }) => `${path} (${lines})`),
);
atMost(
  'longest list of imports',
  mostImports[0]?.[1] ?? 0,
  20,
  mostImports.filter(([, count]) => count > 20).map(named),
);
none(
  'circles between files',
  circles.map((circle) => circle.join(' → ')),
);
for (const [name, folders, most] of rooms) {
  const files = modules.filter(({ path }) => folders.some((folder) => path.startsWith(`src/${folder}/`)));
  atMost(
    `files in ${name}`,
    files.length,
    most,
    files.map(({ path, lines }) => `${path} (${lines})`),
  );
}

console.log('\nExports');
for (const { specifier } of entryPoints) {
  const names = surface.names.filter(({ entry }) => entry === specifier);
  const values = names.filter(({ isValue }) => isValue);
  const descriptors = values.filter(({ file }) => file.startsWith('src/kubernetes/resources/'));
  const others = values.filter((each) => !descriptors.includes(each)).map(({ name }) => name);
  const label = `${specifier}: values${descriptors.length > 0 ? ` besides ${descriptors.length} descriptors` : ''}`;
  if (specifier === 'rx-informers') atMost(label, others.length, 120, others);
  else print(label, others.length, others);
  const types = names.filter(({ isValue }) => !isValue).map(({ name }) => name);
  print(`${specifier}: types`, types.length, types);
}
none('names that collide', collisionsOf(surface));
none('public names on no page of the documentation', undocumentedNames(surface));

console.log('\nErrors');
const errorFiles = modules.map(({ path }) => path).filter((path) => /(^|[/-])errors?\.ts$/.test(path));
atMost('files of errors', errorFiles.length, 10, errorFiles);
const codes = surface.errors.flatMap(({ code }) => code ?? []);
print('codes', codes.length, codes);
none(
  'codes of two classes',
  codes.filter((code, index) => codes.indexOf(code) !== index),
);
none(
  'error classes without a code',
  surface.errors.filter(({ code, isAbstract }) => code === undefined && !isAbstract).map(({ name }) => name),
);
const page = existsSync(errorsPage) ? readFileSync(errorsPage, 'utf8') : '';
none(
  'public codes that docs/reference/errors.md lacks',
  surface.errors.flatMap(({ code, isAbstract, entries }) =>
    code === undefined || isAbstract || entries.length === 0 || page.includes(`\`${code}\``) ? [] : [code],
  ),
);

console.log('\nBundles (minified by esbuild, gzip, NODE_ENV=production, without peers, in kB of 1024 bytes)');
for (const bundle of bundles) {
  const { name, budget, goal } = bundle;
  const { kilobytes, minified, parts } = await sizeOf(bundle, { specifierOf: sourceOf, folder: projectRoot });
  const details = parts.map(([path, bytes]) => `${String(bytes).padStart(6)} ${path}`);
  const size = Number(kilobytes.toFixed(1));
  const label = goal === undefined ? name : `${name} (goal ${goal}: ${(size - goal).toFixed(1)} over)`;
  atMost(label, size, budget, [`${minified} bytes minified`, ...details]);
}

if (missed.length > 0) {
  console.log(`\n${missed.length} targets are missed:`);
  for (const line of missed) console.log(`  ${line}`);
}
process.exitCode = check && missed.length > 0 ? 1 : 0;

function atMost(what: string, count: number, most: number, names: readonly string[] = []): void {
  judge(what, count, `at most ${most}`, count <= most, names);
}

function atLeast(what: string, count: number, least: number): void {
  judge(what, count, `at least ${least}`, count >= least, []);
}

/**
 * Expects no names. The names are printed even without --list, because each of them is a mistake to
 * correct.
 */
function none(what: string, names: readonly string[]): void {
  judge(what, names.length, 'none', names.length === 0, names);
}

function judge(what: string, count: number, target: string, holds: boolean, names: readonly string[]): void {
  if (!holds)
    missed.push(
      `${what}: ${count}, target ${target}${names.length > 0 && names.length <= 5 ? ` (${names.join(', ')})` : ''}`,
    );
  print(`${what} (${target})`, count, names, holds ? '' : '  MISSED');
}

function print(what: string, count: number, names: readonly string[], verdict = ''): void {
  console.log(`  ${what.padEnd(64)} ${String(count).padStart(5)}${verdict}`);
  if (list) for (const name of names) console.log(`      ${name}`);
}

function named([path, count]: readonly [string, number]): string {
  return `${path} (${count})`;
}
