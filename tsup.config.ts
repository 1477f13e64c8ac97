import * as esbuild from 'esbuild';
import { readdir } from 'node:fs/promises';
import { defineConfig, type Options } from 'tsup';
import { commandSource, entryPoints } from './scripts/project/entry-points.js';

const entry = Object.fromEntries(entryPoints.map(({ name, source }) => [name, source]));

const common: Options = {
  entry,
  target: 'es2022',
  platform: 'neutral',
  external: [/^node:/],
  removeNodeProtocol: false,
};

const javascript: Options = {
  ...common,
  // The command is no module that programs import, so it has no declarations.
  entry: { ...entry, command: commandSource },
  format: 'esm',
  splitting: true,
  clean: true,
  onSuccess: writeCommonJs,
};

const declarations: Options = {
  ...common,
  format: ['esm', 'cjs'],
  // tsup sets `baseUrl` for its declaration build, which TypeScript 6 reports as deprecated; no
  // import here depends on it.
  dts: { only: true, compilerOptions: { ignoreDeprecations: '6.0' } },
};

export default defineConfig([javascript, declarations]);

/**
 * Writes a `.cjs` file beside every `.js` file, so that all CommonJS entry points share the chunks,
 * and with them classes. tsup's own CommonJS output either copies shared code into every entry
 * point, or is compiled to an older language version.
 */
async function writeCommonJs(): Promise<void> {
  const files = await readdir('dist');
  await esbuild.build({
    entryPoints: files.filter((file) => file.endsWith('.js') && file !== 'command.js').map((file) => `dist/${file}`),
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    target: 'es2022',
    platform: 'neutral',
    // A chunk that is loaded late is required: `import()` would find no names in a CommonJS file.
    supported: { 'dynamic-import': false },
    // Replaces the address of a module, which `createRequire` needs, because CommonJS has no
    // `import.meta`.
    define: { 'import.meta.url': '__filename' },
    bundle: true,
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
