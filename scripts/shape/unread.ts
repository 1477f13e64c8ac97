import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { commandSource, entryPoints, projectRoot } from '../project/entry-points.js';

/** What no other file reads. */
export interface Unread {
  /** The exports that no file reads, as `src/store/delta.ts name`. */
  readonly exports: readonly string[];
  /** The files that no program, test or entry point imports. */
  readonly files: readonly string[];
}

interface Report {
  readonly issues: readonly {
    readonly file: string;
    readonly exports: readonly { readonly name: string }[];
    readonly types: readonly { readonly name: string }[];
    readonly files: readonly unknown[];
  }[];
}

/** The programs and tests of the repository. What only they read has a reader. */
const programs = [
  'test/**/*.{ts,tsx}',
  'examples/**/*.ts',
  'apps/*/{page,server,demo-cluster,scripts,test}/**/*.{ts,tsx}',
  'apps/*/*.config.ts',
  'site/{.vitepress,playground,scripts,test}/**/*.ts',
  'scripts/*.{ts,js,mjs}',
  'scripts/{ci,soak}/main.ts',
  'scripts/event-path/{client,server}.ts',
  'scripts/test/**/*.ts',
  'bench/main.ts',
  'bench/run/contestant-process.ts',
  'bench/server/main.ts',
  'bench/studies/*.ts',
  'bench/studies/hub/*.ts',
  'bench/test/**/*.ts',
  '*.config.{ts,js}',
];

/**
 * Finds the exports of src, scripts and bench that no other file reads, with knip. A type in the
 * signature of an export that is read counts as read.
 *
 * @param options.withoutTests counts only the readers in src, and looks only for exports of src
 */
export function readUnread({ withoutTests = false }: { withoutTests?: boolean } = {}): Unread {
  const folder = `${projectRoot}temp`;
  mkdirSync(folder, { recursive: true });
  const config = `${folder}/knip.json`;
  const sources = ['src/**/*.{ts,tsx}', '!src/sources/wire/assembly/**'];
  writeFileSync(
    config,
    JSON.stringify({
      entry: [commandSource, ...entryPoints.map(({ source }) => source), ...(withoutTests ? [] : programs)],
      project: withoutTests ? sources : [...sources, '{scripts,bench}/**/*.ts'],
      paths: { 'rx-informers': ['./src/index.ts'], 'rx-informers/*': ['./src/*.ts', './src/*/index.ts'] },
      // Only the entries above count, not those that knip finds in the configurations of tools.
      ...Object.fromEntries(['jest', 'oxlint', 'tsup', 'vite', 'vitest', 'tsx'].map((plugin) => [plugin, false])),
    }),
  );
  const parameters = ['--config', config, '--include', 'exports,types,files', '--reporter', 'json', '--no-exit-code'];
  const output = execFileSync(
    process.execPath,
    [`${projectRoot}scripts/node_modules/knip/bin/knip.js`, ...parameters, '--no-progress', '--no-config-hints'],
    { cwd: projectRoot, encoding: 'utf8', maxBuffer: 2 ** 28 },
  );
  const { issues } = JSON.parse(output) as Report;
  const named = issues.flatMap(({ file, exports, types }) =>
    [...exports, ...types].map(({ name }) => `${file} ${name}`),
  );
  return { exports: named, files: issues.filter(({ files }) => files.length > 0).map(({ file }) => file) };
}
