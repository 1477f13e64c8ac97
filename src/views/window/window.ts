import { isObservable, map, Observable, of, Subscription, type SchedulerLike, type Subscriber } from 'rxjs';
import type { Collection } from '../../collections/collection.js';
import { steady } from '../../scheduling/clock.js';
import type { ChangeSet } from '../../store/change.js';
import { unknownIndexError } from '../../store/errors.js';
import { untilClosed } from '../pause-while.js';
import { isSameIndex, windowSettings, type WindowOptions, type WindowSettings } from './window-options.js';
import { WindowRows, type View } from './window-rows.js';

/**
 * The source of a window: a collection, or a stream of change sets that begins with the state, such
 * as `byIndexChanges$`, with or without operators.
 */
export type WindowSource<T, I extends string = string> =
  | Pick<Collection<T, I>, 'changes$' | 'byIndexChanges$'>
  | Observable<ChangeSet<T>>;

/**
 * Emits a sorted and filtered window over a collection or one of its buckets, for tables: some
 * rows, and the total number of rows.
 *
 * If options change (a typed filter, a new sort column, scrolling), pass an Observable of options.
 * Only the work that a change affects is repeated.
 *
 * | change | cost, for n objects and a window of w rows |
 * | --- | --- |
 *   | k objects, in one commit | O(k log n + w); no row is read if no object that the filter accepts has changed |
 * | equal options | nothing |
 * | `offset`, `limit` | O(log n + w); nothing is filtered or sorted |
 * | `where`, `selector` | `where` is called once for each object; nothing is sorted |
 * | `sortBy` | each getter is called once for each object; the rows up to the end of the window are selected and sorted |
 * | `index` | the new bucket is read, filtered and sorted; it is subscribed to before the old bucket is unsubscribed |
 *
 * **Guarantees**: the state first, then its changes (G1); at most one emission for a commit, or for
 * one value of options (G3), and none if rows and total are the same; `rows` and `keys` keep their
 * identity while their content is the same; unsubscribing unsubscribes from collection and options
 * (G8). It completes with the collection; when the options complete, the last options stay in
 * effect. **Not all rows are sorted at once.** For many objects or a new order, the first rows are
 * selected with about one comparison for each object. The other rows are sorted afterwards, in
 * slices of about 8 ms that do not block the event loop. Views are always exact: a part that is not
 * sorted yet is sorted when it is shown. **Does not guarantee**: that `where` and the getters are
 * called again while an object stays the same; that all work is done in slices: the first state, a
 * new filter and the getters of a new order are processed at once, in about 20 to 40 ms for 50,000
 * objects on a small machine (`npm run bench -- --only window-table`). **Errors**:
 * `RXI_INVALID_OPTION`, `RXI_INVALID_SELECTOR` and `RXI_UNKNOWN_INDEX` are thrown by the call, or
 * emitted if options are an Observable. An error of `where`, a getter or a collator ends only this
 * stream.
 *
 * @param source a collection, or a stream of change sets
 * @param options order, filter, offset and limit, or a stream of such options
 * @param scheduler runs the slices that sort the remaining rows; default `asyncScheduler`
 * @returns a stream of views
 * @example
 * const typed$ = new BehaviorSubject('');
 * const view$ = window$(
 *   podInformer,
 *   typed$.pipe(
 *     map((typed) => ({
 *       where: (pod: Pod) => pod.metadata.name.includes(typed),
 *       sortBy: [
 *         {
 *           value: (pod: Pod) => pod.metadata.creationTimestamp,
 *           direction: 'descending' as const,
 *         },
 *       ],
 *       limit: 50,
 *     })),
 *   ),
 * );
 * view$.subscribe(({ rows, total }) => console.log(`${rows.length} of ${total}`));
 */
export function window$<T, I extends string = never>(
  source: WindowSource<T, I>,
  options: WindowOptions<NoInfer<T>, NoInfer<I>> | Observable<WindowOptions<NoInfer<T>, NoInfer<I>>> = {},
  scheduler?: SchedulerLike,
): Observable<View<T>> {
  if (isObservable(options)) return following(source, options.pipe(map(windowSettings)), steady(scheduler));
  const settings = windowSettings(options);
  changesOf(source, settings);
  return following(source, of(settings), steady(scheduler));
}

