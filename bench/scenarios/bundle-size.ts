import { bundle } from '../measure/bundle.js';
import type { Scenario } from '../scenario.js';

const EVERYTHING = 'rx-informers, all that the core exports';
const ONE_INFORMER = 'rx-informers, informer + listWatch + fetchClient + pods';
const TO_DELTAS = 'rx-informers, toDeltas alone';

const sizes: Readonly<Record<string, () => Promise<number>>> = {
  [EVERYTHING]: () => ours('export * from "./src/index.ts";'),
  [ONE_INFORMER]: () => ours('export { informer, listWatch, fetchClient, pods } from "./src/index.ts";'),
  [TO_DELTAS]: () => ours('export { toDeltas } from "./src/index.ts";'),
  "client-node's makeInformer + KubeConfig": () =>
    kilobytes('export { makeInformer, KubeConfig } from "@kubernetes/client-node";', { platform: 'node' }),
};

export const bundleSize: Scenario = {
  name: 'bundle-size',
  title: 'What a bundle grows by',
  description: [
    'Bundled by esbuild for production, minified, compressed by gzip (level 9); 1 KB is 1,000 bytes. For rx-informers, which runs in browsers,',
    'rxjs is left out, because its users have it; what else it needs is in it. client-node runs in Node, and is bundled with all that it needs.',
  ].join(' '),
  contestants: Object.keys(sizes),
  metrics: { size: { title: 'minified + gzip', unit: 'KB', better: 'lower' } },
  targets: [
    { figure: { contestant: EVERYTHING, metric: 'size' }, is: 'at most', factor: 20 },
    { figure: { contestant: TO_DELTAS, metric: 'size' }, is: 'at most', factor: 2 },
  ],
  rounds: 1,
  run: async (name) => ({ size: await (sizes[name] as () => Promise<number>)() }),
};

function ours(statements: string): Promise<number> {
  return kilobytes(statements, { platform: 'browser', external: ['rxjs'] });
}

async function kilobytes(...bundled: Parameters<typeof bundle>): Promise<number> {
  return (await bundle(...bundled)).gzipBytes / 1000;
}
