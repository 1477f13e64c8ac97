import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { KubernetesObject } from 'rx-informers';
import { randomFromSeed } from 'rx-informers/testing/in-memory';
import { parseAllDocuments } from 'yaml';
import type { Definition } from '../src/types/types-of.js';
import { seedOf } from '../test/support/seed.js';
import { projectRoot } from './project/entry-points.js';
import { compile, type TypedValue } from './types-of-crds/compile.js';
import { faults, mutate, pick, sitesOf, type Fault } from './types-of-crds/mutants.js';
import { serverJudge, type Candidate } from './types-of-crds/server.js';

/*
 * Measures `rx-informers types` on CustomResourceDefinitions and objects of their kinds:
 *
 *   npm run task -- types:check FOLDER --kubeconfig FILE
 *
 * FOLDER contains both, as YAML or JSON, in any subfolders. The API server of the kubeconfig
 * decides which objects are valid. It gets the definitions, and stores no object. Without a
 * kubeconfig, all objects count as valid. All modules and all valid objects must compile. The
 * compiler must refuse 95 % of the mutants, which are valid objects with one fault. `SEED` chooses
 * other mutants.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kubeconfig: { type: 'string' },
    mutants: { type: 'string', default: '1000' },
  },
});
const [folder] = positionals;
if (folder === undefined) throw new Error('name the folder with definitions and objects');

const output = join(projectRoot, 'temp/types-of-crds');
rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });
const processor = generate(folder);

const documents = readDocuments(folder);
const definitions = documents.filter(({ kind }) => kind === 'CustomResourceDefinition') as unknown as Definition[];
const kinds = new Map(definitions.flatMap(versionsOf));
const types = generatedTypes();
const candidates = documents.flatMap((object): readonly Candidate[] => {
  const definition = kinds.get(`${object.apiVersion ?? ''} ${object.kind ?? ''}`);
  return definition === undefined ? [] : [{ object, definition }];
});

const unique = [...new Map(definitions.map((each) => [each.spec.names.plural + each.spec.group, each])).values()];
const judge = values.kubeconfig === undefined ? undefined : await serverJudge(values.kubeconfig, unique);
const refusals = (await judge?.refusals(candidates)) ?? candidates.map(() => undefined);
const valid = candidates.filter((_candidate, i) => refusals[i] === undefined);
const mutants = await createMutants(Number(values.mutants));
judge?.close();

const compiled = compile(
  output,
  [...new Set(types.values())].map(({ module }) => module),
  [...valid, ...mutants].map(typed),
);
const problems = compiled.problems.slice(0, valid.length);
const accepted = new Map<string, { objects: number; valid: number; compiled: number }>();
for (const { definition } of candidates) groupOf(definition).objects++;
valid.forEach(({ definition }, i) => {
  const group = groupOf(definition);
  group.valid++;
  if (problems[i] === undefined) group.compiled++;
});
console.table(Object.fromEntries(accepted));
valid.forEach(({ object }, i) => {
  if (problems[i] !== undefined) console.error(`${object.kind ?? ''} ${object.metadata?.name ?? ''}: ${problems[i]}`);
});
for (const error of compiled.errors) console.error(error);

const refused = mutants.map((mutant, i) => ({
  ...mutant,
  isRefused: compiled.problems[valid.length + i] !== undefined,
}));
for (const fault of faults) {
  const all = refused.filter((mutant) => mutant.fault === fault);
  console.log(`mutants, ${fault}: ${all.filter(({ isRefused }) => isRefused).length} of ${all.length} refused`);
}
const missed = refused.filter(({ isRefused }) => !isRefused);
for (const { object, fault, path } of missed.slice(0, 20))
  console.log(`not refused: ${object.kind ?? ''} ${path}: ${fault}`);
const share = 1 - missed.length / mutants.length;
console.log(`${(100 * share).toFixed(1)} % of ${mutants.length} mutants refused`);
console.log(`${types.size} versions of ${unique.length} kinds, ${processor.toFixed(1)} s of processor`);
if (compiled.errors.length > 0 || problems.some((each) => each !== undefined) || share < 0.95 || processor > 5)
  process.exitCode = 1;

/** Runs the built command, and returns the seconds of processor that it took. */
function generate(from: string): number {
  const report = `process.on('exit', () => { const { user, system } = process.cpuUsage(); console.error('processor ' + (user + system)); });`;
  const hook = `data:text/javascript,${encodeURIComponent(report)}`;
  const command = ['--import', hook, join(projectRoot, 'dist/command.js'), 'types', from, '-o', output];
  const { stderr } = spawnSync(process.execPath, command, { encoding: 'utf8', maxBuffer: 2 ** 28 });
  const [lines = '', microseconds] = stderr.split('processor ');
  process.stderr.write(lines);
  return Number(microseconds) / 1e6;
}

