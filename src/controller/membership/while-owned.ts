import { defer, NEVER, Observable, Subscription, tap } from 'rxjs';
import { onAbort } from '../../operators/on-abort.js';
import { RunStoppedError } from '../queue/errors.js';
import { skipped, type Skipped } from '../workqueue/outcome.js';
import { KeyLostError } from '../lease/lease-errors.js';
import type { MembershipState } from './membership-state.js';
import { carryOver, OngoingWork, type ValueOf } from '../workqueue/run.js';

/** What has to be known of a run; the requests of `controller()` have both. */
export interface OwnedRun {
  readonly key: string;
  /** Aborts the work too. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs the work on a key only while this replica owns the key. Use it in each run of a queue or a
 * controller whose keys are shared.
 *
 * | what happens | out |
 * | --- | --- |
 * | the key is not owned when the run starts | `Skipped`, completion; the work is not started |
 * | the work emits a value | the same value |
 * | the key is lost | the signal is aborted with a `KeyLostError`, an Observable is unsubscribed from; `Skipped` and completion when the work is over |
 * | the key is lost while `work` is being called | the same; an Observable or async iterable that it returns is not started |
 * | the work fails | the same error; no error after the key was lost |
 *
 * A queue tells a run that ends with `Skipped` as `skipped`, not as `succeeded`, and does not
 * requeue it: the new owner runs the key.
 *
 * **Guarantees**: the key is kept from its new owner until the work is over (an Observable is over
 * when it was unsubscribed from, a promise when it has settled), for at most `releaseTimeout`. So
 * runs of different replicas do not overlap, if they heed their signals.
 * **Does not guarantee**: that another subscriber's unsubscription waits for a promise (a queue
 * unsubscribes after its `timeout`, and when it is stopped); nor that work ends in time if no
 * renewal succeeded.
 *
 * @param membership$ made by `membership$`
 * @param work receives a signal that is aborted when the key is lost, when the run's own signal is,
 *   or on unsubscribe
 * @example
 * import { controller, gainedKeys, membership$, whileOwned, type ReconcileRequest } from 'rx-informers/controller';
 * import type { Pod } from 'rx-informers';
 *
 * declare const podName: string;
 * declare const reconcile: (request: ReconcileRequest<Pod>) => Promise<void>;
 *
 * const mine$ = membership$(client, { group: { namespace: 'web', name: 'pod-warden' }, identity: podName });
 * controller({
 *   for: podInformer,
 *   watches: [{ source: gainedKeys(podInformer, mine$), map: ({ key }) => key }],
 *   reconcile: (request) => whileOwned(mine$, request, (signal) => reconcile({ ...request, signal })),
 * })
 */
export function whileOwned<Output>(
  membership$: Observable<MembershipState>,
  { key, signal }: OwnedRun,
  work: (signal: AbortSignal) => Output,
): Observable<ValueOf<Output> | Skipped> {
  const ongoing = new OngoingWork();
  const values$ = new Observable<ValueOf<Output> | Skipped>((subscriber) => {
    const abort = new AbortController();
    const running = new Subscription();
    let state = 'waiting' as 'waiting' | 'owned' | 'lost';

    const skip = (because: string): void => {
      subscriber.next(skipped(because));
      subscriber.complete();
    };
    const lose = (membership: MembershipState): void => {
      state = 'lost';
      // The key may be lost within the very call that begins the work: its end is awaited all the
      // same.
      const { over$ } = ongoing;
      membership.waitUntil(over$);
      abort.abort(new KeyLostError(key));
      running.unsubscribe();
      // The run lasts until its work is over, so that the queue does not begin another one beside
      // it.
      subscriber.add(
        over$.subscribe({
          complete: () => {
            skip('the key was lost during the run');
          },
        }),
      );
    };
    subscriber.add(abortWith(signal, abort));
    subscriber.add(
      membership$.subscribe({
        next: (membership) => {
          if (state === 'waiting' && membership.owns(key)) state = 'owned';
          else if (state === 'owned' && !membership.owns(key)) lose(membership);
        },
        error: (error: unknown) => {
          subscriber.error(error);
        },
      }),
    );
    if (state !== 'owned') {
      skip('not owned by this replica');
      return;
    }
    subscriber.add(running);
    const values$ = defer(() => {
      const { values$ } = ongoing.begin(() => work(abort.signal));
      return state === 'lost' ? NEVER : values$;
    });
    const aborted = tap<ValueOf<Output>>({
      unsubscribe: () => {
        abort.abort(new RunStoppedError(key));
      },
    });
    running.add(
      values$.pipe(aborted).subscribe({
        next: (value) => {
          subscriber.next(value);
        },
        error: (error: unknown) => {
          subscriber.error(error);
        },
        complete: () => {
          subscriber.complete();
        },
      }),
    );
  });
  return carryOver(values$, ongoing.over$);
}

/** Aborts one when the other is. */
function abortWith(signal: AbortSignal | undefined, abort: AbortController): Subscription {
  if (signal === undefined) return Subscription.EMPTY;
  return onAbort(signal, () => {
    abort.abort(signal.reason);
  });
}
