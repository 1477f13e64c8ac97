import { build, type Metafile } from 'esbuild';
import { relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { entryPoints, packageJson, projectRoot } from '../project/entry-points.js';

/**
 * Returns the specifier to import for an entry such as `rx-informers/history`: the name of the
 * package's entry, or the path of its source.
 */
export type SpecifierOf = (entry: string) => string;

/** Returns the path of the source file of an entry in this project. */
export const sourceOf: SpecifierOf = (entry) => {
  const found = entryPoints.find(({ specifier }) => specifier === entry);
  if (found === undefined) throw new Error(`package.json exports no ${entry}`);
  return `./${found.source}`;
};

/** The code that a program bundles, and its maximum size at the start, in units of 1024 bytes. */
export interface Bundle {
  readonly name: string;
  readonly code: (specifierOf: SpecifierOf) => string;
  /**
   * A larger bundle is a failure. The budget is the size of today plus 1 %. The margin covers
   * a packed package and another version of zlib.
   */
  readonly budget: number;
  /**
   * The size that the bundle should have, if this is less than the budget. The comment on `bundles`
   * explains the difference.
   */
  readonly goal?: number;
  /** The platform on which the program runs. Default: a browser. */
  readonly platform?: 'browser' | 'node';
}

/** The entry points that do not run in a browser. */
const needNode = ['rx-informers/node', 'rx-informers/prometheus', 'rx-informers/testing'];

/**
 * Explains why the first bundle is larger than its goal. Its size is 39.7 kB; the scanner in
 * WebAssembly and the splitter of lists, 4.7 kB, load late and are not part of it. Before
 * compression it has 112.5 kB. Almost a third of these are the reflector, which runs synchronously
 * and therefore cannot load late. `npm run shape -- --list` prints the size of each file.
 *
 * Texts of errors stay, because a server with `NODE_ENV=production` needs them in its log.
 * Most checks that run in development only are left out (`src/kubernetes/development.ts`).
 *
 * A bundler cannot leave out an option of `listWatch` or a method of an informer. So a feature that
 * few programs need is a value or a function that brings its own code (`inNamespaces`,
 * `latestOnly`, `webSocketWatches`, `addEventHandler`, `limitedClient`).
 */
export const bundles: readonly Bundle[] = [
  {
    name: 'informer + listWatch + fetchClient + pods',
    code: (specifierOf) => `export { informer, listWatch, fetchClient, pods } from '${specifierOf('rx-informers')}'`,
    budget: 40.5,
    goal: 32,
  },
  {
    name: 'everything at the root',
    code: (specifierOf) => `export * from '${specifierOf('rx-informers')}'`,
    budget: 49.8,
    goal: 40,
  },
  ...Object.entries({
    'rx-informers/resources': 7.3,
    'rx-informers/derived': 33.2,
    'rx-informers/history': 26.9,
    'rx-informers/node': 19.8,
    'rx-informers/client': 4.7,
    'rx-informers/controller': 93,
    'rx-informers/store': 13.6,
    'rx-informers/requests': 49.4,
    'rx-informers/views': 14.7,
    'rx-informers/react': 20.7,
    'rx-informers/shared-worker': 48,
    'rx-informers/hub': 57.3,
    'rx-informers/prometheus': 5.2,
    'rx-informers/opentelemetry': 4.6,
    'rx-informers/testing': 93.7,
    'rx-informers/testing/in-memory': 69.7,
  }).map(([entry, budget]) => ({
    name: entry,
    code: (specifierOf: SpecifierOf) => `export * from '${specifierOf(entry)}'`,
    budget,
    platform: needNode.includes(entry) ? ('node' as const) : ('browser' as const),
  })),
];

/** The size of the code that loads at the start, and of the code that loads late. */
export interface BundleSize {
  /**
   * The chunks that load at the start, minified and compressed by gzip, in units of 1024 bytes.
   */
  readonly kilobytes: number;
  /** The chunks that only `import()` loads, in the same unit. */
  readonly lateKilobytes: number;
  /** The number of bytes of the minified code that loads at the start. */
  readonly minified: number;
  /** The number of bytes that each file adds to that code. */
  readonly parts: readonly (readonly [path: string, bytes: number])[];
}

/**
 * Measures a bundle: ES modules, minified by esbuild, each compressed by gzip, with
 * `NODE_ENV=production`. Code that an `import()` loads is in chunks of its own. The bundle does not
 * contain rxjs and other peers, because a program that uses them has them already.
 *
 * `specifierOf` and `folder` say which copy is measured: the sources of this project, or the
 * package that is installed in another project. Imports resolve from `folder`.
 */
export async function sizeOf(
  { code, platform = 'browser' }: Bundle,
  { specifierOf, folder }: { readonly specifierOf: SpecifierOf; readonly folder: string },
): Promise<BundleSize> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code(specifierOf), resolveDir: folder },
    absWorkingDir: projectRoot,
    outdir: 'temp',
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    platform,
    define: { 'process.env.NODE_ENV': '"production"' },
    external: Object.keys(packageJson.peerDependencies),
  });
  const first = chunksAtStart(metafile);
  let kilobytes = 0;
  let lateKilobytes = 0;
  for (const { path, contents } of outputFiles) {
    const size = gzipSync(contents).length / 1024;
    if (first.has(relative(projectRoot, path))) kilobytes += size;
    else lateKilobytes += size;
  }
  const outputs = [...first.values()];
  const minified = outputs.reduce((sum, { bytes }) => sum + bytes, 0);
  return { kilobytes, lateKilobytes, minified, parts: partsOf(outputs) };
}

type Chunk = Metafile['outputs'][string];

/** Returns the chunk of the program, and the chunks that it imports before it runs, by path. */
function chunksAtStart({ outputs }: Metafile): ReadonlyMap<string, Chunk> {
  const first = new Map<string, Chunk>();
  const visit = (path: string): void => {
    const chunk = outputs[path];
    if (chunk === undefined || first.has(path)) return;
    first.set(path, chunk);
    for (const { path: imported, kind } of chunk.imports) if (kind === 'import-statement') visit(imported);
  };
  for (const [path, { entryPoint }] of Object.entries(outputs)) if (entryPoint === '<stdin>') visit(path);
  if (first.size === 0) throw new Error('esbuild wrote no chunk for the program');
  return first;
}

function partsOf(chunks: readonly Chunk[]): BundleSize['parts'] {
  return chunks
    .flatMap(({ inputs }) => Object.entries(inputs).map(([path, { bytesInOutput }]) => [path, bytesInOutput] as const))
    .filter(([, bytes]) => bytes > 0)
    .sort(([, a], [, b]) => b - a);
}
