import type { Plugin } from 'esbuild';
import { bundle } from '../measure/bundle.js';
import type { Scenario } from '../model/scenario.js';

const ALL = 'export * from "./src/index.ts";';

const EVERYTHING = 'rx-informers, all exports of the core';
const ONE_INFORMER = 'rx-informers, informer + listWatch + fetchClient + pods';
const SCANNER = 'rx-informers, the WebAssembly scanner';
const TO_DELTAS = 'rx-informers, only toDeltas';

const sizes: Readonly<Record<string, () => Promise<number>>> = {
  [EVERYTHING]: () => ours(ALL),
  [ONE_INFORMER]: () => ours('export { informer, listWatch, fetchClient, pods } from "./src/index.ts";'),
  [SCANNER]: scanner,
  [TO_DELTAS]: () => ours('export { toDeltas } from "./src/index.ts";'),
  "client-node's makeInformer + KubeConfig": () =>
    kilobytes('export { makeInformer, KubeConfig } from "@kubernetes/client-node";', { platform: 'node' }),
};

export const bundleSize: Scenario = {
  name: 'bundle-size',
  title: 'Bundle size',
  description: [
    'Bundled by esbuild for production, minified, and compressed by gzip (level 9); 1 KB is 1,000 bytes. rx-informers',
    'is bundled for browsers in one file, with the part that loads late, and with all its dependencies except rxjs,',
    'which its users have anyway. The size of the WebAssembly scanner, which loads late, is the difference between',
    'that bundle and the same one without it. client-node runs in Node, and is bundled with all its dependencies.',
  ].join(' '),
  contestants: Object.keys(sizes),
  metrics: { size: { title: 'minified + gzip', unit: 'KB', better: 'lower' } },
  targets: [
    { figure: { contestant: EVERYTHING, metric: 'size' }, is: 'at most', factor: 20 },
    { figure: { contestant: SCANNER, metric: 'size' }, is: 'at most', factor: 4 },
    { figure: { contestant: TO_DELTAS, metric: 'size' }, is: 'at most', factor: 2 },
  ],
  rounds: 1,
  run: async (name) => ({ size: await (sizes[name] as () => Promise<number>)() }),
};

async function scanner(): Promise<number> {
  const added = (await ours(ALL)) - (await ours(ALL, [withoutScanner]));
  if (added <= 0) throw new Error('the scanner adds nothing: it is not where it was');
  return added;
}

/** Replaces the WebAssembly scanner, so that every text is parsed whole. */
const withoutScanner: Plugin = {
  name: 'without-scanner',
  setup: (build) => {
    build.onLoad({ filter: /wire\/wasm-scanner\.ts$/ }, () => ({
      contents: 'export const createWasmScanner = undefined; export function createWasmEngine() { throw new Error(); }',
    }));
  },
};

function ours(statements: string, plugins: readonly Plugin[] = []): Promise<number> {
  return kilobytes(statements, { platform: 'browser', external: ['rxjs'], plugins: [...plugins] });
}

async function kilobytes(...bundled: Parameters<typeof bundle>): Promise<number> {
  return (await bundle(...bundled)).gzipBytes / 1000;
}