function following<T, I extends string>(
  source: WindowSource<T, I>,
  settings$: Observable<WindowSettings<T>>,
  scheduler: SchedulerLike,
): Observable<View<T>> {
  return new Observable((subscriber) => {
    const run = new WindowRun(source, subscriber, scheduler);
    const configured$ = settings$.pipe(
      untilClosed(subscriber),
      // Inside `map`, errors of the user's functions become errors of the stream.
      map((settings) => run.configure(settings)),
    );
    subscriber.add(() => run.close());
    subscriber.add(
      configured$.subscribe({
        next: (view) => {
          if (view) run.show(view);
        },
        error: (error: unknown) => subscriber.error(error),
        complete: () => {
          if (!run.isConfigured) subscriber.complete();
        },
      }),
    );
  });
}

/** One subscription to a window: its current options, and the last emitted view. */
class WindowRun<T, I extends string> {
  #rows: WindowRows<T>;
  #settings: WindowSettings<T> | undefined;
  #feed = Subscription.EMPTY;
  /** True once the feed has emitted its state. */
  #hasState = false;
  #shown: View<T> | undefined;

  constructor(
    private readonly source: WindowSource<T, I>,
    private readonly subscriber: Subscriber<View<T>>,
    private readonly scheduler: SchedulerLike,
  ) {
    this.#rows = this.#noRows();
  }

  get isConfigured(): boolean {
    return this.#settings !== undefined;
  }

  /** Returns the view to show; `undefined` if it is already shown. */
  configure(settings: WindowSettings<T>): View<T> | undefined {
    const before = this.#settings;
    const changes$ = before && isSameIndex(before.index, settings.index) ? undefined : changesOf(this.source, settings);
    this.#settings = settings;
    if (!changes$) {
      this.#rows.configure(settings);
      return this.#hasState ? this.#read() : undefined;
    }
    this.#hasState = false;
    this.#rows.close();
    this.#rows = this.#noRows();
    this.#rows.configure(settings);
    this.#follow(changes$);
    return undefined;
  }

  show(view: View<T>): void {
    this.#shown = view;
    this.subscriber.next(view);
  }

  close(): void {
    this.#feed.unsubscribe();
    this.#rows.close();
  }

  #noRows(): WindowRows<T> {
    return new WindowRows<T>(this.scheduler, (error) => this.subscriber.error(error));
  }

  /**
   * Subscribes to the new feed before it unsubscribes from the old feed, so that an informer
   * without other subscribers is not stopped in between.
   */
  #follow(changes$: Observable<ChangeSet<T>>): void {
    const previous = this.#feed;
    const feed = new Subscription();
    this.#feed = feed;
    feed.add(
      changes$.pipe(map((set) => (this.#feed === feed ? this.#apply(set) : undefined))).subscribe({
        next: (view) => {
          if (view) this.show(view);
        },
        error: (error: unknown) => this.subscriber.error(error),
        complete: () => this.subscriber.complete(),
      }),
    );
    previous.unsubscribe();
  }

  #apply({ changes }: ChangeSet<T>): View<T> | undefined {
    this.#rows.apply(changes);
    this.#hasState = true;
    return this.#read();
  }

  #read(): View<T> | undefined {
    const view = this.#rows.view(this.#settings as WindowSettings<T>, this.#shown);
    return view === this.#shown ? undefined : view;
  }
}

/** Returns the change sets of a source. Throws `RXI_UNKNOWN_INDEX` for an unknown index. */
function changesOf<T, I extends string>(
  source: WindowSource<T, I>,
  { index }: WindowSettings<T>,
): Observable<ChangeSet<T>> {
  if (!index) return isObservable(source) ? source : source.changes$;
  if (isObservable(source)) throw unknownIndexError(index[0], []);
  return source.byIndexChanges$(index[0] as I, index[1]);
}
