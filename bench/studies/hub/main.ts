import { KubeConfig } from '@kubernetes/client-node';
import { buildSync } from 'esbuild';
import { fork, type ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import process from 'node:process';
import { pods, resource, type KubernetesObject } from 'rx-informers';
import { kubeClient } from 'rx-informers/node';
import { resourceClient } from 'rx-informers/requests';
import { from, interval, lastValueFrom, mergeMap, range, take } from 'rxjs';
import { startRig } from '../../../test/cluster/support/rig.js';
import { changedAt, counts, namespaceName, namespacesOfSet, type Report } from './world.js';

// Measures a hub with 1,000 viewers on a real API server with RBAC: its memory and its watches, how
// late changes arrive, how long all viewers take to be fresh after the hub was restarted, and that
// nothing forbidden arrives. The server, the hub and the viewers are processes of their own.
//
//   RIG=../shared/rig npx tsx bench/studies/hub/main.ts
//   VIEWERS=200 PODS=2000 SECONDS=20 … a smaller run; OF_ALL=1000 … all viewers see all pods

const seconds = Number(process.env['SECONDS'] ?? 60);
const changesPerSecond = 50;
const limits = { rss: 512, watches: 10, p99: 250, restart: 30, resumed: 1.2 } as const;

const rig = await startRig({ kind: 'kube120' });
const kubeConfig = new KubeConfig();
kubeConfig.loadFromFile(rig.kubeConfigFile);
const client = kubeClient(kubeConfig);

console.log(`creates ${counts.pods} pods in ${counts.namespaces} namespaces`);
await createWorld();

const hub = startHub();
const { url } = await firstReport(hub, 'ready');
const began = performance.now();
const viewers = startViewers(url);
const first = await untilFresh();
console.log(`all ${counts.viewers} viewers are fresh ${first.toFixed(1)} s after they have started`);

console.log(`${changesPerSecond} changes a second for ${seconds} s`);
const measured = await measure();
const changing = changes().subscribe();
console.log('cuts 20 viewers for 10 s');
viewers.send(10_000);
const resumed = await firstReport(viewers, 'resumed');
console.log('restarts the hub');
const [again, afterRestart, memoryAfterRestart] = await restart(hub, 50);
const [third, afterFastRestart] = await restart(again, 200);
changing.unsubscribe();

const rows = [
  ['hub, most resident memory, MB', Math.max(measured.rss, memoryAfterRestart), limits.rss],
  ['watches of the API server', measured.watches, limits.watches],
  ['latency, median, ms', measured.median, Infinity],
  ['latency, 99th percentile, ms', measured.p99, limits.p99],
  ['all fresh after a restart, s', afterRestart, limits.restart],
  ['the same with 200 reviews a second', afterFastRestart, limits.restart],
  ['bytes after a cut ÷ those missed', resumed.bytes / resumed.bytesOfOthers, limits.resumed],
  ['forbidden objects', measured.forbidden, 0],
] as const;
for (const [name, value, limit] of rows) {
  console.log(`${name.padEnd(34)} ${value.toFixed(2).padStart(8)} (at most ${limit})${value > limit ? ' MISSED' : ''}`);
  if (value > limit) process.exitCode = 1;
}
console.log(`reviews ${measured.reviews}; frames per change ${measured.framesPerChange.toFixed(0)}`);
viewers.kill('SIGKILL');
third.kill('SIGKILL');
await rig.stop();

/** An object of any kind, such as a role. */
type Named = KubernetesObject & {
  readonly metadata: { readonly name: string };
  readonly rules?: readonly object[];
  readonly roleRef?: object;
  readonly subjects?: readonly object[];
};

async function createWorld(): Promise<void> {
  const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' };
  const of = (plural: string, namespaced: boolean, kind: string, { group, version } = { group: '', version: 'v1' }) =>
    resourceClient(client, resource<Named>({ group, version, plural, namespaced, kind }));
  const namespaces = of('namespaces', false, 'Namespace');
  const roles = of('clusterroles', false, 'ClusterRole', rbac);
  const everywhere = of('clusterrolebindings', false, 'ClusterRoleBinding', rbac);
  const bindings = of('rolebindings', true, 'RoleBinding', rbac);
  for (let index = 0; index < counts.namespaces; index++)
    await namespaces.create({ metadata: { name: namespaceName(index) } });
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] }];
  await roles.create({ metadata: { name: 'pods' }, rules });
  const roleRef = { apiGroup: rbac.group, kind: 'ClusterRole', name: 'pods' };
  const groupOf = (name: string) => ({ roleRef, subjects: [{ apiGroup: rbac.group, kind: 'Group', name }] });
  await everywhere.create({ metadata: { name: 'everything' }, ...groupOf('everything') });
  for (let set = 0; set < counts.ruleSets; set++)
    for (const namespace of namespacesOfSet(set))
      await bindings.create({ metadata: { name: `set-${set}`, namespace }, ...groupOf(`set-${set}`) });
  // With this annotation, a pod has about 4.8 KB, as real pods have.
  const filler = 'x'.repeat(4_000);
  const spec = { containers: [{ name: 'app', image: 'registry.example.com/app:1.0' }] };
  const create = (index: number) =>
    resourceClient(client, pods).create({
      metadata: { name: `pod-${index}`, namespace: namespaceName(index), annotations: { filler, [changedAt]: '0' } },
      spec,
    });
  await lastValueFrom(range(0, counts.pods).pipe(mergeMap((index) => from(create(index)), 16)));
}

