import { build, type BuildOptions, type Metafile } from 'esbuild';
import { gzipSync } from 'node:zlib';
import { projectRoot } from '../../scripts/project/entry-points.js';

interface Bundle {
  /** The size of the minified code, compressed by gzip with the best level, as servers send it. */
  readonly gzipBytes: number;
  readonly metafile: Metafile;
}

/**
 * Bundles the exports of `statements` as an application would for production. Paths in the
 * statements are relative to the project.
 */
export async function bundle(
  statements: string,
  options: Pick<BuildOptions, 'platform' | 'external' | 'format' | 'plugins'> = {},
): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: statements, resolveDir: projectRoot, loader: 'ts' },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    target: 'es2022',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'error',
    ...options,
  });
  const [output] = outputFiles;
  if (output === undefined) throw new Error('esbuild gave no output');
  return { gzipBytes: gzipSync(output.contents, { level: 9 }).length, metafile };
}
