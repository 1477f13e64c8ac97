import type { SchedulerLike, Subscription } from 'rxjs';
import type { ListWatchMetrics } from '../../sources/reflector/metrics.js';
import type { LeaderElectionMetrics } from '../leader-election/leader-options.js';
import type { MembershipMetrics } from '../membership/membership-options.js';
import type { QueueMetrics } from '../queue/queue-metrics.js';
import type { ReconcileMetrics } from '../reconcile/reconcile-metrics.js';
import { leaderElectionMeter, membershipMeter, queueMeter, reconcileMeter } from './controller-meters.js';
import { informerMeter, listWatchMeter, type ObservableInformer } from './informer-meters.js';
import type { Instruments } from './instruments.js';

/**
 * A metrics adapter. Each method returns the metrics hooks for one part of a program. Values are
 * reported under the `name` of that part.
 *
 * `rx-informers/prometheus` and `rx-informers/opentelemetry` are two adapters. They record the same
 * values under different metric names (docs/how-to/metrics.md).
 *
 * **Guarantees**: Gauges are read only when metrics are collected, so no code runs between
 * collections. Several parts may have the same name. Their counters are added up. If gauges cannot
 * be added, the worst value is reported: the longest run, the greatest staleness, "not synced".
 *
 * **Does not guarantee**: that the values of a name are ever removed. So use a few fixed names, and
 * never the key of an object. Only the values of `observe` are removed when its subscription ends.
 */
export interface Metrics {
  /** For `metrics` of `workqueue`, and `queueMetrics` of a controller. */
  queue(name: string): QueueMetrics;
  /** Returns hooks for the option `metrics` of one controller. */
  reconcile(name: string): ReconcileMetrics;
  /** Returns hooks for the option `metrics` of a `leader$`; `name` is the lease. */
  leaderElection(name: string): LeaderElectionMetrics;
  /** Returns hooks for the option `metrics` of a `membership$`; `name` is the group. */
  membership(name: string): MembershipMetrics;
  /** For `metrics` of `listWatch`. A name has the same hooks, so registries share informers. */
  listWatch(name: string): ListWatchMetrics;
  /**
   * Reports values of an informer until the subscription ends: the objects in its cache, the
   * seconds since its last message, whether it has synced, its status, its errors by class, and the
   * time that its subscribers take for a commit. `observe` does not keep the informer running.
   */
  observe(name: string, informer: ObservableInformer): Subscription;
}

/** Creates a metrics adapter. All record the same values; only the instruments differ. */
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
