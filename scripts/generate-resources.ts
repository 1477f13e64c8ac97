/**
 * Writes everything that this library knows about the kinds that are built into Kubernetes: their
 * descriptors, and the table of the embedded API server. A new kind appears after an update of
 * client-node and a run of this script. Before that, add its short names and other traits, if it
 * has any, to scripts/resources/traits.ts.
 *
 *     npx tsx scripts/generate-resources.ts           writes the files
 *     npx tsx scripts/generate-resources.ts --check   writes nothing; fails if a file is not up to date
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { format } from 'oxfmt';
import { projectRoot } from './project/entry-points.js';
import { clientNodeKinds } from './resources/kinds.js';
import { nameKinds } from './resources/names.js';
import { renderDescriptors } from './resources/render-descriptors.js';
import { renderServedKinds } from './resources/render-served-kinds.js';

const { values: flags } = parseArgs({ options: { check: { type: 'boolean' } } });
const kinds = nameKinds(clientNodeKinds());
const modules: Readonly<Record<string, string>> = {
  'src/kubernetes/resources/everyday.ts': renderDescriptors(kinds.filter(({ isEveryday }) => isEveryday)),
  'src/kubernetes/resources/other.ts': renderDescriptors(kinds.filter(({ isEveryday }) => !isEveryday)),
};

const files: Record<string, string> = {
  'src/testing/api-server/resources/built-in-kinds.json': await renderServedKinds(kinds),
};
for (const [file, source] of Object.entries(modules))
  files[file] = (await format(file, source, { singleQuote: true, printWidth: 320 })).code;

for (const [file, text] of Object.entries(files)) {
  const path = projectRoot + file;
  if (flags.check !== true) writeFileSync(path, text);
  else if (readFileSync(path, 'utf8') !== text) {
    process.stderr.write(`${file} is not up to date; run npx tsx scripts/generate-resources.ts\n`);
    process.exitCode = 1;
  }
}
