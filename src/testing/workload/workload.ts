import {
  asyncScheduler,
  concat,
  concatMap,
  defer,
  interval,
  of,
  type Observable,
  type SchedulerLike,
  type TimestampProvider,
} from 'rxjs';
import type { InMemoryApiServer } from '../api-server/in-memory-api-server.js';
import { Cluster, type WorkloadStep } from './cluster.js';

export interface WorkloadOptions {
  /** Default 5. */
  readonly nodes?: number | undefined;
  /** Default `['shop', 'blog', 'jobs']`. */
  readonly namespaces?: readonly string[] | undefined;
  /** Default `['web', 'api', 'cache', 'worker']`; each namespace has all of them. */
  readonly apps?: readonly string[] | undefined;
  /** About how many pods there are at any time, spread over the apps; default 60. */
  readonly pods?: number | undefined;
  /**
   * Changes a second, on average; default 5, and 0 leaves the cluster as it was made.
   *
   * More than about a thousand, or in a process that is busy, several come at once.
   */
  readonly rate?: number | undefined;
  /** Chooses what happens; default `Math.random`, and a seeded one repeats the same story. */
  readonly random?: (() => number) | undefined;
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * Makes an API server look like a living cluster: seeds nodes, namespaces, deployments and pods, then creates, schedules, starts,
 * restarts and deletes pods one change at a time.
 *
 * A pod that goes is replaced by one of the same app, most often on another node. Nodes have a zone
 * (`zone-a`, `zone-b`, `zone-c`, in turn) and a capacity of 16 CPUs and 64 GiB. Each pod requests CPU:
 * 50m to 500m, the same for all pods of an app. Pods go to any node, also to one without room.
 *
 * **Guarantees**: cold; stops when unsubscribed and leaves what is there; the same story for the same `random`; in virtual time each
 * change at its own time.
 * **Does not guarantee**: that controllers act on what others write, only its own pods are looked after; the rate where the process
 * cannot keep it up: of a delay of more than 100 ms, the rest is let go.
 *
 * @example
 * const server = await createApiServer();
 * const running = workload(server, { nodes: 3, pods: 30, rate: 10 }).subscribe((step) => console.log(step));
 * running.unsubscribe();
 */
export function workload(
  server: Pick<InMemoryApiServer, 'apply' | 'remove' | 'client'>,
  options: WorkloadOptions = {},
): Observable<WorkloadStep> {
  const { rate = 5, scheduler = asyncScheduler, random = Math.random } = options;
  return defer(() => {
    const cluster = new Cluster(server, {
      nodes: options.nodes ?? 5,
      namespaces: options.namespaces ?? ['shop', 'blog', 'jobs'],
      apps: options.apps ?? ['web', 'api', 'cache', 'worker'],
      pods: options.pods ?? 60,
      random,
    });
    const seeded = of(cluster.seed());
    if (rate <= 0) return seeded;
    const period = 1000 / rate;
    const due = dueSteps(period, scheduler);
    return concat(seeded, interval(period, scheduler).pipe(concatMap(() => stepsOf(cluster, due()))));
  });
}

/** Makes each step when it is asked for, so that none is made for somebody who has left. */
function* stepsOf(cluster: Cluster, count: number): Generator<WorkloadStep> {
  for (let made = 0; made < count; made += 1) yield cluster.step();
}

/** A program that was held up for longer lets the rest go: whoever watches could not follow all of it at once. */
const mostHeldUp = 100;

/** Clocks and periods are no whole numbers; a step is due so much of a period before its time. */
const rounding = 1e-6;

/**
 * Tells at each call how many steps have come due since the one before, or since it was made; to be called about once a period.
 *
 * A timer cannot fire more often than once a millisecond, and a busy process fires it late. A clock that is set back or forward
 * is taken for a delay, of nothing or of the longest.
 *
 * @param period milliseconds between two steps
 */
export function dueSteps(period: number, clock: TimestampProvider): () => number {
  let last = clock.now();
  let owed = 0;
  return () => {
    const now = clock.now();
    owed += Math.min(Math.max(now - last, 0), period + mostHeldUp) / period;
    last = now;
    const due = Math.floor(owed + rounding);
    owed -= due;
    return due;
  };
}
