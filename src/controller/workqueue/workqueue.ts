import { Observable, take, type OperatorFunction } from 'rxjs';
import { checkFunction } from '../option-checks.js';
import type { QueueInput } from '../queue/queue-item.js';
import { HookFailures } from '../safe-hooks.js';
import { type QueueInternals, UnsettledWork } from './held-keys.js';
import type { ResultOf, RunContext } from './run.js';
import { Workers } from './workers.js';
import type { WorkqueueEvent } from './workqueue-event.js';
import { checkedWorkqueueOptions, safeHooksOf, type WorkqueueOptions } from './workqueue-options.js';

/**
 * Runs `project` for each key of the source, with the semantics of client-go's workqueue, and emits
 * the events of the runs.
 *
 * | in | out |
 * | --- | --- |
 * | a key, or a request `{ key, priority?, delay?, reason? }` | `started`, an `emitted` for each
 * value of the run, then `succeeded`, `failed` or `skipped` |
 * | a key that is waiting already | nothing: one run serves both requests (W1) |
 * | a key that is running | one more run, behind the keys that wait already (W2) |
 * | a value that is not a key or a request | `refused` |
 * | completion | queued and running keys are finished; delayed keys are `dropped` (see
 * `waitForDelayed`); completion (see `drainUntil`) |
 * | an error | the same error, at once; running keys are aborted |
 *
 * A run may return nothing, a value, a promise, or an Observable or async iterable of any number of
 * values. The run ends when its result ends. If `requeueAfter(ms)` is among its values, the key
 * runs again.
 *
 * A failed run is retried after the wait of the rate limiter. The default is as in client-go (W7).
 * The wait is 5 ms, doubled with each failure, up to 1000 s. All keys together are retried 10 times
 * a second, after a burst of 100 retries. If a run failed with a `StatusError` that has a
 * `retryAfter`, its key does not run before that time (five minutes at most), even if it is added
 * again. A `TerminalError` is not retried. Both errors are also found as the `cause` of another
 * error, and in an `AggregateError`.
 *
 * When a run is timed out, aborted or unsubscribed from, its promise or async iterable may
 * continue. The worker is free at once. The key is held until that work has ended, even in a later
 * subscription. If this takes longer than ten seconds, `held` is emitted, and `released` when the
 * key is free. A drain waits for held keys and for their next runs; `drainUntil` ends that wait.
 *
 * **Guarantees**: a key never runs twice at the same time, not even while the promise of a run that
 * was given up is pending. After the last input of a key, a run of the key begins. Keys of a higher
 * priority run first, and no key starves: after nine of them, the oldest key runs. A failed run is
 * an event; the stream continues. Unsubscribing aborts running keys and clears the timer; nothing
 * is emitted after that. Each subscription has its own queue. If a key is still held because of an
 * earlier subscription, it runs only when it is free.
 *
 * **Does not guarantee**: that a held key is ever free. A promise that never settles holds its key,
 * so stop the work when `signal` aborts. It also does not guarantee that every addition leads to a
 * separate run, or that the work behind a promise has ended in two cases: when the stream completes
 * because of `drainUntil`, and when an Observable that wraps a promise was unsubscribed from.
 *
 * @param project does the work of one key; it may throw
 * @param options the limits, the rate limiter and the ends of a run; see {@link WorkqueueOptions}
 * @returns an operator from keys to events; it errors only if the source, `startWhen` or
 *   `drainUntil` errors
 * @throws `RXI_INVALID_OPTION` if an option is invalid
 * @example
 * declare const reconcile: (pod: Pod | undefined, signal: AbortSignal) => Promise<void>;
 *
 * podInformer.changes$
 *   .pipe(
 *     changedKeys(),
 *     workqueue((key, { signal }) => reconcile(podInformer.get(key), signal), {
 *       concurrency: 4,
 *       timeout: 60_000,
 *     }),
 *   )
 *   .subscribe((event) => console.log(event.type));
 */
export function workqueue<Key extends string, Output, Reason = unknown>(
  project: (key: Key, context: RunContext<Reason>) => Output,
  options: WorkqueueOptions = {},
): OperatorFunction<QueueInput<Key, Reason>, WorkqueueEvent<ResultOf<Output>, Key, Reason>> {
  checkFunction('the argument of workqueue', project, ', such as async (key, { signal }) => { … }');
  const checked = checkedWorkqueueOptions(options);
  const unsettled = new UnsettledWork(checked.scheduler);
  return (inputs$) => runKeys(inputs$, project, checked, { unsettled });
}

/** Runs keys as `workqueue` does, with the internal hooks and state of the caller. */
export function runKeys<Key extends string, Output, Reason = unknown>(
  inputs$: Observable<QueueInput<Key, Reason>>,
  project: (key: Key, context: RunContext<Reason>) => Output,
  checked: ReturnType<typeof checkedWorkqueueOptions>,
  internals: QueueInternals<Key>,
): Observable<WorkqueueEvent<ResultOf<Output>, Key, Reason>> {
  // Workers are torn down before the source: a key that its teardown emits does not run.
  return new Observable((subscriber) => {
    const hooks = new HookFailures();
    const emitFailures = (): void => {
      for (const failed of hooks.take()) subscriber.next(failed);
    };
    const workers = new Workers<Key, Reason>(
      {
        run: project,
        call: hooks.call,
        emit: (event) => {
          subscriber.next(event as WorkqueueEvent<ResultOf<Output>, Key, Reason>);
          emitFailures();
        },
        complete: () => {
          emitFailures();
          subscriber.complete();
        },
      },
      { ...checked, ...safeHooksOf(checked, hooks.call) },
      internals,
    );
    const failed = (error: unknown): void => subscriber.error(error);
    const drained = (): void => {
      workers.drain();
      if (subscriber.closed) return;
      const end = (): void => workers.endDrain();
      subscriber.add(checked.drainUntil.pipe(take(1)).subscribe({ next: end, error: failed }));
    };
    const start = (): void => workers.start();
    subscriber.add(workers);
    subscriber.add(checked.startWhen.pipe(take(1)).subscribe({ complete: start, error: failed }));
    subscriber.add(inputs$.subscribe({ next: (input) => workers.take(input), error: failed, complete: drained }));
  });
}
