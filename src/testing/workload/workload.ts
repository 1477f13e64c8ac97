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

/** Options of {@link workload}. */
export interface WorkloadOptions {
  /** The number of nodes. Default 5. */
  readonly nodes?: number | undefined;
  /** The names of the namespaces. Default `['shop', 'blog', 'jobs']`. */
  readonly namespaces?: readonly string[] | undefined;
  /** Apps in each namespace. Default `['web', 'api', 'cache', 'worker']`. */
  readonly apps?: readonly string[] | undefined;
  /** The approximate number of pods at any time, over all apps; default 60. */
  readonly pods?: number | undefined;
  /**
   * The average number of changes in a second; default 5. With 0, the cluster stays as it was
   * created.
   *
   * At a rate above about 1,000, or in a busy process, several changes happen at once.
   */
  readonly rate?: number | undefined;
  /** Choose the changes; default `Math.random`. A seeded generator repeats them. */
  readonly random?: (() => number) | undefined;
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * Simulates the activity of a cluster on an API server: seeds nodes, namespaces, deployments and
 * pods, then creates, schedules, starts, restarts and deletes pods one change at a time.
 *
 * A deleted pod is replaced by another pod of the same app, usually on another node. Nodes have a
 * zone (`zone-a`, `zone-b`, `zone-c`, in turn) and a capacity of 16 CPUs and 64 GiB. Each pod
 * requests 50m to 500m of CPU; all pods of an app request the same amount. Pods are scheduled to
 * any node, even to one without free capacity.
 *
 * **Guarantees**: cold; unsubscribing stops the activity and leaves all objects; the same `random`
 * leads to the same changes; in virtual time, each change happens at its own time. **Does not
 * guarantee**: that a controller reacts to the writes of other clients, because the workload
 * manages only its own pods; the rate: if the process falls behind by more than 100 ms, changes are
 * skipped.
 *
 * @param server receives the objects
 * @param options nodes, namespaces, apps and the rate; see {@link WorkloadOptions}
 * @returns a stream of the changes
 * @example
 * const server = await createApiServer();
 * const running = workload(server, { nodes: 3, pods: 30, rate: 10 }).subscribe((step) =>
 *   console.log(step),
 * );
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

/** Makes each step on demand, so that no step happens after the subscriber has left. */
function* stepsOf(cluster: Cluster, count: number): Generator<WorkloadStep> {
  for (let made = 0; made < count; made += 1) yield cluster.step();
}

/** Milliseconds of missed changes made after a delay. A viewer could not follow all at once. */
const maxBlocked = 100;

/** The part of a period that a step may be early: times and periods are rounded. */
const rounding = 1e-6;

/**
 * Returns a function that returns the number of steps that have become due since its last call.
 * Call it about once in each period.
 *
 * A timer cannot fire more often than once a millisecond, and a busy process fires it late. If the
 * clock is set back, no step is due. If the clock is set forward, this counts as the longest delay.
 *
 * @param period milliseconds between two steps
 */
export function dueSteps(period: number, clock: TimestampProvider): () => number {
  let last = clock.now();
  let owed = 0;
  return () => {
    const now = clock.now();
    owed += Math.min(Math.max(now - last, 0), period + maxBlocked) / period;
    last = now;
    const due = Math.floor(owed + rounding);
    owed -= due;
    return due;
  };
}
