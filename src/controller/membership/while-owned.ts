import { defer, NEVER, Observable, Subscription, tap } from 'rxjs';
import { onAbort } from '../../scheduling/on-abort.js';
import { keyLostError } from '../lease/lease-errors.js';
import { unreachedVersions, type RunHandOver } from '../lease/written-versions.js';
import { runStoppedError } from '../queue/errors.js';
import { skipped, type Skipped } from '../workqueue/outcome.js';
import { OngoingWork, withSettled, type ValueOf, type Work } from '../workqueue/with-settled.js';
import type { MembershipState } from './membership-state.js';

/** What {@link whileOwned} needs of a run; requests of `controller()` have both fields. */
export interface OwnedRun {
  readonly key: string;
  /** If this signal is aborted, the work is aborted too. */
  readonly signal?: AbortSignal | undefined;
  /** Set by `controller({ client })`: hands the key over with the versions of its writes. */
  readonly handOver?: RunHandOver | undefined;
}

/**
 * Runs the work on a key only while this replica owns the key. Use it in each run of a queue or a
 * controller whose keys are shared.
 *
 * | what happens | out |
 * | --- | --- |
 * | the key is not owned when the run starts | `Skipped`, completion; the work is not started |
 * | a cache of the controller lacks writes of the former owner of the key | `Skipped`, completion;
 * the key runs again when its caches have them (only with `controller({ client })`, if the whole
 * request is passed) |
 * | the work emits a value | the same value |
 * | the key is lost | the signal is aborted with an `RXI_KEY_LOST`, and an Observable is
 * unsubscribed from; `Skipped` and completion when the work has ended |
 * | the key is lost during the call of `work` | the same as if the key is lost later, but a
 * returned Observable or async iterable is not started |
 * | the work fails | the same error; after the key was lost, `Skipped` instead of the error |
 *
 * A queue reports a run that ends with `Skipped` as `skipped`, not as `succeeded`, and does not
 * requeue it: the new owner runs the key.
 *
 * **Guarantees**: The key is withheld from its new owner until the work has ended, for at most
 * `releaseTimeout`. An Observable has ended when it was unsubscribed from. A promise has ended when
 * it has settled. So the runs of different replicas do not overlap if they respond to their signals
 * in time.
 *
 * **Does not guarantee**: that unsubscribing waits for a promise. A queue unsubscribes after its
 * `timeout`, and when it is stopped. It also does not guarantee that work ends in time if no
 * renewal succeeded.
 *
 * @param membership$ the stream that `membership$` returned
 * @param run the key, and the signal that the queue passed to the run
 * @param work the function that does the work; its signal is aborted when the key is lost, when the
 *   signal of the run is aborted, and on unsubscribe
 * @returns the values of the work; the last value is {@link Skipped} if this replica does not own
 *   the key
 * @example
 * import { controller, membership$, newlyOwnedKeys, whileOwned } from 'rx-informers/controller';
 * import type { ReconcileRequest } from 'rx-informers/controller';
 * import type { Pod } from 'rx-informers';
 *
 * declare const podName: string;
 * declare const reconcile: (request: ReconcileRequest<Pod>) => Promise<void>;
 *
 * const mine$ = membership$(client, {
 *   group: { namespace: 'web', name: 'pod-warden' },
 *   identity: podName,
 * });
 * controller({
 *   for: podInformer,
 *   watches: [{ source: newlyOwnedKeys(podInformer, mine$), map: ({ key }) => key }],
 *   reconcile: (request) =>
 *     whileOwned(mine$, request, (signal) => reconcile({ ...request, signal })),
 * });
 */
export function whileOwned<Output>(
  membership$: Observable<MembershipState>,
  { key, signal, handOver }: OwnedRun,
  work: (signal: AbortSignal) => Output,
): Work<ValueOf<Output> | Skipped> {
  const ongoing = new OngoingWork();
  const values$ = new Observable<ValueOf<Output> | Skipped>((subscriber) => {
    const abort = new AbortController();
    const running = new Subscription();
    let state = 'waiting' as 'waiting' | 'owned' | 'unready' | 'lost';

    const skip = (reason: string): void => {
      subscriber.next(skipped(reason));
      subscriber.complete();
    };
    const begin = (membership: MembershipState): typeof state => {
      if (handOver === undefined || membership.handOver === undefined) return 'owned';
      membership.handOver.leave(handOver.written);
      return handOver.awaits(membership.handOver.received(key)) ? 'unready' : 'owned';
    };
    const lose = (membership: MembershipState): void => {
      state = 'lost';
      // The key may be lost while the work begins. The end of that work is awaited too.
      const { settled$ } = ongoing;
      membership.waitUntil(settled$);
      abort.abort(keyLostError(key));
      running.unsubscribe();
      // Lasts until its work has ended, so that the queue starts no other run meanwhile.
      subscriber.add(settled$.subscribe({ complete: () => skip('this replica lost the key during the run') }));
    };
    subscriber.add(abortWith(signal, abort));
    subscriber.add(
      membership$.subscribe({
        next: (membership) => {
          if (state === 'waiting' && membership.owns(key)) state = begin(membership);
          else if (state === 'owned' && !membership.owns(key)) lose(membership);
        },
        error: (error: unknown) => subscriber.error(error),
      }),
    );
    if (state !== 'owned') {
      skip(state === 'unready' ? unreachedVersions : 'this replica does not own the key');
      return;
    }
    subscriber.add(running);
    const values$ = defer(() => {
      const values$ = ongoing.begin(() => work(abort.signal));
      return state === 'lost' ? NEVER : values$;
    });
    const aborted = tap<ValueOf<Output>>({ unsubscribe: () => abort.abort(runStoppedError(key)) });
    running.add(
      values$.pipe(aborted).subscribe({
        next: (value) => subscriber.next(value),
        error: (error: unknown) => subscriber.error(error),
        complete: () => subscriber.complete(),
      }),
    );
  });
  return withSettled(values$, ongoing.settled$);
}

function abortWith(signal: AbortSignal | undefined, abort: AbortController): Subscription {
  if (signal === undefined) return Subscription.EMPTY;
  return onAbort(signal, () => abort.abort(signal.reason));
}
