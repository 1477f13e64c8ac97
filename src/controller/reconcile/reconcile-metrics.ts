import type { SchedulerLike } from 'rxjs';
import { isRxInformersError } from '../../kubernetes/errors.js';
import { safeMethods, type Safely } from '../../scheduling/safely.js';
import type { RunFailed } from '../workqueue/workqueue-event.js';
import type { ReconcileEvent } from './reconcile-event.js';

/** How a run ended. `skipped`: without work, or the key belongs to another replica. */
export type ReconcileOutcome = 'success' | 'requeue-after' | 'skipped' | 'error' | 'terminal-error' | 'aborted';

/** Metrics hooks of a controller. The names in parentheses are controller-runtime's metrics. */
export interface ReconcileMetrics {
  /** The number of workers (`controller_runtime_max_concurrent_reconciles`); 0 at the end. */
  concurrency(count: number): void;
  /** Called when a run begins (`controller_runtime_active_workers`). */
  started(): void;
  /**
   * Called when a run has ended after `took` milliseconds (`controller_runtime_reconcile_total`,
   * `…_errors_total`, `…_time_seconds`, `…_active_workers`).
   */
  finished(outcome: ReconcileOutcome, took: number): void;
  /**
   * Called when all caches of its resource have shown a write of a run, `took` milliseconds after
   * the response to the write. A write that the caches show before the run ends is reported when
   * the run ends. A write that they have not shown within `observeTimeout` is reported then. Not
   * called for writes of resources that the controller does not watch.
   */
  observed(took: number): void;
}

/** Wraps the hooks of `metrics`, so that `call` catches their errors. */
export function safeRunMetrics(metrics: Partial<ReconcileMetrics>, call: Safely): ReconcileMetrics {
  return safeMethods('metrics', metrics, ['concurrency', 'started', 'finished', 'observed'], call);
}

/** Counts the runs of one subscription. */
export interface RunMeter {
  count(event: ReconcileEvent): void;
  /** Counts the runs that unsubscribing aborts. */
  end(): void;
}

export function measureRuns(
  metrics: ReconcileMetrics,
  { concurrency, scheduler }: { readonly concurrency: number; readonly scheduler: SchedulerLike },
): RunMeter {
  const startedAt = new Map<string, number>();
  const finished = (key: string, outcome: ReconcileOutcome, took: number): void => {
    startedAt.delete(key);
    metrics.finished(outcome, took);
  };
  metrics.concurrency(concurrency);
  return {
    count: (event) => {
      switch (event.type) {
        case 'started':
          startedAt.set(event.key, scheduler.now());
          metrics.started();
          return;
        case 'succeeded':
          finished(event.key, event.requeueAt === undefined ? 'success' : 'requeue-after', event.took);
          return;
        case 'skipped':
          finished(event.key, 'skipped', event.took);
          return;
        case 'failed':
          finished(event.key, outcomeOf(event), event.took);
          return;
        default:
          return;
      }
    },
    end: () => {
      const now = scheduler.now();
      for (const since of startedAt.values()) metrics.finished('aborted', now - since);
      metrics.concurrency(0);
    },
  };
}

function outcomeOf({ error, outcome }: RunFailed): ReconcileOutcome {
  if (outcome === 'terminal') return 'terminal-error';
  return isRxInformersError(error, 'RXI_DRAIN_ENDED') ? 'aborted' : 'error';
}
