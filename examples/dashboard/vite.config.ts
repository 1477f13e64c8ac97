import react from '@vitejs/plugin-react';
import { fileURLToPath } from 'node:url';
import { defaultClientConditions, defineConfig } from 'vite';

const source = fileURLToPath(new URL('../../src', import.meta.url));

/** Builds the page into `dist`, from which the server takes it. All paths are relative: it works below any prefix. */
export default defineConfig({
  root: fileURLToPath(new URL('page', import.meta.url)),
  base: './',
  plugins: [react()],
  resolve: {
    // RxJS for browsers that have classes and generators, which is smaller.
    conditions: ['es2015', ...defaultClientConditions],
    alias: [
      { find: /^rx-informers$/, replacement: `${source}/index.ts` },
      { find: /^rx-informers\/(derived|react|views)$/, replacement: `${source}/$1/index.ts` },
    ],
  },
  build: {
    outDir: fileURLToPath(new URL('dist', import.meta.url)),
    emptyOutDir: true,
    // The policy of the server allows no data that runs, and the page is one chunk.
    assetsInlineLimit: 0,
    modulePreload: false,
  },
});
