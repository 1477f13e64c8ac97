import { useEffect } from 'react';
import type { Collection } from '../collections/collection.js';
import type { InformerError } from '../collections/errors.js';
import type { ChangeSet } from '../store/change.js';
import { usePace, useLatest } from './informers-provider.js';
import { keepConnected, throughRestarts } from './keep-connected.js';

/** Options of `useChanges`: the changes that are passed to the handler. */
export interface ChangesOptions<I extends string = string> {
  /** The bucket: the name of an index, and a value. Default: all changes. */
  readonly index?: readonly [name: I, value: string] | undefined;
}

/**
 * Calls a handler for each change set, after the component was rendered. Use it for effects outside
 * of React, such as a chart, a sound, or a list of events.
 *
 * The first change set contains all objects (reason `initial`). After that, each frame with changes
 * has one change set, merged as the table of `mergeChangeSets` says. Changes that happen while the
 * tab is hidden are also merged into one change set. If an informer is stopped and started again,
 * it emits all objects again.
 *
 * **Guarantees**: causes no render; calls the handler of the last render, so the handler may be a
 * new function each time; never calls it after unmounting. **Does not guarantee**: that the first
 * change set is delivered only once. StrictMode runs every effect twice, and each new bucket
 * delivers all of its objects. **Errors**: if the handler throws, rxjs reports the error like any
 * error of a subscriber. The handler is called again for the next change set.
 *
 * @param collection `undefined`: the handler is not called
 * @param handler receives one change set per frame at most
 * @param options the bucket; default: the whole collection; see {@link ChangesOptions}
 * @throws `RXI_UNKNOWN_INDEX` while mounting
 * @example
 * function Log() {
 *   useChanges(podInformer, ({ changes }) => {
 *     for (const { type, key } of changes) console.log(type, key);
 *   });
 *   return null;
 * }
 */
export function useChanges<T, I extends string>(
  collection: Collection<T, I> | undefined,
  handler: (set: ChangeSet<T>) => void,
  options: ChangesOptions<NoInfer<I>> = {},
): void {
  const pace = usePace();
  const latest = useLatest(handler);
  const [name, value = ''] = options.index ?? [];
  useEffect(() => {
    if (collection === undefined) return;
    const set$ = name === undefined ? collection.changes$ : collection.byIndexChanges$(name, value);
    const following = pace
      .changes(set$)
      .pipe(throughRestarts(collection))
      .subscribe((set) => latest.current(set));
    return () => {
      if (pace.linger > 0 && collection.isRunning) keepConnected(collection, pace.linger, pace.scheduler);
      following.unsubscribe();
    };
  }, [collection, pace, latest, name, value]);
}

/**
 * Calls a handler for each error of an informer when it happens, also in a hidden tab. The informer
 * recovers by itself.
 *
 * **Guarantees**: causes no render; calls the handler of the last render; does not start the
 * informer. **Does not guarantee**: that the handler receives errors from before the component was
 * mounted. `useStatus` returns the current status.
 *
 * @param collection `undefined`: the handler is not called
 * @param handler receives each error of `errors$`
 * @example
 * function Toasts() {
 *   useErrors(podInformer, (error) => console.warn(error.message));
 *   return null;
 * }
 */
export function useErrors<T, I extends string>(
  collection: Collection<T, I> | undefined,
  handler: (error: InformerError) => void,
): void {
  const latest = useLatest(handler);
  useEffect(() => {
    if (collection === undefined) return;
    const following = collection.errors$.subscribe((error) => latest.current(error));
    return () => following.unsubscribe();
  }, [collection, latest]);
}
