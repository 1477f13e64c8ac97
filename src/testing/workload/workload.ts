import { asyncScheduler, concat, defer, interval, map, of, type Observable, type SchedulerLike } from 'rxjs';
import type { InMemoryApiServer } from '../api-server/in-memory-api-server.js';
import { Cluster } from './cluster.js';
import type { WorkloadStep } from './workload-step.js';

export interface WorkloadOptions {
  /** Default 5. */
  readonly nodes?: number;
  /** Default `['shop', 'blog', 'jobs']`. */
  readonly namespaces?: readonly string[];
  /** Default `['web', 'api', 'cache', 'worker']`; each namespace has all of them. */
  readonly apps?: readonly string[];
  /** About how many pods there are at any time, spread over the apps; default 60. */
  readonly pods?: number;
  /** Changes a second; default 5, and 0 leaves the cluster as it was made. */
  readonly rate?: number;
  /** Chooses what happens; default `Math.random`, and a seeded one repeats the same story. */
  readonly random?: () => number;
  readonly scheduler?: SchedulerLike;
}

/**
 * Makes an API server look like a living cluster: seeds nodes, namespaces, deployments and pods, then creates, schedules, starts,
 * restarts and deletes pods one change at a time.
 *
 * A pod that goes is replaced by one of the same app, most often on another node.
 *
 * **Guarantees**: cold; stops when unsubscribed and leaves what is there; the same story for the same `random`.
 * **Does not guarantee**: that controllers act on what others write; only its own pods are looked after.
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
    return concat(seeded, interval(1000 / rate, scheduler).pipe(map(() => cluster.step())));
  });
}
