import type { Change } from '../../store/change.js';
import { aRow, type Row, RowTree } from './row-tree.js';
import { sortRows, sortOrder, type SortKey, type SortOrder } from './sort-order.js';

/** A change set of at least one change for so many rows is sorted in as a whole: that is cheaper than one place after the other. */
const ROWS_FOR_EACH_CHANGE = 4;

/**
 * Objects in an order, of which a filter shows some, kept up to date from changes: what a sorted window reads from.
 *
 * **Guarantees**: a change costs O(log n), and the filter and the getters of the columns are called once for it; one that moves no row compares
 * nothing. Another filter calls the filter once for each object and compares nothing; another order sorts once, and compares values, not rows.
 */
export class SortedRows<T> {
  readonly #rows = new Map<string, Row<T>>();
  readonly #tree = new RowTree<T>();
  #filter: (object: T) => boolean = everything;
  #order: SortOrder<T> = sortOrder<T>([]);

  /** How many objects the filter lets through. */
  get total(): number {
    return this.#tree.shown;
  }

  /** The shown rows from `offset` on, `limit` at most. */
  window(offset: number, limit: number): readonly Row<T>[] {
    return this.#tree.shownBetween(offset, offset + limit);
  }

  clear(): void {
    this.#rows.clear();
    this.#tree.build([]);
  }

  filterBy(filter: (object: T) => boolean): void {
    this.#filter = filter;
    // Not in the order of the tree: objects that came together lie together in memory.
    for (const row of this.#rows.values()) row.isShown = filter(row.object);
    this.#tree.recount();
  }

  orderBy(order: SortOrder<T>): void {
    this.#order = order;
    for (const row of this.#rows.values()) row.sortKeys = order.keysOf(row.object);
    this.#rebuild();
  }

  /** Returns whether anything that is shown, or was, has changed. */
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
    this.#tree.insert(next, this.#order.compare);
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
    this.#tree.build(sortRows(this.#rows.values(), this.#order));
  }
}

function everything(): boolean {
  return true;
}

function areSameKeys(a: readonly SortKey[], b: readonly SortKey[]): boolean {
  return a.every((key, column) => key === b[column]);
}
