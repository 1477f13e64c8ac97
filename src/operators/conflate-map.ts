import {
  defer,
  EMPTY,
  exhaustMap,
  filter,
  finalize,
  type Observable,
  type ObservableInput,
  of,
  type OperatorFunction,
  repeat,
  tap,
} from 'rxjs';
import { type ChangeSet } from '../store/change.js';
import { ChangeAccumulator } from '../store/merge-change-sets.js';
import { type ConflateLimit, bufferOverflowError } from './conflate-changes.js';

/**
 * Calls `project` with each change set and waits until its result has completed. Sets that arrive
 * meanwhile are merged, with the latest state of each key, and passed to `project` together. The
 * operator is like rxjs's `concatMap` with a bounded buffer, for consumers that save, send or apply
 * changes. docs/how-to/fewer-emissions.md compares the operators that merge.
 *
 * | in | out |
 * | --- | --- |
 * | a set, while nothing runs | the values of `project` for this set |
 * | sets, while `project` runs | after the running call, the values of `project` for the merged set (see `conflateChanges`) |
 * | sets that cancel each other out | nothing; `project` is not called |
 * | completion | completion, after the last call and after pending changes are processed |
 *
 * **Guarantees**: one call at a time, in order; holds at most one pending entry per key (G11);
 * applying the sets passed to `project` has the same result as applying all incoming sets;
 * unsubscribing ends the running call.
 * **Does not guarantee**: that intermediate states are seen.
 * **Errors**: errors of the source and of `project` are passed on at once, and pending changes are
 * dropped. Catch errors inside `project` if they must not end the stream. `RXI_BUFFER_OVERFLOW` if
 * more than `maxKeys` keys are pending during a call.
 *
 * @param project does the work; its result may be a promise
 * @param options how many keys may wait
 * @returns an operator that emits what `project` emits
 * @example
 * informer.changes$.pipe(
 *   conflateMap(({ changes }) =>
 *     fetch('/mirror', { method: 'POST', body: JSON.stringify(changes) }),
 *   ),
 * );
 */
export function conflateMap<T, R>(
  project: (set: ChangeSet<NoInfer<T>>) => ObservableInput<R>,
  options: ConflateLimit = {},
): OperatorFunction<ChangeSet<T>, R> {
  const { maxKeys = Infinity } = options;
  return (sets$) =>
    defer(() => {
      const pending = new ChangeAccumulator<T>();
      let isBusy = false;
      const oneCall$ = defer(() => project(pending.take()));
      const whilePending = (): Observable<unknown> => {
        if (pending.hasNews) return of(undefined);
        // Forgets the reason of changes that have cancelled out.
        pending.take();
        return EMPTY;
      };
      const callsWhilePending$ = oneCall$.pipe(repeat({ delay: whilePending }));
      return sets$.pipe(
        tap((set) => {
          pending.add(set);
          if (isBusy && pending.size > maxKeys) throw bufferOverflowError(maxKeys);
        }),
        filter(() => pending.hasNews),
        exhaustMap(() => {
          isBusy = true;
          return callsWhilePending$.pipe(finalize(() => (isBusy = false)));
        }),
      );
    });
}
