import type { ReconcileMetrics, ReconcileOutcome } from '../reconcile/reconcile-metrics.js';
import { ByName, sum } from './by-name.js';
import { inSeconds } from './in-seconds.js';
import type { Instruments } from './instruments.js';

interface Controllers {
  activeWorkers: number;
  /** By hooks, which stand for one controller each. */
  readonly concurrency: Map<ReconcileMetrics, number>;
}

/**
 * controller-runtime's word for each outcome. It has none for `skipped` and `aborted`, and counts a
 * terminal error as an error.
 */
const resultOf: Readonly<Record<ReconcileOutcome, string>> = {
  success: 'success',
  'requeue-after': 'requeue_after',
  skipped: 'skipped',
  error: 'error',
  'terminal-error': 'error',
  aborted: 'aborted',
};

/** Controllers by name. Their counters exist from the beginning, so that the first error is an increase. */
export function reconcileMeter(instruments: Instruments): (name: string) => ReconcileMetrics {
  const controllers = new ByName<Controllers>(() => ({ activeWorkers: 0, concurrency: new Map() }));
  instruments.read('activeWorkers', () =>
    controllers.map(({ activeWorkers }, name) => ({ value: activeWorkers, labels: { name } })),
  );
  instruments.read('maxConcurrentReconciles', () =>
    controllers.map(({ concurrency }, name) => ({
      value: sum(concurrency.values(), (count) => count),
      labels: { name },
    })),
  );

  return (name) => {
    const labels = { name };
    const ofName = controllers.of(name);
    for (const result of new Set(Object.values(resultOf))) instruments.count('reconciles', 0, { name, result });
    instruments.count('reconcileErrors', 0, labels);
    instruments.count('terminalErrors', 0, labels);
    const hooks: ReconcileMetrics = {
      concurrency: (count) => {
        if (count === 0) ofName.concurrency.delete(hooks);
        else ofName.concurrency.set(hooks, count);
      },
      started: () => {
        ofName.activeWorkers += 1;
      },
      finished: (outcome, took) => {
        ofName.activeWorkers -= 1;
        instruments.count('reconciles', 1, { name, result: resultOf[outcome] });
        if (resultOf[outcome] === 'error') instruments.count('reconcileErrors', 1, labels);
        if (outcome === 'terminal-error') instruments.count('terminalErrors', 1, labels);
        // A skipped run takes no time, and would make the others look fast.
        if (outcome !== 'skipped') instruments.record('reconcileDuration', inSeconds(took), labels);
      },
    };
    return hooks;
  };
}
