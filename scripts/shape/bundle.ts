import { build, type Metafile } from 'esbuild';
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

/** The code that a program bundles, and the maximum size, in units of 1024 bytes. */
export interface Bundle {
  readonly name: string;
  readonly code: (specifierOf: SpecifierOf) => string;
  /**
   * A larger bundle is a failure. The budget is the size of today plus a little. The margin covers
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
 * Explains why the first bundle is larger than its goal. Its size is 45.3 kB, of which 4.1 were
 * added with the checks of option names, the request for the version of a restored server, the
 * limit of first lists, and the comparison of content. Each figure below is the size, in kB,
 * that the bundle would save without that part alone (measured by replacing files). The scanner
 * in WebAssembly: 3.2. Known objects: 0.5. Buckets of keys: 1.2.
 * The next figures were measured before those four parts existed. Error classes: 2.0. Label
 * selectors: 1.6. Live queries and their convenience methods: 1.7. `fetchClient`: 1.0. Streaming
 * lists: 1.4. The B+ tree: 1.1. `whenObserved`: 0.9. Reports of errors and slow subscribers:
 * 0.7. The queue of rounds: 0.4. Structural sharing: 0.4. Metrics: 0.4.
 *
 * All texts of errors together are 2.1 kB. They stay, because a server that runs with
 * `NODE_ENV=production` needs them in its log. Names of properties that no minifier may shorten are
 * 1.6 kB. What remains is the protocol, the parsers and the store.
 *
 * A bundler cannot leave out an option of `listWatch` or a method of an informer. So a feature that
 * few programs need is a value or a function that brings its own code (`inNamespaces`, `shardOf`,
 * `latestOnly`, `webSocketWatches`, `addEventHandler`, `limitedClient`).
 */
export const bundles: readonly Bundle[] = [
  {
    name: 'informer + listWatch + fetchClient + pods',
    code: (specifierOf) => `export { informer, listWatch, fetchClient, pods } from '${specifierOf('rx-informers')}'`,
    budget: 46.5,
    goal: 22,
  },
  {
    name: 'everything at the root',
    code: (specifierOf) => `export * from '${specifierOf('rx-informers')}'`,
    budget: 61,
    goal: 30,
  },
  ...Object.entries({
    'rx-informers/resources': 4,
    'rx-informers/derived': 33,
    'rx-informers/history': 26.5,
    'rx-informers/node': 17,
    'rx-informers/controller': 101,
    'rx-informers/store': 10.3,
    'rx-informers/views': 14.4,
    'rx-informers/react': 21.4,
    'rx-informers/shared-worker': 52.6,
    'rx-informers/prometheus': 5.3,
    'rx-informers/opentelemetry': 4.6,
    'rx-informers/testing': 78,
    'rx-informers/testing/in-memory': 60,
  }).map(([entry, budget]) => ({
    name: entry,
    code: (specifierOf: SpecifierOf) => `export * from '${specifierOf(entry)}'`,
    budget,
    platform: needNode.includes(entry) ? ('node' as const) : ('browser' as const),
  })),
];

/** The size of a bundle, and the number of bytes that each file adds to the minified code. */
export interface BundleSize {
  /** Minified and compressed by gzip, in units of 1024 bytes. */
  readonly kilobytes: number;
  readonly minified: number;
  readonly parts: readonly (readonly [path: string, bytes: number])[];
}

/**
 * Measures a bundle: one ES module, minified by esbuild, compressed by gzip, with
 * `NODE_ENV=production`. The bundle does not contain rxjs and other peers, because a program that
 * uses them has them already.
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
    write: false,
    metafile: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    platform,
    define: { 'process.env.NODE_ENV': '"production"' },
    external: Object.keys(packageJson.peerDependencies),
  });
  const text = outputFiles[0]?.text ?? '';
  return { kilobytes: gzipSync(text).length / 1024, minified: text.length, parts: partsOf(metafile) };
}

function partsOf({ outputs }: Metafile): BundleSize['parts'] {
  return Object.values(outputs)
    .flatMap(({ inputs }) => Object.entries(inputs).map(([path, { bytesInOutput }]) => [path, bytesInOutput] as const))
    .filter(([, bytes]) => bytes > 0)
    .sort(([, a], [, b]) => b - a);
}
