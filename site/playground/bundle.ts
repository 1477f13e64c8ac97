import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { entryPoints, projectRoot } from '../../scripts/project/entry-points.js';
import type { ModuleTexts } from './protocol.js';

/** The modules of the sandbox as source texts. */
export interface SandboxBundle {
  /**
   * The modules that every program needs: rxjs, the root entry point, the API server in memory, and
   * the runtime.
   */
  readonly base: ModuleTexts;
  readonly extras: readonly Extra[];
}

/** An entry point that is loaded only if a program uses it. */
export interface Extra {
  /** The specifier, for example `rx-informers/controller`. */
  readonly specifier: string;
  /** The name of its own module among `modules`. */
  readonly module: string;
  /** The modules that it needs in addition to those of the base. */
  readonly modules: ModuleTexts;
  /**
   * The names that it exports and the root does not. A program can use these names without an
   * import.
   */
  readonly names: readonly string[];
}

/** The entry points that run in a page, in addition to those of the base. */
const extraEntries = ['client', 'controller', 'derived', 'history', 'requests', 'resources', 'store', 'views'];
const here = fileURLToPath(new URL('.', import.meta.url));

/** Bundles the sandbox from the sources of this project. */
export async function bundleSandbox(): Promise<SandboxBundle> {
  const extras = extraEntries.map((name) => ({ name, specifier: `rx-informers/${name}` }));
  const { outputFiles, metafile } = await build({
    absWorkingDir: projectRoot,
    entryPoints: {
      main: `${here}sandbox/main.ts`,
      root: sourceOf('rx-informers'),
      ...Object.fromEntries(extras.map(({ name, specifier }) => [name, sourceOf(specifier)])),
      testing: `${here}sandbox/testing.ts`,
    },
    alias: {
      ...Object.fromEntries(entryPoints.map(({ specifier, source }) => [specifier, projectRoot + source])),
      'node:util': `${here}sandbox/node-util.ts`,
      rxjs: `${projectRoot}node_modules/rxjs/dist/esm/index.js`,
      'rxjs/testing': `${projectRoot}node_modules/rxjs/dist/esm/testing/index.js`,
    },
    outdir: 'out',
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const texts = new Map(outputFiles.map(({ path, text }) => [nameOf(path), text]));
  const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [nameOf(path), output]));
  const textsOf = (entry: string, without: ReadonlySet<string>): ModuleTexts =>
    reachedFrom(entry, outputs)
      .filter((name) => !without.has(name))
      .map((name) => [name, texts.get(name) ?? '']);
  const ofRoot = new Set(outputs.get('root.js')?.exports);
  const base = textsOf('main.js', new Set());
  const ofBase = new Set(base.map(([name]) => name));
  return {
    base,
    extras: [...extras, { name: 'testing', specifier: 'rx-informers/testing' }].map(({ name, specifier }) => ({
      specifier,
      module: `${name}.js`,
      modules: textsOf(`${name}.js`, ofBase),
      names: (outputs.get(`${name}.js`)?.exports ?? []).filter((exported) => !ofRoot.has(exported)),
    })),
  };
}

/** Returns the modules that an entry point reaches. Its own module is the last one. */
function reachedFrom(entry: string, outputs: ReadonlyMap<string, Metafile['outputs'][string]>): readonly string[] {
  const reached = new Set<string>();
  const visit = (name: string): void => {
    if (reached.has(name)) return;
    for (const { path, kind } of outputs.get(name)?.imports ?? []) {
      if (kind === 'import-statement') visit(nameOf(path));
    }
    reached.add(name);
  };
  visit(entry);
  return [...reached];
}

function sourceOf(specifier: string): string {
  const found = entryPoints.find((entry) => entry.specifier === specifier);
  if (found === undefined) throw new Error(`package.json exports no ${specifier}`);
  return projectRoot + found.source;
}

const nameOf = (path: string): string => path.split('/').at(-1) ?? path;
