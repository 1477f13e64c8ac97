import { buildSync } from 'esbuild';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { aPod, createApiServer } from 'rx-informers/testing';
import { summarise } from '../results/statistics.js';

// Compares the costs of a program in a pod with `inCluster`, and with client-node: the heap in use
// and the resident memory once 100 pods have synced, and the time from the start of the process
// until then. Run it with `npx tsx bench/studies/in-pod.ts`. It takes half a minute, and fails if a
// limit is exceeded.

/** The limits of `inCluster`, as a part of what client-node needs. */
const limits = { heap: 0.3, rss: 0.6, sync: 0.4 } as const;
const ROUNDS = 5;
type Figures = Readonly<Record<keyof typeof limits, number>>;

const report = `
  globalThis.gc(); globalThis.gc();
  const { heapUsed, rss } = process.memoryUsage();
  console.log(JSON.stringify({ heap: heapUsed / 2 ** 20, rss: rss / 2 ** 20, sync: synced }));
  process.exit();
`;
const followPods = `
  import { informer, pods } from 'rx-informers';
  import { kubeClient } from 'rx-informers/node';
  const podInformer = informer(kubeClient(kubeConfig), pods);
  podInformer.connect();
  await podInformer.whenSynced();
  const synced = performance.now();
  if (podInformer.list().length !== 100) throw new Error('not all pods');
  ${report}
`;
const programs = {
  inCluster: `
    import { inCluster } from 'rx-informers/node';
    const kubeConfig = inCluster(process.env.ACCOUNT + '/var/run/secrets/kubernetes.io/serviceaccount');
    ${followPods}
  `,
  'loadFromCluster of client-node': `
    import { KubeConfig } from '@kubernetes/client-node';
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromCluster(process.env.ACCOUNT);
    ${followPods}
  `,
  'makeInformer of client-node': `
    import { CoreV1Api, KubeConfig, makeInformer } from '@kubernetes/client-node';
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromCluster(process.env.ACCOUNT);
    const api = kubeConfig.makeApiClient(CoreV1Api);
    const podInformer = makeInformer(kubeConfig, '/api/v1/pods', () => api.listPodForAllNamespaces());
    await podInformer.start();
    const synced = performance.now();
    if (podInformer.list().length !== 100) throw new Error('not all pods');
    ${report}
  `,
} as const;
type Program = keyof typeof programs;

const server = await createApiServer({ tls: true });
for (let n = 0; n < 100; n++) server.apply(aPod({ name: `web-${n}` }));
const account = mkdtempSync(join(tmpdir(), 'in-pod-'));
const mounted = join(account, 'var/run/secrets/kubernetes.io/serviceaccount');
mkdirSync(mounted, { recursive: true });
for (const [name, text] of Object.entries({ 'ca.crt': server.ca, token: 'token', namespace: 'default' }))
  writeFileSync(join(mounted, name), text ?? '');

/** Writes a program as it is deployed: bundled for production, with client-node as a package. */
function bundled(program: Program): string {
  const outfile = resolve('temp/in-pod', `${program.replaceAll(' ', '-')}.mjs`);
  buildSync({
    stdin: { contents: programs[program], resolveDir: resolve('.') },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return outfile;
}

const { hostname, port } = new URL(server.url);
const environment = {
  ...process.env,
  NODE_ENV: 'production',
  ACCOUNT: account,
  KUBERNETES_SERVICE_HOST: hostname,
  KUBERNETES_SERVICE_PORT: port,
};

/** Runs a program in a process of its own, while the server responds in this one. */
async function figuresOf(file: string): Promise<Figures> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', file], { env: environment });
  return JSON.parse(stdout) as Figures;
}

const contestants = (Object.keys(programs) as Program[]).map((program) => ({
  program,
  file: bundled(program),
  figures: [] as Figures[],
}));
for (let round = 0; round < ROUNDS; round++)
  for (const { file, figures } of contestants) figures.push(await figuresOf(file));
await server.close();
rmSync(account, { recursive: true });

const medians = contestants.map(({ program, figures }) => {
  const of = (metric: keyof Figures): number => summarise(figures.map((each) => each[metric])).median;
  return { program, heap: of('heap'), rss: of('rss'), sync: of('sync') };
});
console.log(`medians of ${ROUNDS} interleaved rounds: MB of heap in use, MB resident, ms from the start to the sync`);
console.table(medians);
const own = medians.find(({ program }) => program === 'inCluster') as (typeof medians)[number];
for (const other of medians.filter((each) => each !== own)) {
  for (const [metric, limit] of Object.entries(limits) as [keyof Figures, number][]) {
    const ratio = own[metric] / other[metric];
    const isExceeded = ratio > limit;
    console.log(`${metric} ÷ ${other.program}: ${ratio.toFixed(2)} (at most ${limit})${isExceeded ? ' MISSED' : ''}`);
    if (isExceeded) process.exitCode = 1;
  }
}
