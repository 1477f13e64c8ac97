import { minify } from '@swc/core';
import react from '@vitejs/plugin-react';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';
import { metaPolicy } from './server/protective-headers.js';

const page = fileURLToPath(new URL('page', import.meta.url));
const source = fileURLToPath(new URL('../../src', import.meta.url));

/**
 * Writes the content security policy into the page, for servers that send none, such as `kubectl
 * proxy`.
 */
function policyInPage(): Plugin {
  return {
    name: 'policy-in-page',
    // The page of the development server has additional scripts, which the policy would block.
    apply: 'build',
    transformIndexHtml: () => [
      {
        tag: 'meta',
        attrs: { 'http-equiv': 'Content-Security-Policy', content: metaPolicy },
        injectTo: 'head-prepend',
      },
    ],
  };
}

/**
 * Builds `first-requests.ts` as a separate script, which the main script imports, too. The script
 * is small, so it sends its requests while the larger scripts load. Also preloads the parts that
 * `main.ts` imports.
 */
function firstScripts(): Plugin {
  return {
    name: 'first-scripts',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {}, chunk: main }) {
        const first = Object.values(bundle).find((file) => file.type === 'chunk' && file.name === 'first-requests');
        if (first === undefined || main === undefined) throw new Error('the build has no chunk first-requests');
        const parts = new Set<string>();
        const add = (name: string): void => {
          const part = bundle[name];
          if (part?.type !== 'chunk' || part === first || parts.has(name)) return;
          parts.add(name);
          part.imports.forEach(add);
        };
        main.dynamicImports.forEach(add);
        // The script comes before the parts, which would occupy the connection.
        const tags = [
          `<script type="module" async crossorigin src="./${first.fileName}"></script>`,
          ...[...parts].map((name) => `<link rel="modulepreload" crossorigin href="./${name}">`),
        ];
        return html.replace('<script type="module"', `${tags.join('\n    ')}\n    $&`);
      },
    },
  };
}

/** Minifies again with several passes, which saves 4 % of the size. */
function smallestScripts(): Plugin {
  return {
    name: 'smallest-scripts',
    apply: 'build',
    generateBundle: {
      order: 'post',
      async handler(_options, bundle) {
        for (const file of Object.values(bundle)) {
          if (file.type !== 'chunk') continue;
          const options = { module: true, ecma: 2022, mangle: true, compress: { passes: 3 } } as const;
          file.code = (await minify(file.code, options)).code;
        }
      },
    },
  };
}

/**
 * Writes compressed copies of a file beside it, if they are smaller. The dashboard's server sends
 * them.
 */
function compressedFiles(): Plugin {
  let folder = '';
  return {
    name: 'compressed-files',
    apply: 'build',
    configResolved({ build }) {
      folder = build.outDir;
    },
    closeBundle() {
      for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
        if (!/\.(js|css|html|svg)$/.test(name)) continue;
        const content = readFileSync(join(folder, name));
        const compressed = {
          br: brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }),
          gz: gzipSync(content, { level: constants.Z_BEST_COMPRESSION }),
        };
        for (const [extension, bytes] of Object.entries(compressed)) {
          if (bytes.length < content.length) writeFileSync(join(folder, `${name}.${extension}`), bytes);
        }
      }
    },
  };
}

/**
 * Builds the page into `dist`, from which the server reads it. All paths are relative, so the page
 * works below any prefix.
 */
export default defineConfig({
  root: page,
  base: './',
  plugins: [react(), policyInPage(), firstScripts(), smallestScripts(), compressedFiles()],
  resolve: {
    // The sources of rx-informers use the packages of this folder, although the root has its own.
    dedupe: ['react', 'react-dom', 'rxjs'],
    // Uses RxJS for browsers with classes and generators, which is smaller.
    conditions: ['es2015', ...defaultClientConditions],
    alias: [
      { find: /^rx-informers$/, replacement: `${source}/index.ts` },
      { find: /^rx-informers\/(client|resources|store)$/, replacement: `${source}/$1.ts` },
      {
        find: /^rx-informers\/(controller|derived|history|hub|react|requests|shared-worker|views)$/,
        replacement: `${source}/$1/index.ts`,
      },
    ],
  },
  worker: { format: 'es', plugins: () => [smallestScripts()] },
  build: {
    outDir: fileURLToPath(new URL('dist', import.meta.url)),
    emptyOutDir: true,
    // The policy of the server permits no `data:` URLs for code, and the first screen is one chunk.
    assetsInlineLimit: 0,
    modulePreload: false,
    rollupOptions: { input: ['index.html', 'first-requests.ts'].map((name) => join(page, name)) },
  },
});
