/**
 * Observes a real API server in every way that the library offers, while faults of all kinds are
 * injected. Compares each observer with the server when the faults of a round have ended.
 *
 *   npm run soak -- --minutes 10
 *
 * Needs the folder of an `up.sh` that starts API servers: `--rig`, `$RIG`, or ../shared/rig. Prints
 * one table. Fails if an observer lost an object, showed an object that does not exist,
 * contradicted itself or sent too many requests, if the heap grew, or if the process does not exit
 * by itself.
 */
import { KubeConfig } from '@kubernetes/client-node';
import { Command, Option } from 'commander';
import { setTimeout as wait } from 'node:timers/promises';
import { exponentialBackoff, type KubernetesObject } from 'rx-informers';
import { resourceClient } from 'rx-informers/controller';
import { kubeClient } from 'rx-informers/node';
import { randomFromSeed } from 'rx-informers/testing';
import { chooseScanner, type ScannerChoice } from '../../src/sources/wire/choose-scanner.js';
import { startRig } from '../../test/cluster/support/rig.js';
import { compare, type Comparison } from './comparison.js';
import { faultsInTurn, takeWallClock } from './faults.js';
import { startObservers } from './observers.js';
import { judge, tableOf, type Run } from './report.js';
import { listAll, prepare } from './soaked-cluster.js';
import { startTroubledServer } from './troubled-server.js';
import { startWriters } from './writers.js';

interface Options {
  readonly minutes: number;
  readonly seed: number;
  readonly kind: 'rig' | 'kube120';
  readonly rig: string;
  readonly http2?: true;
  readonly scanner: ScannerChoice;
  readonly verbose?: true;
}

const {
  minutes,
  seed,
  kind,
  rig: rigFolder,
  http2 = false,
  scanner,
  verbose = false,
} = new Command('soak')
  .option('--minutes <count>', 'how long', Number, 10)
  .option('--seed <number>', 'repeats the choice of faults and writes', Number, Math.floor(Math.random() * 1e6))
  .option('--kind <kind>', 'rig (recent) or kube120 (1.20, without streaming lists)', 'rig')
  .option('--rig <folder>', 'the folder of up.sh', process.env['RIG'] ?? '../shared/rig')
  .option('--http2', 'observes over HTTP/2, on one connection')
  .addOption(
    new Option('--scanner <name>', 'what reads lists and watches')
      .choices(['wasm', 'javascript', 'fastest'] satisfies ScannerChoice[])
      .default('fastest'),
  )
  .option('--verbose', 'prints every fault and every error')
  .parse()
  .opts<Options>();

/** The duration of one round of faults, in milliseconds. */
const troublePeriod = 20_000;
/**
 * The time that observers may take to catch up once the server works again: the longest wait plus
 * the time to list.
 */
const catchUpWithin = 45_000;

/** Short timeouts, so that many connections, lists and waits fit into a minute. */
const limits = {
  watchTimeout: [8, 12],
  grace: 1_000,
  openTimeout: 4_000,
  listSilence: 3_000,
  bookmarkDeadline: 4_000,
  backoff: exponentialBackoff({ initial: 500, cap: 8_000 }),
} as const;

const begun = performance.now();
const elapsed = (): number => performance.now() - begun;
const log = (line: string): void => {
  if (verbose) console.error(`${(elapsed() / 1_000).toFixed(1)} s ${line}`);
};

process.env['RIG'] = rigFolder;
chooseScanner(scanner);
const clock = takeWallClock();
const random = randomFromSeed(seed);
const rig = await startRig({ kind });
const kubeConfig = new KubeConfig();
kubeConfig.loadFromFile(rig.kubeConfigFile);
const direct = kubeClient(kubeConfig);
const cluster = await prepare(direct, 3);
const proxy = await startTroubledServer(kubeConfig, http2);
const troubled = kubeClient(proxy.kubeConfig, { http2 });

const { observers, show } = startObservers({ client: troubled, ...cluster, limits, log });
const writers = startWriters({
  client: resourceClient(direct, cluster.resource, { timeout: 5_000 }),
  namespaces: cluster.namespaces,
  seed,
  onWritten: show,
});

const run: Run = {
  seed,
  kind,
  protocol: http2 ? 'HTTP/2' : 'HTTP/1.1',
  scanner,
  observers,
  writers,
  faults: new Map(),
  comparisons: [],
  heap: [],
};
const interruption = new AbortController();
process.once('SIGINT', () => interruption.abort());
process.once('SIGTERM', () => interruption.abort());
const nextFault = faultsInTurn(random);
try {
  while (elapsed() < minutes * 60_000 && !interruption.signal.aborted) {
    writers.resume();
    for (const until = elapsed() + troublePeriod; elapsed() < until;) {
      const { name, fault } = nextFault();
      run.faults.set(name, (run.faults.get(name) ?? 0) + 1);
      log(name);
      await fault({ rig, proxy, clock, random });
      await wait(2_000 * random());
    }
    await writers.pause();
    run.comparisons.push(await catchUp());
    run.heap.push({ at: elapsed(), value: await settledHeap() });
  }
} finally {
  for (const observer of observers) observer.stop();
  troubled.close();
  direct.close();
  await proxy.close();
  await rig.stop();
}

console.log(tableOf(run));
const problems = judge(run);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

// This timer does not keep the process alive. It fires only if something else does.
setTimeout(() => {
  console.error(`the process does not exit by itself: ${process.getActiveResourcesInfo().join(', ')}`);
  process.exit(1);
}, 10_000).unref();

/** Compares the observers with the server until they agree or the timeout expires. */
async function catchUp(): Promise<Comparison> {
  const since = performance.now();
  const listed = await listWhenReady();
  for (;;) {
    const comparison = compare(observers, listed, performance.now() - since);
    if (comparison.differences.length === 0 || comparison.waited > catchUpWithin || interruption.signal.aborted)
      return comparison;
    await wait(100);
  }
}

/**
 * Lists the objects. Retries, because an API server that has just been restarted answers 429 for
 * some seconds on a busy machine.
 */
async function listWhenReady(): ReturnType<typeof listAll<KubernetesObject>> {
  const until = elapsed() + catchUpWithin;
  for (;;) {
    try {
      return await listAll(direct, cluster.resource);
    } catch (error) {
      if (elapsed() > until) throw error;
    }
    await wait(500);
  }
}

async function settledHeap(): Promise<number> {
  await wait(100);
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
