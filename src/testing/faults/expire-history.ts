import {
  asyncScheduler,
  concat,
  connect,
  defer,
  endWith,
  exhaustMap,
  filter,
  from,
  ignoreElements,
  map,
  merge,
  of,
  take,
  takeUntil,
  timer,
  type Observable,
  type ObservableInput,
  type SchedulerLike,
} from 'rxjs';
import type { KubernetesObject } from '../../kubernetes/object.js';
import { toBatch } from '../../sources/to-batch.js';
import type { WatchEvent, WatchEventBatch } from '../../sources/watch-event.js';
import { statusErrorOf } from '../marbles/marble-errors.js';
import type { Fault } from './fault.js';
import { ListedContent } from './listed-content.js';

export interface ExpireHistoryOptions {
  /** Milliseconds from the error to the list, in which the watch sees nothing; default 0. */
  readonly gap?: number | undefined;
  /** Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * The watch has become too old to go on, and is replaced by a new list.
 *
 * | in | out |
 * | --- | --- |
 * | `notifier` emits | an `ERROR` with 410 `Expired` |
 * | changes, bookmarks and lists during `gap` | nothing: they are missed |
 * | `STATUS` `ERROR` during `gap` | the same |
 * | `gap` is over, or the source completes in it | a `LISTED` of what exists now, for each partition |
 * | anything else, and what comes before the first list | the same |
 *
 * So an object that is deleted in the gap is missing in the list, which is how missed deletes are found (G7). The notifier is
 * subscribed to anew with each subscription; what it emits during a gap changes nothing.
 *
 * @example
 * const a = aPod({ name: 'a' });
 * const source = watchMarbles('L(a)----D(a)-', { a }).pipe(expireHistory(timer(5), { gap: 10 }));
 */
export function expireHistory<T extends KubernetesObject>(
  notifier: ObservableInput<unknown>,
  options: ExpireHistoryOptions = {},
): Fault<T> {
  const { gap = 0, scheduler = asyncScheduler } = options;
  return (source) =>
    defer(() => {
      const content = new ListedContent<T>();
      let isBlind = false;
      const see = (batch: WatchEventBatch<T>): WatchEventBatch<T> =>
        batch.filter((event) => {
          const isSeen = !isBlind || !isData(event) || !content.has(event.partition);
          content.apply(event);
          return isSeen;
        });
      const expiry = (done$: Observable<unknown>): Observable<WatchEventBatch<T>> =>
        concat(
          defer(() => {
            isBlind = true;
            return of<WatchEventBatch<T>>([{ type: 'ERROR', error: statusErrorOf(410) }]);
          }),
          merge(gap > 0 ? timer(gap, scheduler) : of(0), done$).pipe(
            take(1),
            map(() => {
              isBlind = false;
              return content.list();
            }),
            filter((lists) => lists.length > 0),
          ),
        );
      return source.pipe(
        map(toBatch),
        map(see),
        connect((batches$) => {
          const done$ = batches$.pipe(ignoreElements(), endWith(undefined));
          const notified$ = from(notifier).pipe(takeUntil(done$));
          const expiries$ = notified$.pipe(exhaustMap(() => expiry(done$)));
          return merge(batches$.pipe(filter((batch) => batch.length > 0 || !isBlind)), expiries$);
        }),
      );
    });
}

function isData({ type }: WatchEvent<unknown>): boolean {
  return type !== 'STATUS' && type !== 'ERROR';
}
