import type { SchedulerLike, Subscription } from 'rxjs';
import type { ListWatchMetrics } from '../../sources/reflector/metrics.js';
import type { LeaderElectionMetrics } from '../leader-election/leader-options.js';
import type { QueueMetrics } from '../queue/queue-metrics.js';
import type { ReconcileMetrics } from '../reconcile/reconcile-metrics.js';
import type { MembershipMetrics } from '../membership/membership-options.js';
import { leaderElectionMeter, membershipMeter, queueMeter, reconcileMeter } from './controller-meters.js';
import { informerMeter, listWatchMeter, type ObservableInformer } from './informer-meters.js';
import type { Instruments } from './instruments.js';

/**
 * The hooks of a metrics adapter, for each part of a program under a name of its own.
 *
 * `rx-informers/prometheus` and `rx-informers/opentelemetry` are two; they record the same facts under different names (docs/metrics.md).
 *
 * **Guarantees**: nothing runs between two collections: gauges are read at the time of collection. Parts that share a name share
 * its figures: counters add up, and of gauges that cannot be added the most alarming one is reported (the longest run, the greatest
 * staleness, "not synced"). That is never an error.
 * **Does not guarantee**: that a name is forgotten: use names that are few and known beforehand, and never the key of an object. Only
 * what `observe` tells ends with its subscription.
 */
export interface Metrics {
  /** For the `metrics` of `priorityQueue` or `workqueue`, and the `queueMetrics` of a controller. */
  queue(name: string): QueueMetrics;
  /** For the `metrics` of one controller. */
  reconcile(name: string): ReconcileMetrics;
  /** For the `metrics` of one `leader$` of the lease `name`. */
  leaderElection(name: string): LeaderElectionMetrics;
  /** For the `metrics` of one `membership$` of the group `name`. */
  membership(name: string): MembershipMetrics;
  /** For the `metrics` of `listWatch`. The same name gives the same hooks, so a registry still finds the informer that it shares. */
  listWatch(name: string): ListWatchMetrics;
  /**
   * Tells of an informer while subscribed: objects in its cache, seconds since its last message, whether it has synced, its status, its
   * errors by class, and how long its subscribers take for a commit. It only looks on: it does not keep the informer running.
   */
  observe(name: string, informer: ObservableInformer): Subscription;
}

/** The same facts for every adapter; only the instruments differ. */
export function metricsWith(instruments: Instruments, scheduler: SchedulerLike): Metrics {
  return {
    queue: queueMeter(instruments),
    reconcile: reconcileMeter(instruments),
    leaderElection: leaderElectionMeter(instruments),
    membership: membershipMeter(instruments),
    listWatch: listWatchMeter(instruments),
    observe: informerMeter(instruments, scheduler),
  };
}
