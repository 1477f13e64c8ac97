/**
 * Writes `src/testing/api-server/schema/built-in-types.ts`, the fields of the kinds that the embedded API server serves.
 *
 *     npx tsx scripts/generate-built-in-types.ts             writes the file
 *     npx tsx scripts/generate-built-in-types.ts --check     changes nothing; fails if the file is not what would be written
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { builtInResources } from '../src/testing/api-server/resources/built-in-resources.js';
import { clientNodeKinds } from './resources/client-node-kinds.js';
import { clientNodeTypes } from './resources/client-node-types.js';

const file = fileURLToPath(new URL('../src/testing/api-server/schema/built-in-types.ts', import.meta.url));
const { values: flags } = parseArgs({ options: { check: { type: 'boolean' } } });
const served = new Set(builtInResources.map(({ group, version, plural }) => `${group}/${version}/${plural}`));
const kinds = clientNodeKinds().filter(({ group, version, plural }) => served.has(`${group}/${version}/${plural}`));
const lines = await clientNodeTypes(kinds.map(({ type }) => type));
const text = `/**
 * The types that objects of built-in kinds are made of: a line for each type, with its fields as \`name:type\`.
 * \`!\` marks a required field, \`[]\` a list and \`{}\` a map. \`builtInSchema\` reads it.
 *
 * Written by scripts/generate-built-in-types.ts from the types of @kubernetes/client-node.
 */
export const builtInTypes = \`
${lines.join('\n')}
\`;
`;

if (flags.check !== true) writeFileSync(file, text);
else if (readFileSync(file, 'utf8') !== text) {
  process.stderr.write(`${file} is not up to date; run npx tsx scripts/generate-built-in-types.ts\n`);
  process.exitCode = 1;
}
