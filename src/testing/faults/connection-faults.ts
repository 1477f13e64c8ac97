import {
  BehaviorSubject,
  concat,
  concatMap,
  defer,
  dematerialize,
  filter,
  finalize,
  from,
  map,
  materialize,
  mergeMap,
  NEVER,
  of,
  take,
  type ObservableInput,
  pipe,
  takeUntil,
  throwError,
  asyncScheduler,
  connect,
  endWith,
  exhaustMap,
  ignoreElements,
  merge,
  timer,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import { toBatch, type WatchEvent, type WatchEventBatch } from '../../sources/model/watch-event.js';
import { type Fault, ListedContent } from './source-fault.js';
import { connectionReset, statusErrorOf } from '../marbles/marble-errors.js';
import type { KubernetesObject } from '../../kubernetes/object.js';

/**
 * Stalls the source: neither data nor an end, as a connection that is half open.
 *
 * | in | out |
 * | --- | --- |
 * | anything before `start` emits | the same |
 * | anything after it | held |
 * | `end` emits | what was held, in order and in its batches, and from then on everything as it comes |
 *
 * `start` is subscribed to anew with each subscription, `end` each time that `start` has emitted.
 *
 * **Does not guarantee**: a bound on what is held.
 *
 * @param end default never: only unsubscribing helps
 * @example
 * const hiccup = watchMarbles('L(a)-M(a)|', { a: aPod({ name: 'a' }) }).pipe(goSilent(timer(3), timer(1000)));
 */
export function goSilent<T>(start: ObservableInput<unknown>, end: ObservableInput<unknown> = NEVER): Fault<T> {
  const isOpen$ = defer(() => from(start)).pipe(
    mergeMap(() =>
      concat(
        of(false),
        from(end).pipe(
          take(1),
          map(() => true),
        ),
      ),
    ),
  );
  return (source) =>
    defer(() => {
      const isOpen = new BehaviorSubject(true);
      const switching = isOpen$.subscribe({
        next: (open) => {
          isOpen.next(open);
        },
        error: (error: unknown) => {
          isOpen.error(error);
        },
      });
      return source.pipe(
        map(toBatch),
        materialize(),
        concatMap((notification) =>
          isOpen.pipe(
            filter((open) => open),
            take(1),
            map(() => notification),
          ),
        ),
        dematerialize(),
        finalize(() => {
          switching.unsubscribe();
        }),
      );
    });
}

/**
 * Makes the source itself fail, as `listWatch` never does and a source of somebody else may: whoever reads it has to subscribe again.
 *
 * | in | out |
 * | --- | --- |
 * | anything | the same |
 * | `notifier` emits | fails with `error`; the source is unsubscribed |
 * | `notifier` completes | nothing: the connection holds from then on |
 *
 * The notifier is subscribed to anew with each subscription, just before the source.
 *
 * @param error default a `ConnectionError`: the connection was reset
 * @example
 * const everySecond = watchMarbles('L(a)', { a: aPod({ name: 'a' }) }).pipe(dropConnection(timer(1000)));
 */
export function dropConnection<T>(notifier: ObservableInput<unknown>, error: unknown = connectionReset()): Fault<T> {
  // `takeUntil` passes an error of its notifier on, after it has unsubscribed from the source.
  const dropped$ = defer(() => from(notifier)).pipe(mergeMap(() => throwError(() => error)));
  return pipe(map(toBatch), takeUntil(dropped$));
}

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
