import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { undocumentedNames } from './docs/documented.js';
import { functionsOf, readEventPath } from './event-path/read-event-path.js';
import { entryPoints, projectRoot } from './project/entry-points.js';
import { type Bundle, bundles, sizeOf, sourceOf } from './shape/bundle.js';
import { countLines } from './shape/lines.js';
import { circlesOf, importersOf, importsUpwards, mutualFolders, readModules } from './shape/modules.js';
import { sharedNames } from './shape/owners.js';
import { collisionsOf, readSurface } from './shape/surface.js';
import { readUnread } from './shape/unread.js';
import { walkFrom } from './shape/walk.js';

/*
 * Prints the shape of the sources: how files and folders import each other, what the entry points
 * export, and the size of bundles. With --check the script fails if a property does not hold. With
 * --list it prints every name behind a count. `npm run shape` does not build anything.
 */
const check = process.argv.includes('--check');
const list = process.argv.includes('--list');
const errorsPage = `${projectRoot}docs/reference/errors.md`;

const missed: string[] = [];

const modules = readModules();
const surface = readSurface();
const ofSource = modules.filter(({ path }) => path.startsWith('src/'));
const importers = importersOf(ofSource);
const lengths = ofSource.map(({ lines }) => lines).sort((a, b) => a - b);
/**
 * Files that may be small: the generated scanner, programs with few lines, rules of lint, of which
 * each has a file, and contestants, because
 * the benchmark loads each of them alone.
 */
const mayBeSmall =
  /^(src\/sources\/wire\/scanner-module|bench\/contestants\/|scripts\/([^/]+$|smoke\/|lint\/|event-path\/))/;
const small = modules.filter(({ path, lines, isEntry }) => lines < 25 && !isEntry && !mayBeSmall.test(path));
const alone = ofSource.filter(({ path, isEntry }) => importers.get(path) === 1 && !isEntry);
const importCounts = ofSource
  .filter(({ isEntry }) => !isEntry)
  .map(({ path, imports }) => [path, imports.length] as const)
  .sort(([, a], [, b]) => b - a);

console.log('Files of src, scripts and bench');
none(
  'circles between files',
  circlesOf(modules).map((circle) => circle.join(' → ')),
);
none('imports against the order of rooms and folders', importsUpwards(modules));
none('folders that import each other', mutualFolders(modules));
none(
  'files under 25 lines',
  small.map(({ path, lines }) => `${path} (${lines})`),
);
const unread = readUnread();
none('files that no program imports', unread.files);
none('exports that no other file reads', unread.exports);

console.log('\nFiles of src');
print('files', ofSource.length);
print('median of lines', lengths[Math.floor(lengths.length / 2)] ?? 0);
const counts = readdirSync(`${projectRoot}src`, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => countLines(file, readFileSync(`${projectRoot}src/${file}`, 'utf8')));
const codeLines = counts.reduce((sum, { code }) => sum + code, 0);
const commentLines = counts.reduce((sum, { comments }) => sum + comments, 0);
atMost('lines of code', codeLines, 49_103);
atMost('lines of comments for each line of code', Number((commentLines / codeLines).toFixed(3)), 0.35);
const shared = sharedNames(ofSource);
atMost('exported names that several files declare', shared.length, 10, shared);
const readByTests = readUnread({ withoutTests: true }).exports;
print('exports that only tests read', readByTests.length, readByTests);
print(
  'files with exactly one importer',
  alone.length,
  alone.map(({ path, lines }) => `${path} (${lines})`),
);
atMost(
  'longest list of imports',
  importCounts[0]?.[1] ?? 0,
  20,
  importCounts.filter(([, count]) => count > 20).map(named),
);

console.log('\nThe way of one MODIFIED event, from the socket to a subscriber of byIndex$');
const eventPath = readEventPath();
print(
  'files',
  eventPath.length,
  eventPath.map(({ file, functions }) => `${file}: ${functions.map((name) => name || 'anonymous').join(', ')}`),
);
atMost('functions', functionsOf(eventPath), 190);

