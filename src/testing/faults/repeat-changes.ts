import {
  connect,
  defer,
  endWith,
  filter,
  from,
  ignoreElements,
  map,
  merge,
  takeUntil,
  tap,
  type ObservableInput,
} from 'rxjs';
import { toBatch } from '../../sources/to-batch.js';
import type { ChangeEvent, WatchEvent } from '../../sources/watch-event.js';
import { isChange } from './change-of.js';
import type { Fault } from './fault.js';

/**
 * Delivers the last changes again, as a server does when a watch is opened again from an older version than was seen.
 *
 * | in | out |
 * | --- | --- |
 * | anything | the same |
 * | `notifier` emits | the last `count` changes since the last `LISTED`, in their order, as one batch |
 * | … and there was none | nothing |
 *
 * An object goes through its last states again and ends in the one that it had. The notifier is subscribed to anew with each
 * subscription.
 *
 * @param count default 10
 * @example
 * const source = watchMarbles('L(a)-M(a)--', { a: aPod({ name: 'a' }) }).pipe(repeatChanges(timer(10)));
 */
export function repeatChanges<T>(notifier: ObservableInput<unknown>, count = 10): Fault<T> {
  return (source) =>
    defer(() => {
      let recent: readonly ChangeEvent<T>[] = [];
      const repeated$ = from(notifier).pipe(
        map(() => recent),
        filter((changes) => changes.length > 0),
      );
      return source.pipe(
        map(toBatch),
        tap((batch) => {
          recent = batch.reduce(remember, recent).slice(-count);
        }),
        connect((batches$) =>
          merge(batches$, repeated$.pipe(takeUntil(batches$.pipe(ignoreElements(), endWith(undefined))))),
        ),
      );
    });
}

/** A list may have left out what happened before it; to repeat that would bring it back. */
function remember<T>(recent: readonly ChangeEvent<T>[], event: WatchEvent<T>): readonly ChangeEvent<T>[] {
  if (event.type === 'LISTED') return [];
  return isChange(event) ? [...recent, event] : recent;
}
