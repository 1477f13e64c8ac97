import type { SchedulerLike } from 'rxjs';
import { DrainEndedError } from '../workqueue/drain-ended-error.js';
import type { RunFailed } from '../workqueue/workqueue-event.js';
import type { ReconcileEvent } from './reconcile-event.js';
import type { ReconcileMetrics, ReconcileOutcome } from './reconcile-metrics.js';

/** Counts the runs of one subscription. */
export interface RunMeter {
  count(event: ReconcileEvent): void;
  /** Counts the runs that unsubscribing aborts. */
  end(): void;
}

/** Returns what calls the hooks of `metrics`. */
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
  return error instanceof DrainEndedError ? 'aborted' : 'error';
}
