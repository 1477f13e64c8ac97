import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { projectRoot } from '../../project/entry-points.js';

/** Faults, each in a file in which it must be found: the rule, the path and the code. */
const faults: readonly (readonly [rule: string, path: string, code: string])[] = [
  // Layers.
  ['no-restricted-imports', 'src/store/a-room-above.ts', "import '../informer/informer.js';"],
  ['no-restricted-imports', 'src/derived/another-house.ts', "import '../controller/controller.js';"],
  ['no-restricted-imports', 'src/sources/wire/a-floor-above.ts', "import '../reflector/step.js';"],
  ['no-restricted-imports', 'src/store/an-observable.ts', "import { map } from 'rxjs';\nexport const a = map;"],
  [
    'no-restricted-imports',
    'src/queries/node.ts',
    "import { readFileSync } from 'node:fs';\nexport const a = readFileSync;",
  ],
  ['no-restricted-imports', 'src/informer/tests.ts', "import '../../test/fixtures/pods.js';"],
  ['no-restricted-imports', 'apps/shop/page/internals.ts', "import '../../../src/store/model.js';"],
  ['no-restricted-imports', 'examples/demo/outside.ts', "import '../other/main.js';"],
  // Packages.
  ['declared-packages', 'src/informer/foreign.ts', "import 'lodash';"],
  ['declared-packages', 'examples/demo/foreign.ts', "import 'lodash';"],
  // Time, randomness and seeds.
  ['injected-time', 'src/store/clock.ts', 'export const now = Date.now();'],
  ['injected-time', 'src/store/timer.ts', 'setTimeout(() => undefined, 1);'],
  ['injected-randomness', 'src/store/random.ts', 'export const chance = Math.random();'],
  ['fixed-seeds', 'test/store/random.ts', 'export const chance = Math.random();'],
  ['fixed-seeds', 'scripts/soak/clock.ts', 'export const seed = Date.now();'],
  // RxJS.
  ['rxjs', 'src/informer/async.ts', 'export const a = (b$: any) => b$.subscribe(async () => undefined);'],
  ['rxjs', 'src/informer/take-until.ts', 'export const a = (b$: any) => b$.pipe(takeUntil(b$), map(String));'],
  ['rxjs', 'src/informer/deep.ts', "import { map } from 'rxjs/operators';\nexport const a = map;"],
  [
    'no-nested-subscribe',
    'src/informer/nested.ts',
    'export const a = (b$: any) => b$.subscribe(() => b$.subscribe());',
  ],
  ['no-redundant-notify', 'src/informer/twice.ts', 'export function a(b: any) { b.complete(); b.next(1); }'],
  ['unknown-errors', 'src/informer/any.ts', 'export const a = (b$: any) => b$.pipe(catchError((error) => error));'],
  // Words and comments.
  ['plain-names', 'src/store/names.ts', 'export const toldAll = 1;'],
  ['comment-width', 'src/store/wide.ts', `// ${'word '.repeat(24)}\nexport const a = 1;`],
  [
    'check-param-names',
    'src/store/params.ts',
    '/**\n * Returns it.\n *\n * @param b it\n */\nexport const a = (c: number) => c;',
  ],
  ['require-jsdoc', 'src/informer/public.ts', 'export function pods() { return 1; }'],
  ['match-description', 'src/informer/verb.ts', '/** Whether it is so. */\nexport function pods() { return 1; }'],
  // Form.
  [
    'import-order',
    'src/informer/order.ts',
    "import { b } from './b.js';\nimport { a } from './a.js';\nexport const c = a + b;",
  ],
  [
    'derived-namespace',
    'test/derived/names.ts',
    "import { filter } from 'rx-informers/derived';\nexport const a = filter;",
  ],
  ['exact-options', 'src/informer/options.ts', 'export interface AOptions { readonly a?: number }'],
  ['no-default-export', 'src/store/default.ts', 'export default 1;'],
  ['no-console', 'src/store/console.ts', "console.log('');"],
  ['no-focused-tests', 'test/store/focused.test.ts', "it.only('is', () => { expect(1).toBe(1); });"],
  ['expect-expect', 'test/store/nothing.test.ts', "it('is', () => undefined);"],
  ['rules-of-hooks', 'src/react/hook.ts', 'export function Row(a: boolean) { if (a) useState(1); }'],
];

describe('oxlint', () => {
  let folder = '';
  let found: ReadonlySet<string> = new Set();
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'rx-informers-lint-'));
    const write = (path: string, text: string): void => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    };
    for (const path of ['oxlint.config.js', 'package.json', 'scripts/lint', 'scripts/project'])
      cpSync(projectRoot + path, join(folder, path), { recursive: true });
    symlinkSync(`${projectRoot}scripts/node_modules`, join(folder, 'scripts/node_modules'));
    write('src/index.ts', "export { pods } from './informer/public.js';\n");
    write('examples/demo/package.json', '{}');
    for (const [, path, code] of faults) write(path, `${code}\n`);
    // These faults are found without types, which this folder has not.
    write(
      'syntax.config.js',
      "import config from './oxlint.config.js';\nexport default { ...config, options: { ...config.options, typeAware: false } };\n",
    );
    const program = join(folder, 'scripts/node_modules/oxlint/bin/oxlint');
    const options = ['--config', 'syntax.config.js', '--format', 'json'];
    const folders = ['src', 'test', 'scripts/soak', 'apps', 'examples'];
    const { stdout } = spawnSync(process.execPath, [program, ...options, ...folders], {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    });
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: readonly { code?: string; filename: string }[] };
    found = new Set(diagnostics.map(({ code = '', filename }) => `${/\((.*)\)/.exec(code)?.[1] ?? code} ${filename}`));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(faults)('finds the fault %s planted in %s', (rule, path) => {
    expect([...found]).toContain(`${rule} ${path}`);
  });
});
