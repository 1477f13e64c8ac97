import { reactRouter } from '@react-router/dev/vite';
import { defineConfig } from 'vite';

/** Returns the path of a source of the package. */
const entry = (name) => new URL(`../../../src/${name}.ts`, import.meta.url).pathname;

export default defineConfig({
  plugins: [reactRouter()],
  resolve: {
    alias: [
      { find: /^rx-informers$/, replacement: entry('index') },
      { find: /^rx-informers\/(client|node|resources|store)$/, replacement: entry('$1') },
      { find: /^rx-informers\/(.*)$/, replacement: entry('$1/index') },
    ],
    dedupe: ['react', 'react-dom', 'rxjs'],
  },
  ssr: { noExternal: true },
});
