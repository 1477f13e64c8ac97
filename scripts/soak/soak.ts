import { KubeConfig } from '@kubernetes/client-node';
import { setTimeout as wait } from 'node:timers/promises';
import type { KubernetesObject } from 'rx-informers';
import { exponentialBackoff } from 'rx-informers/client';
import { kubeClient } from 'rx-informers/node';
import { randomFromSeed } from 'rx-informers/testing';
import { timeouts } from '../../src/sources/reflector/alarm.js';
import { chooseScanner, type ScannerChoice } from '../../src/sources/wire/choose-scanner.js';
import { startRig } from '../../test/cluster/support/rig.js';
import { seed, seedOf } from '../../test/support/seed.js';
import { compare, type Comparison } from './comparison.js';
import { faults, faultsInTurn, lastFault, takeWallClock, type Fault } from './faults.js';
import type { ObserverSetting } from './observers/observer.js';
import { observerOfCollections } from './observers/of-collections.js';
import { observersOfInformers } from './observers/of-informers.js';
import { observerOfLeaderElection } from './observers/of-leader-election.js';
import { observerOfSharedWorker } from './observers/of-shared-worker.js';
import { judge, tableOf, type Run } from './report.js';
import { listAll, prepare } from './soaked-cluster.js';
import { startTroubledServer } from './troubled-server.js';
import { startWriters } from './writers.js';

export interface SoakOptions {
  readonly minutes: number;
  readonly kind: 'rig' | 'kube120';
  /** The folder of `up.sh`. */
  readonly rig: string;
  readonly http2?: true;
  readonly scanner: ScannerChoice;
  readonly verbose?: true;
  /**
   * Ends after the first comparison that finds a problem. Without a problem, lasts until each fault
   * has occurred twice, because a slow machine injects only a few within `minutes`.
   */
  readonly failFast?: true;
}

/** The duration of one round of faults, in milliseconds. */
const troublePeriod = 20_000;
/**
 * The number of writes without a fault at the end of each round, and the time in milliseconds that
 * they may take. After a fault, observers mostly list again, which hides what they lost before.
 */
const calmWrites = 300;
const calmWithin = 60_000;
/**
 * The time that observers may take to catch up once the server works again. The longest wait and
 * the time to list are 20 seconds; a machine that is busy with other things takes a multiple.
 */
const catchUpWithin = 120_000;

/** Short timeouts, so that many connections, lists and waits fit into a minute. */
const limits = {
  watchTimeout: [8, 12],
  grace: 1_000,
  listSilence: 3_000,
  backoff: exponentialBackoff({ initial: 500, cap: 8_000 }),
} as const;
Object.assign(timeouts, { open: 4_000, bookmark: 4_000 } satisfies typeof timeouts);

/** Runs the soak, and prints its table and problems. Resolves to true if there is no problem. */
export async function soak(options: SoakOptions): Promise<boolean> {
  const { minutes, kind, http2 = false, scanner, verbose = false, failFast = false } = options;
  const startedAt = performance.now();
  const elapsed = (): number => performance.now() - startedAt;
  const log = (line: string): void => {
    if (verbose) console.error(`${(elapsed() / 1_000).toFixed(1)} s ${line}`);
  };

  process.env['RIG'] = options.rig;
  await chooseScanner(scanner);
  const clock = takeWallClock();
  const random = randomFromSeed(seedOf('soak'));
  const rig = await startRig({ kind });
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromFile(rig.kubeConfigFile);
  const direct = kubeClient(kubeConfig);
  const cluster = await prepare(direct, 3);
  const proxy = await startTroubledServer(kubeConfig, http2);
  const troubled = kubeClient(proxy.kubeConfig, { http2 });

  const setting: ObserverSetting = { client: troubled, ...cluster, limits, log };
  const ofInformers = observersOfInformers(setting);
  const observers = [
    ...ofInformers.observers,
    observerOfCollections(setting),
    observerOfSharedWorker(setting),
    observerOfLeaderElection(setting),
  ];
  const writers = startWriters({
    client: direct,
    ...cluster,
    onWritten: ofInformers.show,
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

  const interruption = new AbortController();
  process.once('SIGINT', () => interruption.abort());
  process.once('SIGTERM', () => interruption.abort());
  const nextFault = faultsInTurn(random);
  async function trouble({ name, stopsWrites, inject }: Fault): Promise<void> {
    run.faults.set(name, (run.faults.get(name) ?? 0) + 1);
    log(name);
    const injected = async (): Promise<void> => inject({ rig, cluster, proxy, clock, random });
    await (stopsWrites ? writers.during(injected) : injected());
    await wait(2_000 * random());
  }
  /** Waits for writes without a fault. */
  async function calm(): Promise<void> {
    const until = elapsed() + calmWithin;
    const enough = writers.writes + calmWrites;
    while (writers.writes < enough && elapsed() < until && !interruption.signal.aborted) await wait(100);
  }
  const isOver = (): boolean =>
    elapsed() >= minutes * 60_000 && !(failFast && faults.some(({ name }) => (run.faults.get(name) ?? 0) < 2));
  try {
    while (!isOver() && !interruption.signal.aborted) {
      writers.resume();
      for (const until = elapsed() + troublePeriod; elapsed() < until;) await trouble(nextFault());
      await calm();
      if (run.comparisons.length % 2 === 0) await trouble(lastFault);
      await writers.pause();
      run.comparisons.push(await catchUp());
      run.heap.push({ at: elapsed(), value: await settledHeap() });
      if (failFast && judge(run).length > 0) break;
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
  return problems.length === 0;
}

async function settledHeap(): Promise<number> {
  await wait(100);
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
