import { defer, NEVER, Observable, Subscription, tap } from 'rxjs';
import { onAbort } from '../../operators/on-abort.js';
import { RunStoppedError } from '../workqueue/run-stopped-error.js';
import { KeyLostError } from './key-lost-error.js';
import type { ShardState } from './shard-state.js';
import { carryOver, OngoingWork, type ValueOf } from '../workqueue/work.js';

/** What has to be known of a run; the requests of `controller()` have both. */
export interface OwnedRun {
  readonly key: string;
  /** Aborts the work too. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Works on a key only while this replica owns it: what stands around each run of a queue or a controller that shares its keys.
 *
 * | what happens | out |
 * | --- | --- |
 * | the key is not owned when the run begins | completion; the work is not begun |
 * | the work gives a value | the same |
 * | the key is lost | the work's signal is aborted with a `KeyLostError`, an Observable is unsubscribed from; completion, once it is over |
 * | the key is lost while `work` is being called | the same; an Observable or an async iterable that it gives is not begun |
 * | the work fails | the same error; none after the key was lost |
 *
 * **Guarantees**: the key is kept from its new owner until the work is over (an Observable is when it was unsubscribed from, a promise when
 * it has settled), for at most `releaseTimeout`; so runs of different replicas do not overlap, if they heed their signals.
 * **Does not guarantee**: that a promise is waited for after somebody else has unsubscribed (a queue does after its `timeout`, and
 * when it is stopped); nor in time, when no renewal succeeded.
 *
 * @param shard$ made by `shard$`
 * @param work is given a signal that is aborted when the key is lost, the run's own signal is, or nobody is subscribed any more
 * @example
 * import { controller, gainedKeys, shard$, whileOwned, type ReconcileRequest } from 'rx-informers/controller';
 * import type { Pod } from 'rx-informers';
 *
 * declare const podName: string;
 * declare const reconcile: (request: ReconcileRequest<Pod>) => Promise<void>;
 *
 * const mine$ = shard$(client, { group: { namespace: 'web', name: 'pod-warden' }, identity: podName });
 * controller({
 *   for: podInformer,
 *   watches: [{ source: gainedKeys(podInformer, mine$), map: ({ key }) => key }],
 *   reconcile: (request) => whileOwned(mine$, request, (signal) => reconcile({ ...request, signal })),
 * })
 */
export function whileOwned<Output>(
  shard$: Observable<ShardState>,
  { key, signal }: OwnedRun,
  work: (signal: AbortSignal) => Output,
): Observable<ValueOf<Output>> {
  const ongoing = new OngoingWork();
  const values$ = new Observable<ValueOf<Output>>((subscriber) => {
    const abort = new AbortController();
    const running = new Subscription();
    let state = 'waiting' as 'waiting' | 'owned' | 'lost';

    const complete = (): void => {
      subscriber.complete();
    };
    const lose = (shard: ShardState): void => {
      state = 'lost';
      // The key may be lost within the very call that begins the work: its end is awaited all the same.
      const { over$ } = ongoing;
      shard.waitUntil(over$);
      abort.abort(new KeyLostError(key));
      running.unsubscribe();
      // The run lasts until its work is over, so that the queue does not begin another one beside it.
      subscriber.add(over$.subscribe({ complete }));
    };
    subscriber.add(abortWith(signal, abort));
    subscriber.add(
      shard$.subscribe({
        next: (shard) => {
          if (state === 'waiting' && shard.owns(key)) state = 'owned';
          else if (state === 'owned' && !shard.owns(key)) lose(shard);
        },
        error: (error: unknown) => {
          subscriber.error(error);
        },
      }),
    );
    if (state !== 'owned') {
      complete();
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
        complete,
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
