import { defer, finalize, tap, type MonoTypeOperatorFunction, type SchedulerLike } from 'rxjs';
import { DrainEndedError } from '../workqueue/drain-ended-error.js';
import type { RunFailed } from '../workqueue/workqueue-event.js';
import type { ReconcileEvent } from './reconcile-event.js';
import type { ReconcileMetrics, ReconcileOutcome } from './reconcile-metrics.js';

/** What carries the measuring. */
export interface MeasureOptions {
  readonly concurrency: number;
  readonly scheduler: SchedulerLike;
}

/** Tells `metrics` what happens, and passes it on; a run that is aborted because nobody is subscribed any more is told as well. */
export function measureRuns<Result>(
  metrics: ReconcileMetrics,
  { concurrency, scheduler }: MeasureOptions,
): MonoTypeOperatorFunction<ReconcileEvent<Result>> {
  return (events$) =>
    defer(() => {
      const startedAt = new Map<string, number>();
      metrics.concurrency(concurrency);
      return events$.pipe(
        tap((event) => {
          switch (event.type) {
            case 'started':
              startedAt.set(event.key, scheduler.now());
              metrics.started();
              return;
            case 'succeeded':
              startedAt.delete(event.key);
              metrics.finished(event.requeueAt === undefined ? 'success' : 'requeue-after', event.took);
              return;
            case 'skipped':
              startedAt.delete(event.key);
              metrics.finished('skipped', event.took);
              return;
            case 'failed':
              startedAt.delete(event.key);
              metrics.finished(outcomeOf(event), event.took);
              return;
            default:
              return;
          }
        }),
        finalize(() => {
          const now = scheduler.now();
          for (const since of startedAt.values()) metrics.finished('aborted', now - since);
          metrics.concurrency(0);
        }),
      );
    });
}

function outcomeOf({ error, outcome }: RunFailed): ReconcileOutcome {
  if (outcome === 'terminal') return 'terminal-error';
  return error instanceof DrainEndedError ? 'aborted' : 'error';
}
