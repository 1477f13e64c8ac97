import type { SortKey } from './sort-order.js';

/**
 * One object of a sorted window, with what it is sorted by, and its place in the tree of rows: the row is the node, so that leaving costs
 * no search.
 */
export interface Row<T> {
  readonly key: string;
  object: T;
  /** Computed when the object came in, and remembered: where a row stands never depends on what a getter says later. */
  sortKeys: readonly SortKey[];
  /** Whether the filter lets it through. */
  isShown: boolean;

  parent: Row<T> | undefined;
  left: Row<T> | undefined;
  right: Row<T> | undefined;
  /** How many rows there are from here down. */
  size: number;
  /** How many of them are shown. */
  shown: number;
}

export function aRow<T>(key: string, object: T, sortKeys: readonly SortKey[], isShown: boolean): Row<T> {
  return {
    key,
    object,
    sortKeys,
    isShown,
    parent: undefined,
    left: undefined,
    right: undefined,
    size: 1,
    shown: isShown ? 1 : 0,
  };
}

/** How much heavier one side may be than the other, and when one rotation does not do: the smallest pair that is proved (Hirai and Yamamoto, 2011). */
const HEAVIER = 3;
const DOUBLE = 2;

/**
 * Rows in an order, of which some are shown: a weight-balanced tree that counts both.
 *
 * Rows that are not shown keep their place, so that another filter is a walk over the tree and not a sort.
 *
 * **Guarantees**: `insert` is O(log n) and the only one that compares; `remove` and `show` are O(log n); `shownBetween` is O(log n) and what it
 * gives, where what is shown stands together. An order that contradicts itself puts rows in the wrong place, and loses none.
 */
export class RowTree<T> {
  #root: Row<T> | undefined;

  /** How many rows are shown. */
  get shown(): number {
    return shownOf(this.#root);
  }

  /** For those who check its shape. */
  get root(): Row<T> | undefined {
    return this.#root;
  }

  /** Replaces everything by rows that stand in order. */
  build(rows: readonly Row<T>[]): void {
    this.#root = balanced(rows, 0, rows.length, undefined);
  }

  /** Takes in a row that is in no tree. */
  insert(row: Row<T>, compare: (a: Row<T>, b: Row<T>) => number): void {
    let parent: Row<T> | undefined;
    let side: 'left' | 'right' = 'left';
    for (let at = this.#root; at; at = at[side]) {
      parent = at;
      side = compare(row, at) < 0 ? 'left' : 'right';
    }
    if (parent) parent[side] = row;
    else this.#root = row;
    row.parent = parent;
    this.#settle(row);
  }

  /** Lets go of a row that is in this tree. */
  remove(row: Row<T>): void {
    const { left, right } = row;
    const heir = left && right ? (left.size > right.size ? last(left) : first(right)) : undefined;
    if (!heir) {
      const { parent } = row;
      this.#replace(row, left ?? right);
      this.#settle(parent);
    } else {
      const lowest = heir.parent === row ? heir : heir.parent;
      this.#replace(heir, heir.left ?? heir.right);
      setChild(heir, 'left', row.left);
      setChild(heir, 'right', row.right);
      this.#replace(row, heir);
      this.#settle(lowest);
    }
    row.parent = row.left = row.right = undefined;
  }

  /** Shows or hides a row of this tree, where it stands. */
  show(row: Row<T>, isShown: boolean): void {
    if (row.isShown === isShown) return;
    row.isShown = isShown;
    for (let at: Row<T> | undefined = row; at; at = at.parent) at.shown += isShown ? 1 : -1;
  }

  /** Counts again, after `isShown` of any rows was set. */
  recount(): void {
    recountBelow(this.#root);
  }

  /** The shown rows from the `start`th on, up to and without the `end`th. */
  shownBetween(start: number, end: number): Row<T>[] {
    const rows: Row<T>[] = [];
    collect(this.#root, start, end, rows);
    return rows;
  }

  #settle(from: Row<T> | undefined): void {
    for (let at = from; at; at = at.parent) {
      recount(at);
      at = this.#rebalanced(at);
    }
  }

  /** The row that stands at the top of what stood below `row`. */
  #rebalanced(row: Row<T>): Row<T> {
    const left = weight(row.left);
    const right = weight(row.right);
    if (left > HEAVIER * right) return this.#lightened(row, 'left', 'right');
    if (right > HEAVIER * left) return this.#lightened(row, 'right', 'left');
    return row;
  }

  #lightened(row: Row<T>, heavy: 'left' | 'right', light: 'left' | 'right'): Row<T> {
    const child = row[heavy] as Row<T>;
    const inner = child[light];
    const top = inner && weight(inner) >= DOUBLE * weight(child[heavy]) ? inner : child;
    if (top !== child) this.#lift(top);
    this.#lift(top);
    return top;
  }

  /** Rotates a row above its parent. */
  #lift(row: Row<T>): void {
    const parent = row.parent as Row<T>;
    const [side, other] = parent.left === row ? (['left', 'right'] as const) : (['right', 'left'] as const);
    this.#replace(parent, row);
    setChild(parent, side, row[other]);
    setChild(row, other, parent);
    recount(parent);
    recount(row);
  }

  #replace(row: Row<T>, by: Row<T> | undefined): void {
    const { parent } = row;
    if (parent) setChild(parent, parent.left === row ? 'left' : 'right', by);
    else {
      this.#root = by;
      if (by) by.parent = undefined;
    }
  }
}

function setChild<T>(parent: Row<T>, side: 'left' | 'right', child: Row<T> | undefined): void {
  parent[side] = child;
  if (child) child.parent = parent;
}

function shownOf(row: Row<unknown> | undefined): number {
  return row ? row.shown : 0;
}

/** One more than the size, so that nothing is not infinitely lighter than one row. */
function weight(row: Row<unknown> | undefined): number {
  return row ? row.size + 1 : 1;
}

function recount(row: Row<unknown>): void {
  const { left, right } = row;
  row.size = 1 + (left ? left.size : 0) + (right ? right.size : 0);
  row.shown = (row.isShown ? 1 : 0) + shownOf(left) + shownOf(right);
}

function first<T>(row: Row<T>): Row<T> {
  let at = row;
  while (at.left) at = at.left;
  return at;
}

function last<T>(row: Row<T>): Row<T> {
  let at = row;
  while (at.right) at = at.right;
  return at;
}

function balanced<T>(
  rows: readonly Row<T>[],
  start: number,
  end: number,
  parent: Row<T> | undefined,
): Row<T> | undefined {
  if (start >= end) return undefined;
  const middle = (start + end) >> 1;
  const row = rows[middle] as Row<T>;
  row.parent = parent;
  row.left = balanced(rows, start, middle, row);
  row.right = balanced(rows, middle + 1, end, row);
  recount(row);
  return row;
}

function recountBelow(row: Row<unknown> | undefined): void {
  if (!row) return;
  recountBelow(row.left);
  recountBelow(row.right);
  recount(row);
}

/** `start` and `end` count from the first row that is shown below `row`. */
function collect<T>(row: Row<T> | undefined, start: number, end: number, rows: Row<T>[]): void {
  if (!row || end <= 0 || start >= row.shown) return;
  const before = shownOf(row.left);
  const after = row.isShown ? before + 1 : before;
  if (before > 0) collect(row.left, start, end, rows);
  if (row.isShown && start <= before && before < end) rows.push(row);
  if (row.shown > after) collect(row.right, start - after, end - after, rows);
}