function startProcess(name: string, ...args: readonly string[]): ChildProcess {
  const outfile = resolve('temp/hub', `${name}.mjs`);
  buildSync({
    entryPoints: [resolve(`bench/studies/hub/${name}.ts`)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    define: { 'process.env.NODE_ENV': '"production"' },
    tsconfig: 'tsconfig.json',
  });
  // Node sets this limit for the heap itself in a container with 512 MiB of memory.
  const execArgv = name === 'hub' ? ['--max-old-space-size=256'] : [];
  return fork(outfile, args, { env: { ...process.env, NODE_ENV: 'production' }, execArgv });
}

function startHub(port = '0', reviewsPerSecond = 50): ChildProcess {
  return startProcess('hub', rig.kubeConfigFile, port, String(reviewsPerSecond));
}

/**
 * Starts the hub again. Returns it, the seconds until all viewers are fresh, and its most memory.
 */
async function restart(running: ChildProcess, reviewsPerSecond: number) {
  running.kill('SIGKILL');
  await new Promise((done) => running.once('exit', done));
  const next = startHub(new URL(url).port, reviewsPerSecond);
  const since = performance.now();
  await firstReport(next, 'ready');
  const taken = await untilFresh(since);
  return [next, taken, await residentMemory(next)] as const;
}

function startViewers(address: string): ChildProcess {
  return startProcess('viewers', address);
}

/** Calls `next` with each report of one type, until it returns true. */
function reports<Type extends Report['type']>(
  of: ChildProcess,
  type: Type,
  next: (report: Extract<Report, { type: Type }>) => boolean,
): Promise<void> {
  return new Promise((done) => {
    const receive = (report: Report): void => {
      if (report.type !== type || !next(report as Extract<Report, { type: Type }>)) return;
      of.off('message', receive as never);
      done();
    };
    of.on('message', receive as never);
  });
}

async function firstReport<Type extends Report['type']>(of: ChildProcess, type: Type) {
  let found: Extract<Report, { type: Type }> | undefined;
  await reports(of, type, (report) => {
    found = report;
    return true;
  });
  return found as Extract<Report, { type: Type }>;
}

/** Resolves with the seconds until all viewers are fresh. */
async function untilFresh(since = began): Promise<number> {
  let last = -1;
  let hasDropped = since === began;
  await reports(viewers, 'viewers', ({ fresh }) => {
    if (fresh < counts.viewers / 2) hasDropped = true;
    if (fresh !== last) process.stderr.write(`\r${fresh} fresh `);
    last = fresh;
    return hasDropped && fresh === counts.viewers;
  });
  process.stderr.write('\r');
  return (performance.now() - since) / 1000;
}

async function residentMemory(of: ChildProcess): Promise<number> {
  return (await firstReport(of, 'hub')).rss / 2 ** 20;
}

/** Changes pods, one after the other. Emits when each is written. */
function changes() {
  const podClient = resourceClient(client, pods);
  const change = (count: number) => {
    const index = (count * 7_919) % counts.pods;
    const annotations = { [changedAt]: String(Date.now()) };
    return podClient.patch(`${namespaceName(index)}/pod-${index}`, { metadata: { annotations } });
  };
  return interval(1000 / changesPerSecond).pipe(mergeMap((count) => from(change(count))));
}

async function measure() {
  let [rss, watches, reviews, forbidden] = [0, 0, 0, 0];
  let firstFrames: number | undefined;
  let frames = 0;
  const latencies: number[] = [];
  let isOver = false;
  const ofHub = reports(hub, 'hub', (report) => {
    rss = Math.max(rss, report.rss / 2 ** 20);
    ({ watches, reviews } = report);
    return isOver;
  });
  const ofViewers = reports(viewers, 'viewers', (report) => {
    for (const each of report.latencies) latencies.push(each);
    ({ forbidden, frames } = report);
    firstFrames ??= report.frames;
    return isOver;
  });
  const count = seconds * changesPerSecond;
  await lastValueFrom(changes().pipe(take(count)));
  isOver = true;
  await Promise.all([ofHub, ofViewers]);
  latencies.sort((a, b) => a - b);
  const at = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? NaN;
  const framesPerChange = (frames - (firstFrames ?? 0)) / count;
  return { rss, watches, reviews, forbidden, median: at(0.5), p99: at(0.99), framesPerChange };
}
