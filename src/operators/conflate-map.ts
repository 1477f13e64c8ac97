import {
  EMPTY,
  defer,
  exhaustMap,
  filter,
  finalize,
  of,
  repeat,
  tap,
  type ObservableInput,
  type OperatorFunction,
} from 'rxjs';
import type { ChangeSet } from '../store/change.js';
import { ChangeAccumulator } from '../store/merge-change-sets.js';
import { BufferOverflowError, type ConflateLimit } from './conflate-changes.js';

/**
 * Gives each change set to `project` and waits until that has completed; sets that come in meanwhile are merged, latest
 * for each key, and go in together (docs/fewer-emissions.md compares the operators that do so). Like rxjs's `concatMap`, with a buffer that does not grow with the rate: for
 * consumers that save, send or apply.
 *
 * | in | out |
 * | --- | --- |
 * | a set, while nothing runs | what `project` emits for it |
 * | sets, while `project` runs | what `project` emits for all of them merged (see `conflateChanges`), once it is free |
 * | sets that cancel each other out | nothing; `project` is not called |
 * | completion | completion, once the last call and what was pending are done |
 *
 * **Guarantees**: one call at a time, in order; holds at most one pending entry a key (G11); the sets given to
 * `project` leave the same content as the sets that came in; unsubscribing ends the running call.
 * **Does not guarantee**: that steps between are seen.
 * **Errors**: those of the source and of `project` are passed on at once, and what is pending is dropped; catch inside
 * `project` what must not end the stream. `BufferOverflowError` where more than `maxKeys` keys wait behind a running call.
 *
 * @param project does the work; its result may be a promise
 * @example
 * informer.changes$.pipe(conflateMap(({ changes }) => fetch('/mirror', { method: 'POST', body: JSON.stringify(changes) })))
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
      const callsWhilePending$ = oneCall$.pipe(repeat({ delay: () => (pending.hasNews ? of(undefined) : EMPTY) }));
      return sets$.pipe(
        tap((set) => {
          pending.add(set);
          if (isBusy && pending.size > maxKeys) throw new BufferOverflowError(maxKeys);
        }),
        filter(() => pending.hasNews),
        exhaustMap(() => {
          isBusy = true;
          return callsWhilePending$.pipe(finalize(() => (isBusy = false)));
        }),
      );
    });
}
