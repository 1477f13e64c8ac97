/**
 * Writes `src/kubernetes/resources/`, the descriptors of all kinds that are built into Kubernetes.
 *
 *     npx tsx scripts/generate-resources.ts             writes the files
 *     npx tsx scripts/generate-resources.ts --check     changes nothing; fails where a file is not what would be written
 *     npx tsx scripts/generate-resources.ts --exports   prints the export statements of src/index.ts
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { clientNodeKinds } from './resources/client-node-kinds.js';
import { nameKinds } from './resources/names.js';
import { renderExports, renderFiles } from './resources/render.js';

const folder = fileURLToPath(new URL('../src/kubernetes/resources/', import.meta.url));
const { values: flags } = parseArgs({ options: { check: { type: 'boolean' }, exports: { type: 'boolean' } } });
const kinds = nameKinds(clientNodeKinds());

if (flags.exports) process.stdout.write(await renderExports(kinds));
else if (flags.check) check(await renderFiles(kinds));
else write(await renderFiles(kinds));

function check(files: ReadonlyMap<string, string>): void {
  const present = new Map(readdirSync(folder).map((file) => [file, readFileSync(folder + file, 'utf8')]));
  const wrong = [...new Set([...files.keys(), ...present.keys()])].filter(
    (file) => files.get(file) !== present.get(file),
  );
  if (wrong.length === 0) return;
  process.stderr.write(
    `not up to date in src/kubernetes/resources: ${wrong.join(', ')}; run npx tsx scripts/generate-resources.ts\n`,
  );
  process.exitCode = 1;
}

function write(files: ReadonlyMap<string, string>): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of files) writeFileSync(folder + file, text);
}
