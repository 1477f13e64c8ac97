import { defer, map, Observable, type MonoTypeOperatorFunction, type SchedulerLike } from 'rxjs';
import { steady } from '../../scheduling/clock.js';
import type { ChangeSet } from '../../store/change.js';
import { toExternalStore, type ExternalStoreOptions } from '../to-external-store.js';
import type { WindowSettings } from './window-options.js';
import { emptyWindow, WindowRows, type View } from './window-rows.js';

/** The views of a collection or bucket; each reader asks for that of its own settings. */
export interface WindowStore<T> {
  /** Calls `listener` after each change of the rows. Call the returned function to stop this. */
  readonly subscribe: (listener: () => void) => () => void;
  /**
   * Returns the view for the settings. It is the same object until its content changes. A read
   * without listeners subscribes to the collection for the time of `linger`.
   *
   * @throws the errors of the functions in the settings
   */
  readonly view: (settings: WindowSettings<T>) => View<T>;
}

/**
 * Returns a window store in which each read has its own settings. View frameworks need this: a
 * framework may render new settings before it commits them, and meanwhile render the current
 * settings again.
 *
 * @param changes$ the changes to follow, beginning with the state; the store subscribes to them
 *   while it has readers
 * @param through an operator on the stream of versions; the store shows what it emits
 */
export function windowStore<T>(
  changes$: Observable<ChangeSet<T>>,
  through: MonoTypeOperatorFunction<Version<T>>,
  options: ExternalStoreOptions,
): WindowStore<T> {
  let wanted: WindowSettings<T> | undefined;
  const version$ = versions(changes$, () => wanted, steady(options.scheduler));
  const store = toExternalStore<Version<T> | undefined>(version$.pipe(through), undefined, options);
  return {
    subscribe: store.subscribe,
    view: (settings) => {
      wanted = settings;
      return store.getSnapshot()?.rows.view(settings) ?? emptyWindow;
    },
  };
}

/** One version of the rows: each change creates one, although `rows` is the same. */
export interface Version<T> {
  readonly rows: WindowRows<T>;
}

function versions<T>(
  changes$: Observable<ChangeSet<T>>,
  wanted: () => WindowSettings<T> | undefined,
  scheduler: SchedulerLike,
): Observable<Version<T>> {
  return new Observable((subscriber) => {
    const rows = new WindowRows<T>(scheduler, (error) => subscriber.error(error));
    subscriber.add(() => rows.close());
    const apply = ({ changes }: ChangeSet<T>): Version<T> => {
      rows.apply(changes);
      return { rows };
    };
    const settings = wanted();
    subscriber.add(
      defer(() => {
        // The rows are configured before the state arrives, so that the state is filtered and
        // sorted when it is added.
        if (settings) rows.configure(settings);
        return changes$.pipe(map(apply));
      }).subscribe(subscriber),
    );
  });
}
