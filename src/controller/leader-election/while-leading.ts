import {
  asapScheduler,
  BehaviorSubject,
  defer,
  distinctUntilChanged,
  EMPTY,
  filter,
  finalize,
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
import { heedDeadlines } from '../../time/clock.js';
import type { Leadership, Leading } from './leadership.js';

/** Options of `whileLeading`. */
export interface WhileLeadingOptions {
  /**
   * Its first value ends the stream gracefully: at once if no work is under way, otherwise when the
   * work has completed or leadership has ended (default: never). The work has to complete by
   * itself, so give a `controller` the same `stop$`.
   */
  readonly stop$?: Observable<unknown> | undefined;
}

/**
 * Subscribes to the work when leadership begins, and unsubscribes from it when leadership ends.
 *
 * | in | out |
 * | --- | --- |
 * | leading | what the work emits |
 * | leading again, in the same leadership | nothing; the work goes on |
 * | standby, lost | nothing; the work is unsubscribed from before anything else happens |
 * | completion | the work goes on; completion when it has completed |
 * | an error | the same error; the work is unsubscribed from |
 * | `stop$` emits | completion as soon as no work is under way; then the lease is released |
 *
 * Work that completes is not started again within the same leadership. An error of the work ends
 * the stream. If it was the only subscriber of the election, the lease is released and another
 * replica tries. Connect caches outside the work, so that they are warm when leadership begins.
 *
 * **Guarantees**: at most one subscription to the work. On unsubscribe the work ends first and
 * leadership second, so the lease is released when the work has been stopped. No value is passed
 * on, and no run of a queue or controller begins, once the renew deadline is over by the clock,
 * also if its timer has not fired yet because the event loop was blocked or the process was
 * suspended.
 * **Does not guarantee**: that work behind a promise is over when it was unsubscribed from. It has
 * to heed its signal.
 *
 * @param work an Observable, or a function that returns one and is called once for each leadership
 * @example
 * import type { Observable } from 'rxjs';
 * import type { KubeClient } from 'rx-informers';
 * import { leader$, whileLeading } from 'rx-informers/controller';
 *
 * declare const client: KubeClient;
 * declare const cleanUp$: Observable<string>;
 *
 * leader$(client, { lease: { namespace: 'kube-system', name: 'janitor' }, identity: 'janitor-7d4b' })
 *   .pipe(whileLeading(cleanUp$))
 *   .subscribe((line) => console.log(line));
 */
export function whileLeading<T>(
  work: Observable<T> | ((leadership: Leading) => ObservableInput<T>),
  { stop$ = NEVER }: WhileLeadingOptions = {},
): OperatorFunction<Leadership, T> {
  const begin = typeof work === 'function' ? work : () => work;
  return (leadership$) =>
    new Observable((subscriber) => {
      const leaderships = new Subject<Leadership>();
      const isIdle = new BehaviorSubject(true);
      const working = (leadership: Leading): Observable<T> =>
        defer(() => {
          // The end of one leadership may have ended it all.
          if (subscriber.closed) return EMPTY;
          isIdle.next(false);
          const work = begin(leadership);
          // It may have taken longer than leadership lasts. The loss is emitted when this call
          // returns.
          return heedDeadlines()
            ? work
            : of(undefined).pipe(
                subscribeOn(asapScheduler),
                switchMap(() => work),
              );
        }).pipe(
          tap(heedDeadlines),
          finalize(() => {
            isIdle.next(true);
          }),
        );
      // The work first, the leadership second: subscriptions end in the order in which they were
      // added.
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
