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
} from 'rxjs';
import { toBatch } from '../../sources/to-batch.js';
import type { Fault } from './fault.js';

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
