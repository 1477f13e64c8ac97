/**
 * Runs a replica in a process of its own. While it leads, its controller never stops computing. The
 * program logs its leaderships, its first run and every hundredth run, and in each second the
 * longest stall of its event loop. Each line has a time (`at`) from a clock that all processes
 * share.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { configMaps, informer, listWatch } from 'rx-informers';
import { controller, leader$, requeueAfter, whileLeading } from 'rx-informers/controller';
import { consoleLogger, kubeClient } from 'rx-informers/node';
import { filter, firstValueFrom } from 'rxjs';
import { readKubeConfig } from './cluster.js';

const [identity = '', kubeConfigFile = '', namespace = '', objects = '', computeFor = ''] = process.argv.slice(2);
const client = kubeClient(readKubeConfig(kubeConfigFile));
const cache = informer(listWatch(client, configMaps, { namespace }));
const logger = consoleLogger({ json: true });
const delay = monitorEventLoopDelay({ resolution: 5 });

/** Returns milliseconds of the machine's monotonic clock. */
const now = (): number => Number(process.hrtime.bigint()) / 1_000_000;

let runs = 0;
let lastRunAt = 0;
const runsOfKey = new Map<string, number>();

const runs$ = controller({
  for: cache,
  concurrency: 4,
  reconcile: async ({ key }) => {
    lastRunAt = now();
    runs += 1;
    runsOfKey.set(key, (runsOfKey.get(key) ?? 0) + 1);
    if (runs % 100 === 1) logger.info({ at: lastRunAt, runs, keys: runsOfKey.size }, 'run');
    while (now() < lastRunAt + Number(computeFor));
    await Promise.resolve();
    await Promise.resolve();
    return requeueAfter(1);
  },
});

cache.connect();
await firstValueFrom(cache.snapshot$.pipe(filter(({ size }) => size === Number(objects))));
const leadership$ = leader$(client, { lease: { namespace, name: 'busy' }, identity });
leadership$.subscribe(({ type }) => {
  logger.info({ at: now(), runs, lastRunAt }, type);
  if (type === 'leading') delay.enable();
});
leadership$.pipe(whileLeading(runs$)).subscribe();
setInterval(() => {
  const rounds = runsOfKey.size < Number(objects) ? 0 : Math.min(...runsOfKey.values());
  logger.info({ at: now(), longest: delay.max / 1_000_000, rounds }, 'stall');
}, 1_000);