function readDocuments(path: string): readonly KubernetesObject[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .sort()
    .filter((name) => /\.(ya?ml|json)$/.test(name))
    .flatMap((name) => parseAllDocuments(readFileSync(join(path, name), 'utf8')).map((each) => each.toJS() as unknown))
    .filter((document) => typeof document === 'object' && document !== null);
}

function versionsOf(definition: Definition): readonly (readonly [string, Definition])[] {
  const { group, names, versions } = definition.spec;
  return versions.map(({ name }) => [`${group}/${name} ${names.kind}`, definition]);
}

/** Returns module and interface of each kind. */
function generatedTypes(): ReadonlyMap<string, Omit<TypedValue, 'value'>> {
  const beginning = /^export interface (.+) \{\n {2}readonly apiVersion: '(.+)';\n {2}readonly kind: '(.+)';$/gm;
  return new Map(
    readdirSync(output).flatMap((file) =>
      [...readFileSync(join(output, file), 'utf8').matchAll(beginning)].map(
        ([, type = '', apiVersion = '', kind = '']) =>
          [`${apiVersion} ${kind}`, { module: file.replace(/\.ts$/, ''), type }] as const,
      ),
    ),
  );
}

function typed({ object }: Candidate): TypedValue {
  const type = types.get(`${object.apiVersion ?? ''} ${object.kind ?? ''}`);
  if (type === undefined)
    throw new Error(`there is no interface for ${object.kind ?? ''} of ${object.apiVersion ?? ''}`);
  return { ...type, value: object };
}

function groupOf({ spec }: Definition): { objects: number; valid: number; compiled: number } {
  const counts = accepted.get(spec.group) ?? { objects: 0, valid: 0, compiled: 0 };
  accepted.set(spec.group, counts);
  return counts;
}

interface Mutant extends Candidate {
  readonly fault: Fault;
  readonly path: string;
}

/** Creates mutants of valid objects. With a server, only those count that the server refuses. */
async function createMutants(count: number): Promise<readonly Mutant[]> {
  const random = randomFromSeed(seedOf('types:check'));
  const mutable = valid.map((candidate) => ({ ...candidate, sites: sitesOf(candidate.object, schemaOf(candidate)) }));
  const found: Mutant[] = [];
  while (found.length < count) {
    const drawn = Array.from({ length: count - found.length }, (): Mutant => {
      const fault = pick(faults, random);
      const possible = mutable.filter(({ sites }) => sites.some((site) => site.fault === fault));
      const { object, definition, sites } = pick(possible, random);
      const site = pick(
        sites.filter((each) => each.fault === fault),
        random,
      );
      return { object: mutate(object, site, random), definition, fault, path: site.path.join('.') };
    });
    const reasons = (await judge?.refusals(drawn)) ?? drawn.map(() => '');
    found.push(...drawn.filter((_mutant, i) => reasons[i] !== undefined));
  }
  return found;
}

function schemaOf({ object: { apiVersion = '' }, definition: { spec } }: Candidate): object {
  const version = spec.versions.find(({ name }) => apiVersion === `${spec.group}/${name}`);
  return version?.schema?.openAPIV3Schema ?? {};
}
