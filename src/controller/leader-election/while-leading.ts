import {
  BehaviorSubject,
  defer,
  distinctUntilChanged,
  EMPTY,
  filter,
  finalize,
  NEVER,
  Observable,
  Subject,
  switchMap,
  takeUntil,
  type ObservableInput,
  type OperatorFunction,
} from 'rxjs';
import type { Leadership, Leading } from './leadership.js';

/** Options of `whileLeading`. */
export interface WhileLeadingOptions {
  /**
   * Its first value ends the stream gracefully: at once where no work is under way, otherwise when that has completed, or leadership has
   * ended (default: never). The work has to end by itself: give a `controller` the same `stop$`.
   */
  readonly stop$?: Observable<unknown> | undefined;
}

/**
 * Does the work while this replica leads: subscribes to it when leadership begins, and unsubscribes when it ends.
 *
 * | in | out |
 * | --- | --- |
 * | leading | what the work emits |
 * | leading again, of the same leadership | nothing new: the work goes on |
 * | standby, lost | nothing; the work is unsubscribed from before anything else happens |
 * | completion | the work goes on; completion when it has completed |
 * | an error | the same error; the work is unsubscribed from |
 * | `stop$` emits | completion, as soon as no work is under way; the lease is given back then |
 *
 * Work that completes is not begun again within the same leadership; its error ends the stream (and with it a candidacy that nobody
 * else is subscribed to, so that another replica tries). Caches belong outside the work, so that they are warm when leadership comes.
 *
 * **Guarantees**: at most one subscription to the work; on unsubscribe the work is left before the leadership, so the lease is given
 * back when the work has been stopped.
 * **Does not guarantee**: that work behind a promise is over when it was unsubscribed from: it has to heed its signal.
 *
 * @param work an Observable, or a function that gives one, called anew with each leadership
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
          return begin(leadership);
        }).pipe(
          finalize(() => {
            isIdle.next(true);
          }),
        );
      // The work first, the leadership second: subscriptions end in the order in which they were added.
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
