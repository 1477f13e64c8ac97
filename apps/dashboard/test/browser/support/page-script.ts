import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../..', import.meta.url));

/** Options of `pageScript`. */
export interface PageScriptOptions {
  /**
   * True if libraries are built for production. Otherwise React measures and warns. Default: false.
   */
  readonly isProduction?: boolean | undefined;
}

/** Returns a program as one script for a page. Its imports are relative to `apps/dashboard`. */
export async function pageScript(program: string, { isProduction = false }: PageScriptOptions = {}): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: folder, loader: 'ts' },
    // The sources of rx-informers use the packages of this folder, although the root has its own.
    alias: { react: `${folder}node_modules/react`, rxjs: `${folder}node_modules/rxjs` },
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    jsx: 'automatic',
    minify: isProduction,
    define: { 'process.env.NODE_ENV': JSON.stringify(isProduction ? 'production' : 'development') },
  });
  return outputFiles[0]?.text ?? '';
}
