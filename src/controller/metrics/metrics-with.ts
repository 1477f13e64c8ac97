import type { SchedulerLike } from 'rxjs';
import { informerMeter } from './informer-meter.js';
import type { Instruments } from './instruments.js';
import { leaderElectionMeter } from './leader-election-meter.js';
import { listWatchMeter } from './list-watch-meter.js';
import type { Metrics } from './metrics.js';
import { queueMeter } from './queue-meter.js';
import { reconcileMeter } from './reconcile-meter.js';
import { membershipMeter } from './membership-meter.js';

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
