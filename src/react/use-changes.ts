import { useEffect } from 'react';
import type { Collection } from '../informer/collection.js';
import type { ChangeSet } from '../store/change.js';
import { usePace, keepConnected, throughRestarts, useLatest } from './informers-provider.js';
import type { InformerError } from '../informer/errors.js';

/** Which changes `useChanges` tells of. */
export interface ChangesOptions<I extends string = string> {
  /** Only those of one bucket: the name of an index, and a value. Default: all. */
  readonly index?: readonly [name: I, value: string] | undefined;
}

/**
 * Calls a handler for what changes, after the component has been drawn: for what is not drawn by React, as a chart, a sound, a list of what happened.
 *
 * The first change set is the state (reason `initial`); then one comes with each frame in which something changed, merged by the table
 * of `mergeChangeSets`, and one for all that happened while the tab was hidden. An informer that was stopped, and that somebody starts again, has
 * a state again.
 *
 * **Guarantees**: renders nothing; calls the handler of the last render, which need not be the same function each time; not after unmounting.
 * **Does not guarantee**: that the state comes only once: StrictMode runs every effect twice, and another bucket has a state of its own.
 * **Errors**: `UnknownIndexError` is thrown while mounting. What the handler throws is reported as rxjs reports errors of subscribers, and
 * it is called again for the next set.
 *
 * @example
 * function Log() {
 *   useChanges(podInformer, ({ changes }) => {
 *     for (const { type, key } of changes) console.log(type, key);
 *   });
 *   return null;
 * }
 */
export function useChanges<T, I extends string>(
  collection: Collection<T, I>,
  handler: (set: ChangeSet<T>) => void,
  options: ChangesOptions<NoInfer<I>> = {},
): void {
  const pace = usePace();
  const latest = useLatest(handler);
  const [name, value = ''] = options.index ?? [];
  useEffect(() => {
    const set$ = name === undefined ? collection.changes$ : collection.byIndexChanges$(name, value);
    const following = pace
      .changes(set$)
      .pipe(throughRestarts(collection))
      .subscribe((set) => {
        latest.current(set);
      });
    return () => {
      if (pace.linger > 0 && collection.isRunning) keepConnected(collection, pace.linger, pace.scheduler);
      following.unsubscribe();
    };
  }, [collection, pace, latest, name, value]);
}

/**
 * Calls a handler for everything that goes wrong in an informer, as it happens, hidden tab or not. The informer goes on by itself.
 *
 * **Guarantees**: renders nothing; calls the handler of the last render; it only observes, as `useStatus`.
 * **Does not guarantee**: errors from before it was mounted. `useStatus` says how things are.
 *
 * @example
 * function Toasts() {
 *   useErrors(podInformer, (error) => console.warn(error.message));
 *   return null;
 * }
 */
export function useErrors<T, I extends string>(
  collection: Collection<T, I>,
  handler: (error: InformerError) => void,
): void {
  const latest = useLatest(handler);
  useEffect(() => {
    const following = collection.errors$.subscribe((error) => {
      latest.current(error);
    });
    return () => {
      following.unsubscribe();
    };
  }, [collection, latest]);
}
