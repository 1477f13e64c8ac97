import { useMemo } from 'react';
import type { Collection } from '../collections/collection.js';
import { windowSettings, type WindowOptions } from '../views/window/window-options.js';
import { emptyWindow, type View } from '../views/window/window-rows.js';
import { windowStore, type WindowStore } from '../views/window/window-store.js';
import { usePace } from './informers-provider.js';
import { throughRestarts } from './keep-connected.js';
import type { CheckedPace } from './pace.js';
import { useStore } from './use-query.js';

/**
 * Returns a sorted and filtered window over a collection or one of its buckets, for tables: some
 * rows, and the number of all matching rows. Before the first content, there are no rows.
 *
 * The rows match the options of this render. As with `window$`, a changed option repeats only the
 * work that depends on this option. For that, functions in options (`where`, `value` of a column)
 * must keep their identity: define them outside of the component, or with `useCallback`.
 *
 * **Guarantees**: renders only if rows or total differ, at most once a frame, and not while the tab
 * is hidden; the first render with new options already shows their rows; `rows`, `keys` and objects
 * keep their identity while they do not change.
 *
 * @param collection `undefined` shows no rows and starts nothing
 * @param options order, filter, offset and limit; see {@link WindowOptions}
 * @returns the rows, their keys and the total
 * @throws the errors of `window$`, `where` and getters, while rendering, for an error boundary
 * @example
 * const newestFirst = [
 *   { value: (pod: Pod) => pod.metadata.creationTimestamp, direction: 'descending' as const },
 * ];
 * function Table({ node, first }: { node: string; first: number }) {
 *   const { rows, total } = useWindow(podInformer, {
 *     index: ['node', node],
 *     sortBy: newestFirst,
 *     offset: first,
 *     limit: 50,
 *   });
 *   return `${rows.map(({ metadata }) => metadata.name).join()} of ${total}`;
 * }
 */
export function useWindow<T, I extends string>(
  collection: Collection<T, I> | undefined,
  options: WindowOptions<NoInfer<T>, NoInfer<I>> = {},
): View<T> {
  const pace = usePace();
  const settings = windowSettings(options);
  const [name, value = ''] = options.index ?? [];
  const { subscribe, view } = useMemo(
    () => (collection === undefined ? noWindow : windowOf(collection, pace, name, value)),
    [collection, pace, name, value],
  );
  const store = { subscribe, getSnapshot: () => view(settings), getServerSnapshot: noRows };
  return useStore<View<T>>(store, collection, name === undefined ? 'window' : `window(${name}, ${value})`);
}

function windowOf<T, I extends string>(
  collection: Collection<T, I>,
  { changes, linger, scheduler }: CheckedPace,
  name: I | undefined,
  value: string,
): WindowStore<T> {
  const set$ = name === undefined ? collection.changes$ : collection.byIndexChanges$(name, value);
  return windowStore(changes(set$), throughRestarts(collection), { linger, scheduler });
}

const noRows = (): View<never> => emptyWindow;

const noWindow: WindowStore<never> = { subscribe: () => () => undefined, view: noRows };
