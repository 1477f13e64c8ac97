import { readdir } from 'node:fs/promises';
import * as esbuild from 'esbuild';
import { defineConfig, type Options } from 'tsup';
import { entryPoints } from './scripts/entry-points.js';

const common: Options = {
  entry: Object.fromEntries(entryPoints.map(({ name, source }) => [name, source])),
  target: 'es2022',
  platform: 'neutral',
  external: [/^node:/],
  removeNodeProtocol: false,
};

const javascript: Options = {
  ...common,
  format: 'esm',
  splitting: true,
  sourcemap: true,
  clean: true,
  onSuccess: writeCommonJs,
};

const declarations: Options = {
  ...common,
  format: ['esm', 'cjs'],
  // tsup sets `baseUrl` for its declaration build, which TypeScript 6 reports as deprecated; nothing here resolves through it.
  dts: { only: true, compilerOptions: { ignoreDeprecations: '6.0' } },
};

export default defineConfig([javascript, declarations]);

/**
 * Writes a `.cjs` beside every `.js`, so that all entry points share the chunks, and with them classes, in CommonJS too:
 * tsup's own CommonJS output either copies shared code into every entry point, or is down-levelled on the way.
 */
async function writeCommonJs(): Promise<void> {
  const files = await readdir('dist');
  await esbuild.build({
    entryPoints: files.filter((file) => file.endsWith('.js')).map((file) => `dist/${file}`),
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    target: 'es2022',
    platform: 'neutral',
    // Where a module is, for `createRequire`; CommonJS has no `import.meta`.
    define: { 'import.meta.url': '__filename' },
    bundle: true,
    sourcemap: true,
    plugins: [externalCommonJs],
  });
}

const externalCommonJs: esbuild.Plugin = {
  name: 'external-common-js',
  setup(build) {
    build.onResolve({ filter: /.*/ }, ({ path, kind }) => {
      if (kind === 'entry-point') return undefined;
      return { path: path.startsWith('.') ? path.replace(/\.js$/, '.cjs') : path, external: true };
    });
  },
};
