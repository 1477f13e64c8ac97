import {
  asapScheduler,
  BehaviorSubject,
  defer,
  distinctUntilChanged,
  EMPTY,
  filter,
  finalize,
  from,
  NEVER,
  Observable,
  of,
  Subject,
  subscribeOn,
  switchMap,
  takeUntil,
  tap,
  type ObservableInput,
  type OperatorFunction,
} from 'rxjs';
import { checkFunction } from '../option-checks.js';
import type { Leadership, Leading } from './leadership.js';

/** Options of {@link whileLeading}. */
export interface WhileLeadingOptions {
  /**
   * Stops the stream gracefully when this Observable emits (default: never). If no work is under
   * way, the stream completes at once. Otherwise it completes when the work has completed or
   * leadership has ended. The work must complete by itself: pass the same `stop$` to a
   * `controller`.
   */
  readonly stop$?: Observable<unknown> | undefined;
}

/** Work that takes part in a leadership, such as a `Controller`. */
interface Led<T> {
  within(leadership: Leading): ObservableInput<T>;
}

/**
 * Subscribes to the work when leadership begins, and unsubscribes from it when leadership ends.
 *
 * | in | out |
 * | --- | --- |
 * | leading | what the work emits |
 * | `leading` again, within the same leadership | nothing; the work goes on |
 * | standby, lost | nothing; the work is unsubscribed from before anything else happens |
 * | completion | the work goes on; completion when the work has completed |
 * | an error | the same error; the work is unsubscribed from |
 * | `stop$` emits | completion as soon as no work is under way; then the lease is released |
 *
 * A controller takes part in the leadership if it is the work, or if the work calls its `within`
 * (see {@link Controller}): a key runs only when the caches have reached the versions that the
 * former leader left, and the Lease has the versions that the controller writes. Other queues get
 * the deadline by their option `handOver`.
 *
 * Work that completes is not started again within the same leadership. An error of the work ends
 * the stream. If this stream was the only subscriber of the election, the lease is released, and
 * another replica takes over. Connect caches outside the work, so that they are warm when
 * leadership begins.
 *
 * **Guarantees**: There is at most one subscription to the work. On unsubscribe, the work ends
 * first and leadership second, so the lease is released only after the work was unsubscribed from.
 * Once the clock has passed the renew deadline, no value is passed on, no run begins in a queue or
 * controller that takes part, and no run of such a controller sends a write through its client.
 * This holds even if the timer of the deadline is late, because the event loop was blocked or the
 * process was suspended.
 *
 * **Does not guarantee**: that a promise within the work has settled when the work was unsubscribed
 * from. Work that uses promises must respond to its `AbortSignal`.
 *
 * @param work a controller, or a function that returns the work of one leadership, such as
 *   `(leading) => merge(a.within(leading), b.within(leading))`
 * @param options when to stop gracefully
 * @returns an operator for the stream of {@link leader$} that emits what the work emits
 * @throws `TypeError` if the work is neither
 * @example
 * import type { Observable } from 'rxjs';
 * import type { KubeClient } from 'rx-informers';
 * import { leader$, whileLeading } from 'rx-informers/controller';
 *
 * declare const client: KubeClient;
 * declare const cleanUp$: Observable<string>;
 *
 * leader$(client, {
 *   lease: { namespace: 'kube-system', name: 'janitor' },
 *   identity: 'janitor-7d4b',
 * })
 *   .pipe(whileLeading(() => cleanUp$))
 *   .subscribe((line) => console.log(line));
 */
export function whileLeading<T>(
  work: Led<T>['within'] | Led<T>,
  { stop$ = NEVER }: WhileLeadingOptions = {},
): OperatorFunction<Leadership, T> {
  const begin = 'within' in work ? (leadership: Leading) => work.within(leadership) : work;
  checkFunction('the work of whileLeading', begin, ', such as () => work$');
  return (leadership$) =>
    new Observable((subscriber) => {
      const leaderships = new Subject<Leadership>();
      const isIdle = new BehaviorSubject(true);
      const working = (leadership: Leading): Observable<T> =>
        defer(() => {
          // Unsubscribing from the work of an earlier leadership may have ended this stream.
          if (subscriber.closed) return EMPTY;
          isIdle.next(false);
          const work = from(begin(leadership));
          // `begin` may have run past the renew deadline. Then the loss is emitted after this call,
          // so the work is subscribed to later, or not at all.
          return leadership.handOver?.endIfOverdue?.() === false
            ? of(undefined).pipe(
                subscribeOn(asapScheduler),
                switchMap(() => work),
              )
            : work;
        }).pipe(
          tap(() => leadership.handOver?.endIfOverdue?.()),
          finalize(() => isIdle.next(true)),
        );
      // Add the work first and the election second, because subscriptions end in the order in which
      // they were added.
      subscriber.add(
        leaderships
          .pipe(
            distinctUntilChanged(isSameWork),
            switchMap((leadership) => (leadership.type === 'leading' ? working(leadership) : EMPTY)),
            takeUntil(
              stop$.pipe(
                switchMap(() => isIdle),
                filter(Boolean),
              ),
            ),
          )
          .subscribe(subscriber),
      );
      if (!subscriber.closed) subscriber.add(leadership$.subscribe(leaderships));
    });
}

function isSameWork(before: Leadership, after: Leadership): boolean {
  if (before.type !== 'leading' || after.type !== 'leading')
    return before.type !== 'leading' && after.type !== 'leading';
  return before.since === after.since;
}
