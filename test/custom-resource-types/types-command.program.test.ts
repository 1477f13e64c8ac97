import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApiServer } from 'rx-informers/testing';
import { stringify } from 'yaml';
import { compile } from '../../scripts/types-of-crds/compile.js';
import type { Schema } from '../../src/types/schema-type.js';
import { typesCommand } from '../../src/types/types-command.js';
import { aDefinition, widgets } from './definitions.js';

let folder: string;

beforeEach(() => {
  // Within the project, so that the compiler finds its packages.
  mkdirSync('temp', { recursive: true });
  folder = mkdtempSync(join(process.cwd(), 'temp/types-command-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Writes files, and runs the command with `ARGS -o out`. */
async function run(files: Readonly<Record<string, string>>, args: readonly string[] = ['types', folder]) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const printed: string[] = [];
  const errors: string[] = [];
  const output = { log: (line: string) => printed.push(line), error: (line: string) => errors.push(line) };
  const exitCode = await typesCommand([...args, '-o', join(folder, 'out')], output);
  const inFolder = (line: string): string => line.replaceAll(`${folder}/`, '');
  return { exitCode, printed: printed.map(inFolder), errors: errors.map(inFolder) };
}

describe('rx-informers types', () => {
  it('reads YAML with several documents, lists, and JSON, in all subfolders', async () => {
    const list = { apiVersion: 'v1', kind: 'List', items: [aDefinition({ kind: 'C' }), { kind: 'ConfigMap' }] };
    const files = {
      'crds/all.yaml': `# CRDs\n---\n${stringify(aDefinition({ kind: 'A' }))}---\n---\n${stringify({ kind: 'Service' })}--- # next\n${stringify(aDefinition({ kind: 'B' }))}`,
      'list.yml': stringify(list),
      'd.json': JSON.stringify(aDefinition({ kind: 'D' })),
      'node_modules/x/crd.yaml': stringify(aDefinition({ kind: 'E' })),
      'readme.txt': 'CustomResourceDefinition',
    };
    expect(await run(files)).toEqual({
      exitCode: 0,
      printed: ['out/as.example.com.ts', 'out/bs.example.com.ts', 'out/ds.example.com.ts', 'out/cs.example.com.ts'],
      errors: [],
    });
  });

  it('leaves out other objects, templates, and patches of definitions', async () => {
    const patch = {
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.com' },
      spec: { conversion: {} },
    };
    const files = {
      'template.yaml': '{{ if .Values.enabled }}\nkind: Service\n{{ end }}',
      'patch.yaml': stringify(patch),
      'crd.yaml': stringify(aDefinition()),
    };
    expect(await run(files)).toEqual({ exitCode: 0, printed: ['out/widgets.example.com.ts'], errors: [] });
  });

  it('names a file that it cannot read, and writes the types of the others', async () => {
    const files = {
      'a.yaml': '{{ if }}\nkind: CustomResourceDefinition\n{{ end }}',
      'b.yaml': stringify(aDefinition()),
      'c.yaml': stringify(aDefinition({ group: 'a b' })),
    };
    const { exitCode, printed, errors } = await run(files);
    expect(exitCode).toBe(1);
    expect(printed).toEqual(['out/widgets.example.com.ts']);
    expect(errors).toEqual([expect.stringMatching(/^a\.yaml: /), expect.stringMatching(/^c\.yaml: invalid resource/)]);
  });

  it('accepts the same definition twice, and reports two that differ', async () => {
    const files = { 'a.yaml': stringify(aDefinition()), 'b.yaml': stringify(aDefinition()) };
    expect(await run(files)).toMatchObject({ exitCode: 0, errors: [] });
    expect(await run({ 'c.yaml': stringify(widgets({ type: 'string' })) })).toMatchObject({
      exitCode: 1,
      errors: ['c.yaml: widgets.example.com has another definition, too'],
    });
  });

  it.each([
    ['without a file', ['types']],
    ['without a command', []],
    ['with two files', ['types', 'a', 'b']],
    ['with a file and a context', ['types', 'a', '--context', 'b']],
  ])('prints its usage %s', async (_what, args) => {
    expect(await run({}, args)).toMatchObject({ exitCode: 1, errors: [expect.stringMatching(/^Usage: /)] });
  });

  it('reports a folder without definitions, and one that does not exist', async () => {
    expect(await run({})).toMatchObject({
      exitCode: 1,
      errors: [expect.stringMatching(/^no CustomResourceDefinition/)],
    });
    expect(await run({}, ['types', join(folder, 'x')])).toMatchObject({
      exitCode: 1,
      errors: [expect.stringMatching(/no such file or directory/)],
    });
  });

  it('reads the definitions from the cluster of a context', async () => {
    const server = await createApiServer();
    server.apply(aDefinition());
    const before = process.env['KUBECONFIG'];
    process.env['KUBECONFIG'] = join(folder, 'kubeconfig');
    try {
      const files = { kubeconfig: server.kubeconfig() };
      expect(await run(files, ['types', '--context', server.kubeConfigObject()['current-context']])).toEqual({
        exitCode: 0,
        printed: ['out/widgets.example.com.ts'],
        errors: [],
      });
      expect(await run({}, ['types', '--context', 'missing'])).toMatchObject({
        exitCode: 1,
        errors: [expect.stringMatching(/missing/)],
      });
    } finally {
      if (before === undefined) delete process.env['KUBECONFIG'];
      else process.env['KUBECONFIG'] = before;
      await server.close();
    }
  });

  it('writes modules that compile, and whose types accept valid objects and refuse others', async () => {
    const text: Schema = { type: 'string' };
    let deep = text;
    for (let i = 0; i < 60; i++) deep = { type: 'object', required: ['a'], properties: { a: deep } };
    const spec: Schema = {
      type: 'object',
      required: ['mode'],
      properties: {
        mode: { type: 'string', enum: ['a', 'b'] },
        port: { 'x-kubernetes-int-or-string': true },
        rank: { enum: [1, null], nullable: true },
        $ref: { ...text, description: '*/ }' },
        'a-b\n"\'': text,
        constructor: text,
        open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        labels: { type: 'object', additionalProperties: text },
        template: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
        replicas: { type: 'integer', default: 1 },
        deep,
      },
    };
    const kinds = [
      'Event',
      'Error',
      'Object',
      'Array',
      'Record',
      'Promise',
      'ObjectMeta',
      'Resource',
      'Export',
      'Widget',
    ];
    const definitions = [
      ...kinds.map((kind) => aDefinition({ kind, schema: { type: 'object', properties: { spec } } })),
      aDefinition({ group: 'other.example.com', scope: 'Cluster', versions: ['v1', 'v1beta1'], schema: null }),
      aDefinition({ kind: 'lower', plural: 'lower', schema: { type: 'object' } }),
    ];
    const { printed, errors } = await run({ 'all.json': JSON.stringify({ items: definitions }) });
    expect(errors).toEqual([]);

    // The objects of an informer have the metadata that the server sets.
    const program = `import { informer, type KubeClient } from 'rx-informers';
import { widgets } from './widgets.example.com.js';
declare const client: KubeClient;
export const names: readonly string[] = informer(client, widgets).list().map(({ metadata }) => metadata.namespace + metadata.uid);
`;
    writeFileSync(join(folder, 'out/program.ts'), program);

    const modules = readdirSync(join(folder, 'out')).map((file) => file.replace(/\.ts$/, ''));
    expect(modules).toHaveLength(printed.length + 1);
    const value = (stated: object, group = 'example.com') => ({
      module: `widgets.${group}`,
      type: 'Widget',
      value: { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'a', creationTimestamp: null }, ...stated },
    });
    const valid = [
      value({}),
      value({ spec: { mode: 'a', port: 'http', rank: null, $ref: 'x', 'a-b\n"\'': 'x', constructor: 'x' } }),
      value({ spec: { mode: 'a', port: 80, open: { a: [1] }, labels: { a: 'b' } } }),
      value({ spec: { mode: 'b', template: { apiVersion: 'v1', kind: 'Pod', spec: {} } } }),
      value({ anything: [1] }, 'other.example.com'),
    ];
    const invalid = [
      { apiVersion: 'example.com/v2' },
      { metadata: { name: 1 } },
      { other: 1 },
      { spec: {} },
      { spec: 'text' },
      { spec: { mode: 'c' } },
      { spec: { mode: 'a', port: true } },
      { spec: { mode: 'a', rank: 2 } },
      { spec: { mode: 'a', $ref: 1 } },
      { spec: { mode: 'a', open: 'text' } },
      { spec: { mode: 'a', labels: { a: 1 } } },
      { spec: { mode: 'a', template: { apiVersion: 'v1' } } },
      { spec: { mode: 'a', replicas: '1' } },
      { spec: { mode: 'a', deep: {} } },
    ].map((stated) => value(stated));
    const compiled = compile(join(folder, 'out'), modules, [...valid, ...invalid]);
    expect(compiled.errors).toEqual([]);
    const results = compiled.problems.map((problem) => problem === undefined);
    expect(results).toEqual([...valid.map(() => true), ...invalid.map(() => false)]);
  });
});

describe('the types of the website operator', () => {
  it('are those of its CustomResourceDefinition', async () => {
    await run({}, ['types', 'examples/website-operator/website-crd.yaml']);
    const [generated, committed] = [join(folder, 'out'), 'examples/website-operator'].map((each) =>
      readFileSync(join(each, 'websites.example.com.ts'), 'utf8'),
    );
    expect(generated).toBe(committed);
  });
});

describe('the guide about custom resources', () => {
  it('shows what the command writes', async () => {
    const guide = readFileSync('docs/how-to/custom-resources.md', 'utf8');
    const [, definition = ''] = /```yaml\n([^]*?)```/.exec(guide) ?? [];
    const [, shown] = /```ts\n\/\/ widgets\.example\.com\.ts\n([^]*?)```/.exec(guide) ?? [];
    await run({ 'widgets.yaml': definition });
    expect(readFileSync(join(folder, 'out/widgets.example.com.ts'), 'utf8')).toBe(shown);
  });
});
