import { isObservable, map, Observable, of, Subscription, type Subscriber } from 'rxjs';
import type { Collection } from '../../informer/collection.js';
import type { ChangeSet } from '../../store/change.js';
import { UnknownIndexError } from '../../store/errors.js';
import { untilClosed } from '../pause-while.js';
import { areSameColumns, sortOrder } from './sort-order.js';
import { SortedRows } from './sorted-rows.js';
import { type WindowOptions, filterOf, isSameIndex, windowSettings, type WindowSettings } from './window-options.js';
import type { Row } from './row-tree.js';

/**
 * What a window looks at: a collection (as much of it as is needed), or change sets of which the first is the state (`byIndexChanges$`, or what
 * was made of them).
 */
export type WindowSource<T, I extends string = string> =
  Pick<Collection<T, I>, 'changes$' | 'byIndexChanges$'> | Observable<ChangeSet<T>>;

/**
 * A sorted and filtered window over a collection or one bucket of it, for tables: some rows, and how many there are.
 *
 * Options that change (typing in a filter, another sort column, scrolling) are given as an Observable of options; what they do not change
 * is not done again.
 *
 * | what changes | what it costs, for n objects and a window of w rows |
 * | --- | --- |
 * | k objects, in one commit | O(k log n + w); no row is read where nothing shown has changed |
 * | nothing (options that say the same) | nothing |
 * | `offset`, `limit` | O(log n + w); nothing is filtered or sorted |
 * | `where`, `selector` | each object is asked once; nothing is sorted |
 * | `sortBy` | each getter is called once for each object, and the values that differ are sorted once |
 * | `index` | the other bucket is read, filtered and sorted; it is subscribed to before the old one is left |
 *
 * **Guarantees**: state first, then what changes it (G1); at most one emission for a commit, or for one value of options (G3), and none where
 * neither rows nor total are others; `rows` and `keys` keep their identity while what they hold is the same; on unsubscribing it leaves
 * collection and options (G8). It completes with the collection; when the options complete, the last ones stay.
 * **Does not guarantee**: that `where` and the getters are asked again while an object stays the same; that sorting some 50,000 rows
 * anew, unlike following their changes, fits into a frame: it is done at once, in 40 to 90 ms
 * of a small machine (`npm run bench -- --only window-table`).
 * **Errors**: `RangeError`, `InvalidSelectorError` and `UnknownIndexError` are thrown here, and emitted where options are an Observable; what
 * `where`, a getter or a collator throws ends this stream, and no other.
 *
 * @example
 * const typed$ = new BehaviorSubject('');
 * const view$ = window$(
 *   podInformer,
 *   typed$.pipe(
 *     map((typed) => ({
 *       where: (pod: Pod) => pod.metadata.name.includes(typed),
 *       sortBy: [{ value: (pod: Pod) => pod.metadata.creationTimestamp, direction: 'descending' as const }],
 *       limit: 50,
 *     })),
 *   ),
 * );
 * view$.subscribe(({ rows, total }) => console.log(`${rows.length} of ${total}`));
 */
export function window$<T, I extends string = never>(
  source: WindowSource<T, I>,
  options: WindowOptions<NoInfer<T>, NoInfer<I>> | Observable<WindowOptions<NoInfer<T>, NoInfer<I>>> = {},
): Observable<View<T>> {
  if (isObservable(options)) return following(source, options.pipe(map(windowSettings)));
  const settings = windowSettings(options);
  changesOf(source, settings);
  return following(source, of(settings));
}

function following<T, I extends string>(
  source: WindowSource<T, I>,
  settings$: Observable<WindowSettings<T>>,
): Observable<View<T>> {
  return new Observable((subscriber) => {
    const run = new WindowRun(source, subscriber);
    const configured$ = settings$.pipe(
      untilClosed(subscriber),
      // What a user's functions throw becomes an error of the stream in `map`, and only there.
      map((settings) => run.configure(settings)),
    );
    subscriber.add(() => {
      run.close();
    });
    subscriber.add(
      configured$.subscribe({
        next: (hasNews) => {
          if (hasNews) run.show();
        },
        error: (error: unknown) => {
          subscriber.error(error);
        },
        complete: () => {
          if (!run.isConfigured) subscriber.complete();
        },
      }),
    );
  });
}

