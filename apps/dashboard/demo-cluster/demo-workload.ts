import {
  asyncScheduler,
  concat,
  concatMap,
  defer,
  finalize,
  interval,
  of,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import { DemoCluster, type DemoSize } from './demo-cluster.js';
import type { DemoServer } from './ground.js';
import { demoLogs } from './logs.js';
import { demoUsage } from './usage.js';

/**
 * The demo as a scene for `openLiveCluster`: its changes, the logs of its pods, and their usage.
 */
export const demoScene = {
  serverOptions: { podLogs: demoLogs(), containerUsage: demoUsage },
  populate: (server: DemoServer, options: DemoSize): Observable<DemoStep> => demoWorkload(server, options),
};

export interface DemoOptions extends DemoSize {
  /** The source of randomness. A seeded one repeats the same sequence. Default: `Math.random`. */
  readonly random?: () => number;
  readonly scheduler?: SchedulerLike;
}

/** A step of the demo: it has created the cluster, or made one change. */
export type DemoStep = 'seeded' | 'changed';

/**
 * After a delay, missed changes are made up for. This limits them to the changes of 0.1 seconds.
 */
const maxBlocked = 0.1;

/**
 * Fills an API server with a live cluster: rollouts, Jobs, failing pods and nodes, Events. Follows
 * a user who scales, restarts, deletes and cordons.
 *
 * **Guarantees**: The observable is cold. Unsubscribing stops the changes, and keeps the objects.
 * The same `random` produces the same sequence, in virtual time and in real time. Each step makes
 * one change, with `rate` steps per second on average.
 */
export function demoWorkload(server: DemoServer, options: DemoOptions): Observable<DemoStep> {
  const { rate, random = Math.random, scheduler = asyncScheduler } = options;
  return defer(() => {
    const cluster = new DemoCluster(server, options, random, scheduler);
    cluster.seed();
    const seeded = of<DemoStep>('seeded');
    const changes = rate <= 0 ? seeded : concat(seeded, changesOf(cluster, rate, scheduler));
    return changes.pipe(
      finalize(() => {
        cluster.close();
      }),
    );
  });
}

function changesOf(cluster: DemoCluster, rate: number, scheduler: SchedulerLike): Observable<DemoStep> {
  // A timer fires at most once per millisecond, and is late in a busy process.
  const period = Math.max(1000 / rate, 5);
  let last = scheduler.now();
  let owed = 0;
  const due = (): number => {
    const now = scheduler.now();
    owed = Math.min(owed + ((now - last) * rate) / 1000, Math.max(1, rate * (maxBlocked + period / 1000)));
    last = now;
    const count = Math.floor(owed + 1e-6);
    owed -= count;
    return count;
  };
  return interval(period, scheduler).pipe(concatMap(() => stepsOf(cluster, due())));
}

function* stepsOf(cluster: DemoCluster, count: number): Generator<DemoStep> {
  for (let made = 0; made < count; made += 1) {
    cluster.step();
    yield 'changed';
  }
}
