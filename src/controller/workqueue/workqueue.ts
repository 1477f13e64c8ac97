import { Observable, take, type OperatorFunction } from 'rxjs';
import { HookFailures } from '../contained.js';
import { checkFunction } from '../option-checks.js';
import { type QueueInternals, UnsettledWork } from './held-keys.js';
import type { QueueInput } from '../queue/queue-item.js';
import type { ResultOf, RunContext } from './run.js';
import { Workers } from './workers.js';
import type { WorkqueueEvent } from './workqueue-event.js';
import { checkedOptions, containedHooksOf, type WorkqueueOptions } from './workqueue-options.js';

/**
 * Runs `project` for each key that comes in, with the semantics of client-go's workqueue, and emits what happens.
 *
 * | in | out |
 * | --- | --- |
 * | a key, or a request `{ key, priority?, delay?, reason? }` | `started`, an `emitted` for each value of the run, then `succeeded` or `failed` |
 * | the same key, while it waits | nothing: one run serves both (W1) |
 * | the same key, while it runs | one more run, behind the keys that wait already (W2) |
 * | anything that is not a key | `refused` |
 * | completion | queued and running keys are finished; delayed keys are `dropped` (see `waitForDelayed`); completion (see `drainUntil`) |
 * | an error | the same error, at once; running keys are aborted |
 *
 * A run may return a value, a promise, an Observable or an async iterable, of any number of values, or nothing. It ends when that
 * ends. `requeueAfter(ms)` among its values runs it again. A failed run is retried when the rate limiter says so, by default as in
 * client-go: after 5 ms, doubled each time, up to 1000 s; all keys together 10 times a second after a burst of 100 (W7). If it
 * failed with a `StatusError` that has a `retryAfter`, its key does not run before that time (five minutes at most), even if it is
 * added again. A `TerminalError` is not retried. Both are also found as `cause`, and in an `AggregateError`.
 *
 * A run that was timed out, aborted or unsubscribed from may leave a promise or an async iterable behind. Its worker is free then.
 * Its key is held until the rest has ended, also for a later subscription. `held` is emitted if that takes longer than ten seconds,
 * and `released` when the key is free. A drain waits for held keys, and for what was added for them; `drainUntil` ends that wait.
 *
 * **Guarantees**: a key never runs twice at once, not even with the promise of a run that was given up. Each key runs at least once
 * after it came in last. Higher priorities go first, and none starves (see `priorityQueue`). Errors of runs are values: the stream
 * goes on. Unsubscribing aborts running keys and clears the timer, and nothing is emitted after it. Each subscription has its own
 * queue, and respects the keys that an earlier one left held.
 *
 * **Does not guarantee**: that a held key is ever free: a promise that never settles keeps it, so work has to heed `signal`. That
 * the work behind a promise is over when the stream completes because of `drainUntil`, or when an Observable that hides a promise
 * was unsubscribed from. That every addition has a run of its own.
 *
 * @param project does the work of one key; it may throw
 * @returns an operator from keys to events; it errors only as its source does
 * @throws `RangeError` or `TypeError` for options that make no sense
 * @example
 * declare const reconcile: (pod: Pod | undefined, signal: AbortSignal) => Promise<void>;
 *
 * podInformer.changes$
 *   .pipe(changedKeys(), workqueue((key, { signal }) => reconcile(podInformer.get(key), signal), { concurrency: 4, timeout: 60_000 }))
 *   .subscribe((event) => console.log(event.type));
 */
export function workqueue<Key extends string, Output, Reason = unknown>(
  project: (key: Key, context: RunContext<Reason>) => Output,
  options: WorkqueueOptions = {},
): OperatorFunction<QueueInput<Key, Reason>, WorkqueueEvent<ResultOf<Output>, Key, Reason>> {
  checkFunction('the work of workqueue', project, ', such as async (key, { signal }) => { … }');
  const checked = checkedOptions(options);
  const unsettled = new UnsettledWork(checked.scheduler);
  return (inputs$) => runKeys(inputs$, project, checked, { unsettled });
}

/** Runs keys as `workqueue` does, with what the queue asks and shares besides its options. */
export function runKeys<Key extends string, Output, Reason = unknown>(
  inputs$: Observable<QueueInput<Key, Reason>>,
  project: (key: Key, context: RunContext<Reason>) => Output,
  checked: ReturnType<typeof checkedOptions>,
  internals: QueueInternals<Key>,
): Observable<WorkqueueEvent<ResultOf<Output>, Key, Reason>> {
  // Workers end before their source is left, so that nothing that its teardown emits is begun.
  return new Observable((subscriber) => {
    const hooks = new HookFailures();
    const tellFailures = (): void => {
      for (const failed of hooks.take()) subscriber.next(failed);
    };
    const workers = new Workers<Key, Reason>(
      {
        run: project,
        call: hooks.call,
        tell: (event) => {
          subscriber.next(event as WorkqueueEvent<ResultOf<Output>, Key, Reason>);
          tellFailures();
        },
        complete: () => {
          tellFailures();
          subscriber.complete();
        },
      },
      { ...checked, ...containedHooksOf(checked, hooks.call) },
      internals,
    );
    const failed = (error: unknown): void => {
      subscriber.error(error);
    };
    const drained = (): void => {
      workers.drain();
      if (subscriber.closed) return;
      const end = (): void => {
        workers.endDrain();
      };
      subscriber.add(checked.drainUntil.pipe(take(1)).subscribe({ next: end, error: failed }));
    };
    const start = (): void => {
      workers.start();
    };
    subscriber.add(workers);
    subscriber.add(checked.startWhen.pipe(take(1)).subscribe({ complete: start, error: failed }));
    subscriber.add(
      inputs$.subscribe({
        next: (input) => {
          workers.take(input);
        },
        error: failed,
        complete: drained,
      }),
    );
  });
}
