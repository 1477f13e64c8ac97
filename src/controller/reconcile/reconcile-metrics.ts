import { containedMethods, type CallHook } from '../contained.js';

/**
 * How a run of a controller ended. `skipped`: it did no work, or was given up, because its key is
 * not for this replica. `aborted`: the controller was stopped or unsubscribed from before the run
 * ended.
 */
export type ReconcileOutcome = 'success' | 'requeue-after' | 'skipped' | 'error' | 'terminal-error' | 'aborted';

/** What a controller tells whoever measures it; the names beside are those of controller-runtime's metrics. */
export interface ReconcileMetrics {
  /** The controller has started, with so many workers (`controller_runtime_max_concurrent_reconciles`); 0 when it has ended. */
  concurrency(count: number): void;
  /** A run began (`controller_runtime_active_workers`). */
  started(): void;
  /** It ended after `took` milliseconds (`controller_runtime_reconcile_total`, `…_errors_total`, `…_time_seconds`, `…_active_workers`). */
  finished(outcome: ReconcileOutcome, took: number): void;
}

/** Returns hooks that call those of `metrics`, and contain what they throw. */
export function containedRunMetrics(metrics: ReconcileMetrics, call: CallHook): ReconcileMetrics {
  return containedMethods('metrics', metrics, ['concurrency', 'started', 'finished'], call);
}