/** One subscription to a window: what it follows, and what it has shown. */
class WindowRun<T, I extends string> {
  readonly #rows = new SortedRows<T>();
  #settings: WindowSettings<T> | undefined;
  #feed = Subscription.EMPTY;
  /** Whether the feed has given its state. */
  #hasState = false;
  #shown: View<T> | undefined;

  constructor(
    private readonly source: WindowSource<T, I>,
    private readonly subscriber: Subscriber<View<T>>,
  ) {}

  get isConfigured(): boolean {
    return this.#settings !== undefined;
  }

  /** Returns whether there may be something else to show. */
  configure(settings: WindowSettings<T>): boolean {
    const before = this.#settings;
    const changes$ = before && isSameIndex(before.index, settings.index) ? undefined : changesOf(this.source, settings);
    if (changes$) {
      this.#hasState = false;
      this.#rows.clear();
    }
    this.#settings = settings;
    const isRefiltered = before?.selector !== settings.selector || before.where !== settings.where;
    const isReordered = !before || !areSameColumns(before.sortBy, settings.sortBy);
    const isMoved = before?.offset !== settings.offset || before.limit !== settings.limit;
    if (isRefiltered) this.#rows.filterBy(filterOf(settings));
    if (isReordered) this.#rows.orderBy(sortOrder(settings.sortBy));
    if (!changes$) return this.#hasState && (isRefiltered || isReordered || isMoved);
    this.#follow(changes$);
    return false;
  }

  show(): void {
    const { offset, limit } = this.#settings as WindowSettings<T>;
    const view = nextView(this.#shown ?? emptyView, this.#rows.window(offset, limit), this.#rows.total, offset);
    if (view === this.#shown) return;
    this.#shown = view;
    this.subscriber.next(view);
  }

  close(): void {
    this.#feed.unsubscribe();
  }

  /** The new feed is joined before the old one is left, so that an informer that nobody else uses is not stopped in between. */
  #follow(changes$: Observable<ChangeSet<T>>): void {
    const previous = this.#feed;
    const feed = new Subscription();
    this.#feed = feed;
    feed.add(
      changes$.pipe(map((set) => this.#feed === feed && this.#apply(set))).subscribe({
        next: (hasNews) => {
          if (hasNews) this.show();
        },
        error: (error: unknown) => {
          this.subscriber.error(error);
        },
        complete: () => {
          this.subscriber.complete();
        },
      }),
    );
    previous.unsubscribe();
  }

  #apply({ changes }: ChangeSet<T>): boolean {
    const hasNews = this.#rows.apply(changes);
    const isState = !this.#hasState;
    this.#hasState = true;
    return isState || hasNews;
  }
}

/** Throws `UnknownIndexError` where there is no such index. */
function changesOf<T, I extends string>(
  source: WindowSource<T, I>,
  { index }: WindowSettings<T>,
): Observable<ChangeSet<T>> {
  if (!index) return isObservable(source) ? source : source.changes$;
  if (isObservable(source)) throw new UnknownIndexError(index[0], []);
  return source.byIndexChanges$(index[0] as I, index[1]);
}

/** What a table shows: some rows of all those that the filter lets through, in order. */
export interface View<T> {
  /** The objects in the window; the same array while each of them is the same. */
  readonly rows: readonly T[];
  /** Their keys, in the same order; the same array while they are the same. For React's `key`, and for marking a selection. */
  readonly keys: readonly string[];
  /** How many objects the filter lets through, in the window and outside. */
  readonly total: number;
  /** Where `rows` begins, of `total`; `total` where there is no row. */
  readonly offset: number;
}

/** What there is to show before anything is known. */
export const emptyView: View<never> = Object.freeze({
  rows: Object.freeze([]),
  keys: Object.freeze([]),
  total: 0,
  offset: 0,
});

/** The view of a window, which shares with the previous one what they have in common; it is the previous one if that says the same. */
export function nextView<T>(previous: View<T>, window: readonly Row<T>[], total: number, offset: number): View<T> {
  const rows = window.map(({ object }) => object);
  const keys = window.map(({ key }) => key);
  const next: View<T> = {
    rows: areSame(previous.rows, rows) ? previous.rows : Object.freeze(rows),
    keys: areSame(previous.keys, keys) ? previous.keys : Object.freeze(keys),
    total,
    offset: window.length === 0 ? total : offset,
  };
  const isSame =
    next.rows === previous.rows &&
    next.keys === previous.keys &&
    next.total === previous.total &&
    next.offset === previous.offset;
  return isSame ? previous : Object.freeze(next);
}

function areSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, position) => item === b[position]);
}
