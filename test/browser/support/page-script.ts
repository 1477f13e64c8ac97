import { build } from 'esbuild';

/** Options of `pageScript`. */
export interface PageScriptOptions {
  /**
   * True if libraries are built for production. Otherwise React measures and warns. Default: false.
   */
  readonly isProduction?: boolean | undefined;
}

/** Returns a program as one script for a page. Its imports are relative to the project. */
export async function pageScript(program: string, { isProduction = false }: PageScriptOptions = {}): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: process.cwd(), loader: 'ts' },
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
