import { gzipSync } from 'node:zlib';
import { build, type Metafile } from 'esbuild';
import { projectRoot } from '../entry-points.js';

/** What a program bundles, and what it may cost, in units of 1024 bytes. */
export interface Bundle {
  readonly name: string;
  readonly code: (specifier: string) => string;
  /** More is a failure: what it weighs today, and a little. */
  readonly budget: number;
  /** What it should weigh; the comment on `bundles` says where the difference is. */
  readonly goal: number;
}

/**
 * Where the first bundle weighs more than its goal: 34 kB, of which leaving out alone would save, in kB (measured by replacing the
 * files): error classes 2.0, label selectors 1.6, live queries and their sugar 1.7, `fetchClient` 1.0, streaming lists 1.4, the B+ tree
 * 1.1, `whenObserved` 0.9, reports of errors and slow subscribers 0.7, the queue of rounds 0.4, structural sharing 0.4, metrics 0.4. All
 * texts of errors together are 2.1; they stay, because a server that runs with `NODE_ENV=production` needs them in its log. Names of
 * properties that no minifier may shorten are 1.6. The rest is the protocol, the parsers and the store. An option of `listWatch` or a
 * method of an informer cannot be left out by a bundler: what few programs need is a value or a function that brings its own code
 * (`inNamespaces`, `shardOf`, `latestOnly`, `addEventHandler`, `limitedClient`).
 */
export const bundles: readonly Bundle[] = [
  {
    name: 'informer + listWatch + fetchClient + pods',
    code: (specifier) => `export { informer, listWatch, fetchClient, pods } from '${specifier}'`,
    budget: 35,
    goal: 22,
  },
  {
    name: 'everything at the root',
    code: (specifier) => `export * from '${specifier}'`,
    budget: 48,
    goal: 30,
  },
];

/** The size of a bundle, and how many bytes of the minified code each file brings. */
export interface BundleSize {
  /** Minified and compressed by gzip, in units of 1024 bytes. */
  readonly kilobytes: number;
  readonly minified: number;
  readonly parts: readonly (readonly [path: string, bytes: number])[];
}

/**
 * Measures a bundle for browsers: one ES module, minified by esbuild, compressed by gzip, with `NODE_ENV=production`.
 * rxjs is not in it: a program that uses Observables has it already.
 *
 * @param folder the folder from which imports are resolved
 */
export async function sizeOf(code: string, folder = projectRoot): Promise<BundleSize> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: folder },
    absWorkingDir: projectRoot,
    outdir: 'temp',
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    define: { 'process.env.NODE_ENV': '"production"' },
    external: ['rxjs'],
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
