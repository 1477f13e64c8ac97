import { interval, map, Subscription, takeWhile, type SchedulerLike } from 'rxjs';
import { slice } from '../../scheduling/sliced-tasks.js';
import type { Change } from '../../store/change.js';
import type { Row } from './row-tree.js';
import { areSameColumns, sortOrder } from './sort-order.js';
import { SortedRows } from './sorted-rows.js';
import { filterOf, type WindowSettings } from './window-options.js';

/** A view that was read, with its settings and the version of its rows. */
interface Shown<T> {
  readonly settings: WindowSettings<T>;
  readonly view: View<T>;
  version: number;
}

/** The number of remembered views: one for the page, and one for a transition to new options. */
const REMEMBERED = 2;

/**
 * The rows of one collection or bucket, and the views of these rows. A new view repeats only the
 * work that its settings change: a new range only reads rows, a new filter tests each object once,
 * and a new order sorts. See `window$` for the costs.
 *
 * **Guarantees**: while the rows stay the same, `view` returns the same object for equal settings,
 * even if other settings are read in between.
 */
export class WindowRows<T> {
  readonly #rows = new SortedRows<T>();
  #settings: WindowSettings<T> | undefined;
  #version = 0;
  #shown: readonly Shown<T>[] = [];
  #sorting = Subscription.EMPTY;
  #isClosed = false;

  /** @param fail receives an error that a collator throws while the remaining rows are sorted */
  constructor(
    private readonly scheduler: SchedulerLike,
    private readonly fail: (error: unknown) => void,
  ) {}

  /** @throws the errors of `where`, the getters and collators */
  apply(changes: readonly Change<T>[]): void {
    const current = this.#shown.find(
      ({ version, settings }) => version === this.#version && settings === this.#settings,
    );
    const hasNews = this.#rows.apply(changes);
    this.#version += 1;
    if (current && !hasNews) current.version = this.#version;
  }

  /** @throws the errors of `where` and the getters */
  configure(settings: WindowSettings<T>): void {
    const before = this.#settings;
    // If a function throws, the next call configures everything again.
    this.#settings = undefined;
    if (before?.selector !== settings.selector || before.where !== settings.where)
      this.#rows.filterBy(filterOf(settings));
    if (!before || !areSameColumns(before.sortBy, settings.sortBy)) this.#rows.orderBy(sortOrder(settings.sortBy));
    this.#settings = settings;
  }

  /**
   * Returns the view for the settings. May sort rows.
   *
   * @param previous the view with which the result shares equal arrays; default: the last view of
   *   the same settings, otherwise the latest view
   */
  view(settings: WindowSettings<T>, previous?: View<T>): View<T> {
    const known = this.#shown.find((shown) => isSame(shown.settings, settings));
    if (known?.version === this.#version) return known.view;
    this.configure(settings);
    const { offset, limit } = settings;
    const last = previous ?? known?.view ?? this.#shown[0]?.view ?? emptyWindow;
    const view = nextView(last, this.#rows.window(offset, limit), this.#rows.total, offset);
    const others = this.#shown.filter((shown) => shown !== known).slice(0, REMEMBERED - 1);
    this.#shown = [{ settings, view, version: this.#version }, ...others];
    this.#sortLater();
    return view;
  }

  close(): void {
    this.#isClosed = true;
    this.#sorting.unsubscribe();
  }

  /** Sorts the rows that were not read yet, in slices, so that reading them later is fast. */
  #sortLater(): void {
    if (this.#isClosed || this.#rows.isSorted || !this.#sorting.closed) return;
    this.#sorting = interval(0, this.scheduler)
      .pipe(
        map(() => this.#sortSlice()),
        takeWhile((isMore) => isMore),
      )
      .subscribe({ error: this.fail });
  }

  /** Sorts one slice. Returns true if there are more rows to sort. */
  #sortSlice(): boolean {
    const until = this.scheduler.now() + slice;
    while (!this.#rows.isSorted && this.scheduler.now() < until) this.#rows.sortSome();
    return !this.#rows.isSorted;
  }
}

function isSame<T>(a: WindowSettings<T>, b: WindowSettings<T>): boolean {
  if (a === b) return true;
  return (
    a.offset === b.offset &&
    a.limit === b.limit &&
    a.where === b.where &&
    a.selector === b.selector &&
    areSameColumns(a.sortBy, b.sortBy)
  );
}

/** The content of a table: a range of the sorted objects that the filter accepts. */
export interface View<T> {
  /** The objects in the window. The array stays the same while all its objects stay the same. */
  readonly rows: readonly T[];
  /**
   * The keys of the objects, in the same order. The array stays the same while the keys stay the
   * same. Use them for React's `key`, and to mark a selection.
   */
  readonly keys: readonly string[];
  /** The number of objects that the filter accepts, inside and outside of the window. */
  readonly total: number;
  /** The index of the first row among all `total` rows. It equals `total` if there is no row. */
  readonly offset: number;
}

/** The view before the first content. */
export const emptyWindow: View<never> = Object.freeze({
  rows: Object.freeze([]),
  keys: Object.freeze([]),
  total: 0,
  offset: 0,
});

/** Returns the view; shares equal arrays with the previous one, or is the previous one. */
function nextView<T>(previous: View<T>, window: readonly Row<T>[], total: number, offset: number): View<T> {
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
