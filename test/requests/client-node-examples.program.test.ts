import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { bundledProgram } from '../support/bundled-program.js';

// Runs the blocks of docs/how-to/client-node-examples.md, one after the other, in one process.
const folder = 'temp/client-node-examples';
const blocks = [
  ...readFileSync('docs/how-to/client-node-examples.md', 'utf8').matchAll(/^```ts.*?\n(.*?)^```$/gms),
].map(([, code = '']) => code);
const main = `
import { aConfigMap, aDeployment, aNamespace, aNode, aPod, createInMemoryApiServer } from 'rx-informers/testing/in-memory';
import { resource } from 'rx-informers';

const websites = resource({ group: 'example.com', version: 'v1', plural: 'websites', kind: 'Website', namespaced: true });
const server = createInMemoryApiServer({
  resources: [websites],
  podLogs: () => ({ lines: [{ time: 0, text: 'hello' }] }),
  containerUsage: () => ({ cpu: 0.25, memory: 64 * 2 ** 20 }),
});
server.apply([
  aNamespace({ name: 'shop' }),
  aNode({ name: 'worker-1' }),
  aPod({ name: 'web-1', namespace: 'shop', node: 'worker-1', phase: 'Running' }),
  aDeployment({ name: 'web', namespace: 'shop', replicas: 1 }),
]);
globalThis.client = server.client;

const printed = [];
const { log } = console;
console.log = (line) => {
  printed.push(line);
  log(line);
};
`;

/** What the blocks print; some of them later than the blocks after them. */
const lines = [
  'Added: web-1',
  '1 pods; web-1 is Running',
  'LISTED shop',
  'Updated: web-1',
  'patched: bar',
  'applied: settings',
  'replicas: 3',
  'log: hello',
  'node worker-1: 250000000n, 65536Ki',
  'pod web-1/main: 250000000n, 65536Ki',
  'website: blog.example.com',
  'old: web-1',
  'after stop: 1',
];
const end = `
let missing = ${JSON.stringify(lines)};
while ((missing = missing.filter((line) => !printed.includes(line))).length > 0) await new Promise(setImmediate);
process.exit();
`;

it('does what the examples of client-node do, with the code of the page', async () => {
  mkdirSync(folder, { recursive: true });
  const names = blocks.map((code, n) => /^\/\/ (\S+)\.ts\n/.exec(code)?.[1] ?? `block-${n}`);
  blocks.forEach((code, n) => writeFileSync(`${folder}/${names[n]}.ts`, `export {};\n${code}`));
  const imports = names.map((name) => `await import('./${name}.js');\n`);
  writeFileSync(`${folder}/main.ts`, main + imports.join('') + end);

  // The program ends when it has printed all lines.
  const program = promisify(execFile)(process.execPath, [bundledProgram(`${folder}/main.ts`)], { timeout: 25_000 });

  await expect(program).resolves.toMatchObject({ stderr: '' });
  const { stdout } = await program;
  expect(stdout.split('\n')).toEqual(expect.arrayContaining(lines));
}, 30_000);
