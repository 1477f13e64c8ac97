import { useMemo } from 'react';
import { BehaviorSubject } from 'rxjs';
import type { Collection } from '../informer/collection.js';
import { type ExternalStore, toExternalStore } from '../views/to-external-store.js';
import { emptyView, type View, window$ } from '../views/window/window.js';
import type { WindowOptions } from '../views/window/window-options.js';
import { usePace, type Pace, throughRestarts, useBeforePaint } from './informers-provider.js';
import { useStore } from './use-query.js';

/**
 * A sorted and filtered window over a collection or one bucket of it, for tables: some rows, and how many there are. No rows while nothing is known.
 *
 * The options are those of this render. What they do not change is not done again, as `window$` says; for that, functions among them
 * (`where`, `value` of a column) must be the same while they mean the same: define them outside of the component, or with `useCallback`.
 *
 * **Guarantees**: renders only where rows or total are others; changes come at most once a frame, and not while the tab is hidden; what other
 * options show comes before the browser paints; `rows`, `keys` and objects keep their identity while they are the same.
 * **Does not guarantee**: that the first render with other options shows them already: it shows the old rows, and is followed by another one.
 * **Errors**: those of `window$`, and what `where` or a getter throws, are thrown while rendering, for an error boundary.
 *
 * @example
 * const newestFirst = [{ value: (pod: Pod) => pod.metadata.creationTimestamp, direction: 'descending' as const }];
 * function Table({ node, first }: { node: string; first: number }) {
 *   const { rows, total } = useWindow(podInformer, { index: ['node', node], sortBy: newestFirst, offset: first, limit: 50 });
 *   return `${rows.map(({ metadata }) => metadata.name).join()} of ${total}`;
 * }
 */
export function useWindow<T, I extends string>(
  collection: Collection<T, I>,
  options: WindowOptions<NoInfer<T>, NoInfer<I>> = {},
): View<T> {
  const pace = usePace();
  // Not one for each options: they go into the one that there is.
  const { store, options$ } = useMemo(() => windowOf(collection, options, pace), [collection, pace]);
  useBeforePaint(() => {
    options$.next(options);
  });
  return useStore(store);
}

interface PacedWindow<T, I extends string> {
  readonly options$: BehaviorSubject<WindowOptions<T, I>>;
  readonly store: ExternalStore<View<T>>;
}

function windowOf<T, I extends string>(
  collection: Collection<T, I>,
  options: WindowOptions<T, I>,
  { changes, linger, scheduler }: Pace,
): PacedWindow<T, I> {
  const options$ = new BehaviorSubject(options);
  // Changes wait for their frame; what a user asks for does not.
  const paced = {
    changes$: changes(collection.changes$),
    byIndexChanges$: (name: I, value: string) => changes(collection.byIndexChanges$(name, value)),
  };
  const view$ = window$(paced, options$).pipe(throughRestarts(collection));
  return { options$, store: toExternalStore<View<T>>(view$, emptyView, { linger, scheduler }) };
}