const walk = walkFrom('src/sources/reflector/step.ts', 'step');
atMost('returns to a file that was read before, on the way of one input through the reflector', walk.returns, 15, [
  walk.stays.map((path) => path.replace(/^.*\//, '')).join(' → '),
]);

console.log('\nExports');
for (const { specifier } of entryPoints) {
  const names = surface.names.filter(({ entry }) => entry === specifier);
  const values = names.filter(({ isValue }) => isValue);
  const descriptors = values.filter(({ file }) => file.startsWith('src/kubernetes/resources/'));
  const others = values.filter((each) => !descriptors.includes(each)).map(({ name }) => name);
  const label = `${specifier}: values${descriptors.length > 0 ? ` besides ${descriptors.length} descriptors` : ''}`;
  if (specifier === 'rx-informers') atMost(label, others.length, 35, others);
  else print(label, others.length, others);
  const types = names.filter(({ isValue }) => !isValue).map(({ name }) => name);
  if (specifier === 'rx-informers') atMost('rx-informers: names', names.length, 110);
  print(`${specifier}: types`, types.length, types);
}
none('names that collide', collisionsOf(surface));
none('public names on no page of the documentation', undocumentedNames(surface));

console.log('\nErrors');
print(
  'codes',
  surface.errors.length,
  surface.errors.map(({ code }) => code),
);
none(
  'codes without documentation and what to do',
  surface.errors.filter(({ doc, whatToDo }) => doc === '' || whatToDo === '').map(({ code }) => code),
);
atMost('classes of errors', surface.errorClasses.length, 3, surface.errorClasses);
const page = existsSync(errorsPage) ? readFileSync(errorsPage, 'utf8') : '';
none(
  'codes that docs/reference/errors.md lacks',
  surface.errors.filter(({ code }) => !page.includes(`\`${code}\``)).map(({ code }) => code),
);

console.log(
  '\nBundles: code at the start (minified by esbuild, gzip, NODE_ENV=production, without peers, in kB of 1024 bytes)',
);
for (const bundle of bundles) {
  const { name, budget, goal } = bundle;
  const { kilobytes, lateKilobytes, minified, parts } = await sizeOf(bundle, {
    specifierOf: sourceOf,
    folder: projectRoot,
  });
  const details = parts.map(([path, bytes]) => `${String(bytes).padStart(6)} ${path}`);
  const size = Number(kilobytes.toFixed(1));
  const label = goal === undefined ? name : `${name} (goal ${goal}: ${(size - goal).toFixed(1)} over)`;
  atMost(label, size, budget, [`${minified} bytes minified`, ...details]);
  if (lateKilobytes > 0) print(`${name}: loads late`, Number(lateKilobytes.toFixed(1)));
}

const sizeOfKinds = async (names: string): Promise<number> => {
  const code: Bundle['code'] = (specifierOf) => `export { ${names} } from '${specifierOf('rx-informers/resources')}'`;
  return (await sizeOf({ name: names, code, budget: Infinity }, { specifierOf: sourceOf, folder: projectRoot }))
    .minified;
};
atMost('one more kind, in bytes', (await sizeOfKinds('pods, leases')) - (await sizeOfKinds('pods')), 150);

if (missed.length > 0) {
  console.log(`\n${missed.length} targets are missed:`);
  for (const line of missed) console.log(`  ${line}`);
}
process.exitCode = check && missed.length > 0 ? 1 : 0;

function atMost(what: string, count: number, most: number, names: readonly string[] = []): void {
  judge(what, count, `at most ${most}`, count <= most, names);
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

function print(what: string, count: number, names: readonly string[] = [], verdict = ''): void {
  console.log(`  ${what.padEnd(64)} ${String(count).padStart(5)}${verdict}`);
  if (list) for (const name of names) console.log(`      ${name}`);
}

function named([path, count]: readonly [string, number]): string {
  return `${path} (${count})`;
}
