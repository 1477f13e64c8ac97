import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { randomFromSeed } from 'rx-informers/testing/in-memory';
import { parseAllDocuments } from 'yaml';
import { seed, seedOf } from '../test/support/seed.js';
import { compareDefinition, type Definition } from './schema-compare/compare-definition.js';
import { everyKeyword } from './schema-compare/every-keyword.js';
import { Table } from './schema-compare/table.js';
import { embeddedServer, realServer } from './schema-compare/two-servers.js';

/*
 * Compares how the embedded API server and a real one validate custom resources:
 *
 *   npm run task -- schema:compare --rig ../shared/rig --definitions ../shared/crds --objects 1000
 *
 * For each CustomResourceDefinition without rules in CEL, and for one with every keyword, random
 * objects are created and updated on both servers, as dry runs. Half of the objects are broken at
 * a random keyword. `SEED` chooses other objects. Verdict, causes, paths, defaults and wording
 * must be equal. `--cel` takes the definitions with rules instead, and counts what these alone
 * refuse. `--differences FILE` writes each difference to a file.
 */
const { values } = parseArgs({
  options: {
    rig: { type: 'string', default: '../shared/rig' },
    run: { type: 'string' },
    definitions: { type: 'string', default: '../shared/crds' },
    objects: { type: 'string', default: '50' },
    only: { type: 'string', default: '' },
    differences: { type: 'string' },
    cel: { type: 'boolean', default: false },
  },
});

const work = mkdtempSync(join(tmpdir(), 'schema-compare-'));
const run = values.run ?? join(work, 'rig');
if (values.run === undefined) {
  execFileSync(join(values.rig, 'install.sh'), { stdio: 'inherit' });
  execFileSync(join(values.rig, 'up.sh'), ['--detach', '--run-dir', run], { stdio: 'inherit' });
}
try {
  const random = randomFromSeed(seedOf('schema:compare'));
  const table = new Table();
  const servers = { real: realServer(run), embedded: embeddedServer() };
  const chosen = readDefinitions(values.definitions)
    .filter((definition) => JSON.stringify(definition).includes('x-kubernetes-validations') === values.cel)
    .filter(({ metadata }) => metadata.name.includes(values.only));
  const all = values.cel ? chosen : [everyKeyword, ...chosen];
  for (const definition of all) {
    const isFirst = definition === everyKeyword;
    const objects = isFirst ? Math.max(100, Number(values.objects) * 6) : Number(values.objects);
    await compareDefinition(servers, definition, { objects, random, table });
  }
  console.log(`${all.length} definitions, ${values.objects} objects each, with SEED=${seed}`);
  table.print();
  if (values.differences !== undefined) writeFileSync(values.differences, table.differences.join('\n'));
  if (!table.isGood(values.cel)) process.exitCode = 1;
} finally {
  if (values.run === undefined) execFileSync(join(values.rig, 'up.sh'), ['--down', run]);
  rmSync(work, { recursive: true, force: true });
}
process.exit();

function readDefinitions(folder: string): readonly Definition[] {
  const archive = join(folder, 'crds.tar.xz');
  if (existsSync(archive)) execFileSync('tar', ['-xJf', archive, '-C', work]);
  const source = existsSync(archive) ? work : folder;
  const documents = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .sort()
    .filter((name) => /\.ya?ml$/.test(name))
    .flatMap((name) =>
      parseAllDocuments(readFileSync(join(source, name), 'utf8')).map((each) => each.toJS() as Definition),
    );
  const definitions = documents.filter((each) => (each as Definition | null)?.kind === 'CustomResourceDefinition');
  return [...new Map(definitions.map((each) => [each.metadata.name, each])).values()];
}
