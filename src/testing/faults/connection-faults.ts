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
  timer,
  Observable,
  type SchedulerLike,
} from 'rxjs';
import type { AnyKubernetesObject } from '../../kubernetes/object.js';
import { toBatch, type WatchEvent, type WatchEventBatch } from '../../sources/model/watch-event.js';
import { connectionReset, statusErrorOf } from '../marbles/marble-errors.js';
import { type SourceFault, ListedContent } from './source-fault.js';

/**
 * Stalls the source, as if its connection were half-open: it emits nothing and does not end.
 *
 * | in | out |
 * | --- | --- |
 * | anything before `start` emits | the same |
 * | anything after `start` has emitted | held |
 * | `end` emits | everything that was held, in the same order and batches; later values pass at
 * once |
 *
 * Each subscription subscribes to `start`, and to `end` each time that `start` emits.
 *
 * **Does not guarantee**: a limit on the number of held values.
 *
 * @param start emits when the stall begins
 * @param end emits when the stall ends; default: never
 * @example
 * const hiccup = watchMarbles('L(a)-M(a)|', { a: aPod({ name: 'a' }) }).pipe(
 *   sourceFaults.stall(timer(3), timer(1000)),
 * );
 */
export function stall<T>(start: ObservableInput<unknown>, end: ObservableInput<unknown> = NEVER): SourceFault<T> {
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
        next: (open) => isOpen.next(open),
        error: (error: unknown) => isOpen.error(error),
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
        finalize(() => switching.unsubscribe()),
      );
    });
}

/**
 * Makes the source fail with an error. `listWatch` never fails, but other sources may. The
 * subscriber must subscribe again.
 *
 * | in | out |
 * | --- | --- |
 * | anything | the same |
 * | `notifier` emits | fails with `error`; the source is unsubscribed |
 * | `notifier` completes | nothing: no fault from then on |
 *
 * Each subscription subscribes to the notifier, before it subscribes to the source.
 *
 * @param notifier emits when the source is to fail
 * @param error the error; default: an `RXI_CONNECTION` for a connection that was reset
 * @example
 * const everySecond = watchMarbles('L(a)', { a: aPod({ name: 'a' }) }).pipe(
 *   sourceFaults.drop(timer(1000)),
 * );
 */
export function drop<T>(notifier: ObservableInput<unknown>, error: unknown = connectionReset()): SourceFault<T> {
  // `takeUntil` passes an error of its notifier on, after it has unsubscribed from the source.
  const dropped$ = defer(() => from(notifier)).pipe(mergeMap(() => throwError(() => error)));
  return pipe(map(toBatch), takeUntil(dropped$));
}

/** Options of `sourceFaults.expire`. */
export interface SourceExpireOptions {
  /** Milliseconds from the error to the list. Changes in this time are missed. Default 0. */
  readonly gap?: number | undefined;
  /** The clock that measures `gap`. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * Expires the version of the watch: an error 410, then a new list.
 *
 * | in | out |
 * | --- | --- |
 * | `notifier` emits | an `ERROR` with 410 `Expired` |
 * | changes, bookmarks and lists during `gap` | nothing: they are missed |
 * | `STATUS` or `ERROR` during `gap` | the same |
 * | `gap` is over, or the source completes during `gap` | a `LISTED` with the current objects, for
 * each partition |
 * | anything else, and everything before the first list | the same |
 *
 * An object that is deleted in the gap is missing from the list. A cache infers missed deletions
 * from such a list (G7). Each subscription subscribes to the notifier. Emissions of the notifier
 * during a gap are ignored.
 *
 * @param notifier emits when the version expires
 * @param options the gap, and the scheduler
 *
 * @example
 * const a = aPod({ name: 'a' });
 * const source = watchMarbles('L(a)----D(a)-', { a }).pipe(
 *   sourceFaults.expire(timer(5), { gap: 10 }),
 * );
 */
export function expire<T extends AnyKubernetesObject>(
  notifier: ObservableInput<unknown>,
  options: SourceExpireOptions = {},
): SourceFault<T> {
  const { gap = 0, scheduler = asyncScheduler } = options;
  return (source) =>
    new Observable((subscriber) => {
      const content = new ListedContent<T>();
      let isBlind = false;
      const see = (batch: WatchEventBatch<T>): void => {
        const seen: WatchEvent<T>[] = [];
        for (const event of batch) {
          if (!isBlind || !isData(event) || !content.has(event.partition)) seen.push(event);
          content.apply(event);
        }
        if (seen.length > 0 || !isBlind) subscriber.next(seen);
      };
      const relist = (): void => {
        isBlind = false;
        const lists = content.list();
        if (lists.length > 0) subscriber.next(lists);
      };
      const expireOnce = (): void => {
        if (isBlind) return;
        isBlind = true;
        subscriber.next([{ type: 'ERROR', error: statusErrorOf(410) }]);
        if (gap > 0) subscriber.add(timer(gap, scheduler).subscribe(relist));
        else relist();
      };
      const error = (cause: unknown): void => subscriber.error(cause);
      const complete = (): void => {
        if (isBlind) relist();
        subscriber.complete();
      };
      subscriber.add(from(notifier).subscribe({ next: expireOnce, error }));
      subscriber.add(source.pipe(map(toBatch)).subscribe({ next: see, error, complete }));
    });
}

function isData({ type }: WatchEvent<unknown>): boolean {
  return type !== 'STATUS' && type !== 'ERROR';
}
