import type { Change } from '../../store/change.js';
import { aRow, type Row, RowTree } from './row-tree.js';
import { sortRows, sortOrder, type SortKey, type SortOrder } from './sort-order.js';

/** Changes per row above which all rows are sorted again, as moving them would cost more. */
const ROWS_FOR_EACH_CHANGE = 4;

/**
 * Holds the sorted and filtered objects of a window, and applies changes to them.
 *
 * **Guarantees**: a change costs O(log n), and one call of the filter and of each column's getter.
 * A change that moves no row compares nothing. A new filter is called once for each object; a new
 * order calls the getters once for each object. Rows are sorted only when they are read, and by
 * `sortSome`.
 */
export class SortedRows<T> {
  readonly #rows = new Map<string, Row<T>>();
  #filter: (object: T) => boolean = everything;
  #order: SortOrder<T> = sortOrder<T>([]);
  #tree = this.#treeOf([]);

  /** The number of objects that the filter accepts. */
  get total(): number {
    return this.#tree.shown;
  }

  /** Returns up to `limit` shown rows, starting at `offset`. */
  window(offset: number, limit: number): readonly Row<T>[] {
    return this.#tree.shownBetween(offset, offset + limit);
  }

  clear(): void {
    this.#rows.clear();
    this.#tree = this.#treeOf([]);
  }

  filterBy(filter: (object: T) => boolean): void {
    this.#filter = filter;
    // Iterates in the order of arrival, not of the tree, because objects that arrived together are
    // adjacent in memory.
    for (const row of this.#rows.values()) row.isShown = filter(row.object);
    this.#tree.recount();
  }

  orderBy(order: SortOrder<T>): void {
    this.#order = order;
    for (const row of this.#rows.values()) row.sortKeys = order.keysOf(row.object);
    this.#rebuild();
  }

  /** False while there may be unsorted rows that were not read yet. */
  get isSorted(): boolean {
    return this.#tree.isSorted;
  }

  /** Sorts some of the unsorted rows, beginning with the first rows. */
  sortSome(): void {
    this.#tree.sortSome();
  }

  /** Applies changes. Returns true if a row that is shown, or was shown before, has changed. */
  apply(changes: readonly Change<T>[]): boolean {
    if (changes.length * ROWS_FOR_EACH_CHANGE > this.#rows.size) return this.#applyAsAWhole(changes);
    let hasNews = false;
    for (const change of changes) {
      const isNews = change.type === 'deleted' ? this.#delete(change.key) : this.#set(change.key, change.object);
      hasNews ||= isNews;
    }
    return hasNews;
  }

  #applyAsAWhole(changes: readonly Change<T>[]): boolean {
    let hasChanged = false;
    for (const change of changes) {
      const { type, key, object } = change;
      if (type !== 'deleted' && this.#rows.get(key)?.object === object) continue;
      hasChanged = true;
      if (type === 'deleted') this.#rows.delete(key);
      else this.#rows.set(key, this.#rowOf(key, object));
    }
    if (hasChanged) this.#rebuild();
    return hasChanged;
  }

  #set(key: string, object: T): boolean {
    const row = this.#rows.get(key);
    if (row?.object === object) return false;
    const next = this.#rowOf(key, object);
    if (row && areSameKeys(row.sortKeys, next.sortKeys)) {
      const wasShown = row.isShown;
      row.object = object;
      this.#tree.show(row, next.isShown);
      return wasShown || next.isShown;
    }
    if (row) this.#tree.remove(row);
    this.#rows.set(key, next);
    this.#tree.insert(next);
    return next.isShown || (row?.isShown ?? false);
  }

  #delete(key: string): boolean {
    const row = this.#rows.get(key);
    if (!row) return false;
    this.#rows.delete(key);
    this.#tree.remove(row);
    return row.isShown;
  }

  #rowOf(key: string, object: T): Row<T> {
    return aRow(key, object, this.#order.keysOf(object), this.#filter(object));
  }

  #rebuild(): void {
    this.#tree = this.#treeOf([...this.#rows.values()]);
  }

  #treeOf(rows: Row<T>[]): RowTree<T> {
    const order = this.#order;
    return new RowTree<T>({ compare: order.compare, sort: (unsorted) => sortRows(unsorted, order) }, rows);
  }
}

function everything(): boolean {
  return true;
}

function areSameKeys(a: readonly SortKey[], b: readonly SortKey[]): boolean {
  return a.every((key, column) => key === b[column]);
}
