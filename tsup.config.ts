import { defineConfig } from 'tsup';
import { entryPoints } from './scripts/entry-points.js';

export default defineConfig({
  entry: Object.fromEntries(entryPoints.map(({ name, source }) => [name, source])),
  format: ['esm', 'cjs'],
  target: 'es2022',
  platform: 'neutral',
  external: [/^node:/],
  sourcemap: true,
  clean: true,
  treeshake: false,
  silent: true,
  // tsup sets `baseUrl` for its declaration build, which TypeScript 6 reports as deprecated; nothing here resolves through it.
  dts: { compilerOptions: { ignoreDeprecations: '6.0' } },
});
