import type { SortKey } from './sort-order.js';

/** An object of a window with its sort values; itself the node, so removed without search. */
export interface Row<T> {
  readonly key: string;
  object: T;
  /** Computed when it was added; later results of the getters do not move the row. */
  sortKeys: readonly SortKey[];
  /** True if the filter accepts the object. */
  isShown: boolean;

  parent: Row<T> | Bag<T> | undefined;
  left: Row<T> | Bag<T> | undefined;
  right: Row<T> | Bag<T> | undefined;
  /** The number of rows in the subtree of this row. For a row in a bag, its position in the bag. */
  size: number;
  /** The number of shown rows in the subtree. */
  shown: number;
}

/** A leaf of the tree with consecutive rows that are not sorted yet. It is never empty. */
export interface Bag<T> {
  readonly rows: Row<T>[];
  parent: Row<T> | undefined;
  size: number;
  shown: number;
}

type Node<T> = Row<T> | Bag<T>;

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

/** The order of the rows of a tree. */
export interface RowOrder<T> {
  readonly compare: (a: Row<T>, b: Row<T>) => number;
  /** Returns the rows in the order of `compare`. It may change the given array. */
  readonly sort: (rows: Row<T>[]) => readonly Row<T>[];
}

/**
 * `HEAVIER` is the largest ratio between the weights of two siblings. `DOUBLE` is the ratio at
 * which one rotation is not enough. They are the smallest pair that is proved correct (Hirai and
 * Yamamoto, 2011).
 */
const HEAVIER = 3;
const DOUBLE = 2;

/** The largest number of rows that are sorted at once, which takes about a millisecond. */
const FEW = 1024;

/** From this part of a bag on, sorting it whole is cheaper than dividing it first. */
const LARGE_PART = 1 / 4;

/**
 * A weight-balanced tree of ordered rows, some of which are shown. It counts all rows and the shown
 * rows, and sorts rows only when they are read.
 *
 * At first, all rows are in one bag. Reading a part of the tree divides the bags in this part until
 * they are small, and then sorts them. A bag is divided near the end of the part, or at its median
 * if the median comes first. So reading the first of n rows costs little more than n comparisons.
 * All other bags stay unsorted until they are read, or until `sortSome` sorts them. Rows in bags
 * are counted like all other rows, so all results are exact at any time.
 *
 * Hidden rows keep their places in the tree. So a new filter needs a walk over the tree, but no
 * sort.
 *
 * **Guarantees**: `insert` is O(log n), and never sorts a bag; `remove` and `show` are O(log n). In
 * a sorted tree, only `insert` compares rows, and `shownBetween` costs O(log n + returned rows) if
 * the shown rows are adjacent. With an inconsistent order, rows may be in wrong places, but no row
 * is lost.
 */
export class RowTree<T> {
  #root: Node<T> | undefined;
  /** To be sorted by `sortSome`, the last bag first; some may have left the tree. */
  readonly #bags: Bag<T>[] = [];
  /** The rows that have replaced bags during a read. They must be balanced afterwards. */
  readonly #opened: Row<T>[] = [];

  /** Creates a tree of `rows`, which may be in any order. `few` is for tests. */
  constructor(
    private readonly order: RowOrder<T>,
    rows: Row<T>[] = [],
    private readonly few = FEW,
  ) {
    this.#root = this.#bagOf(rows, undefined);
  }

  /** The number of shown rows. */
  get shown(): number {
    return shownOf(this.#root);
  }

  /** The root, for tests of the shape of the tree. */
  get root(): Row<T> | Bag<T> | undefined {
    return this.#root;
  }

  /** False while there may be rows that are not sorted yet. */
  get isSorted(): boolean {
    return this.#nextBag() === undefined;
  }

  /** Sorts some of the unsorted rows, beginning with the first rows. */
  sortSome(): void {
    const bag = this.#nextBag();
    if (bag) this.#settle(this.#open(bag));
  }

  /** Adds a row, which must not be in a tree. */
  insert(row: Row<T>): void {
    let parent: Row<T> | undefined;
    let side: 'left' | 'right' = 'left';
    let at = this.#root;
    while (at && !isBag(at)) {
      parent = at;
      side = this.order.compare(row, at) < 0 ? 'left' : 'right';
      at = at[side];
    }
    if (at) put(at, row);
    else {
      if (parent) parent[side] = row;
      else this.#root = row;
      row.parent = parent;
      recount(row);
    }
    this.#settle(parent);
  }

  /** Removes a row that is in this tree. */
  remove(row: Row<T>): void {
    const { left, right, parent } = row;
    if (parent && isBag(parent)) {
      take(parent, row);
      if (parent.size === 0) this.#replace(parent, undefined);
      this.#settle(parent.parent);
    } else if (left && right) {
      const heir = left.size > right.size ? this.#outermost(left, 'right') : this.#outermost(right, 'left');
      const lowest = heir.parent === row ? heir : (heir.parent as Row<T>);
      this.#replace(heir, heir.left ?? heir.right);
      setChild(heir, 'left', row.left);
      setChild(heir, 'right', row.right);
      this.#replace(row, heir);
      this.#settle(lowest);
    } else {
      this.#replace(row, left ?? right);
      this.#settle(parent);
    }
    row.parent = row.left = row.right = undefined;
  }

  /** Shows or hides a row of this tree. Its place does not change. */
  show(row: Row<T>, isShown: boolean): void {
    if (row.isShown === isShown) return;
    row.isShown = isShown;
    for (let at: Node<T> | undefined = row; at; at = at.parent) at.shown += isShown ? 1 : -1;
  }

  /** Counts the shown rows again, after `isShown` was set directly. */
  recount(): void {
    recountBelow(this.#root);
  }

  /** Returns the shown rows from index `start` up to, but not including, index `end`. */
  shownBetween(start: number, end: number): Row<T>[] {
    const rows: Row<T>[] = [];
    this.#collect(this.#root, start, end, rows);
    for (let row = this.#opened.pop(); row; row = this.#opened.pop()) this.#settle(row);
    return rows;
  }

  /** Collects shown rows. `start` and `end` are relative to the first shown row below `node`. */
  #collect(node: Node<T> | undefined, start: number, end: number, rows: Row<T>[]): void {
    if (!node || end <= 0 || start >= node.shown) return;
    const row = isBag(node) ? this.#openFor(node, start, end) : node;
    if (row !== node) this.#opened.push(row);
    const before = shownOf(row.left);
    const after = row.isShown ? before + 1 : before;
    if (before > 0) this.#collect(row.left, start, end, rows);
    if (row.isShown && start <= before && before < end) rows.push(row);
    if (row.shown > after) this.#collect(row.right, start - after, end - after, rows);
  }

  #openFor(bag: Bag<T>, start: number, end: number): Row<T> {
    const isLargePart = Math.min(end, bag.shown) - Math.max(start, 0) > LARGE_PART * bag.shown;
    return isLargePart ? this.#sort(bag) : this.#open(bag, end / bag.shown);
  }

  /** Replaces a bag by a row and two smaller bags. The left bag gets about `part` of the rows. */
  #open(bag: Bag<T>, part = MEDIAN): Row<T> {
    const { rows } = bag;
    const { compare } = this.order;
    if (rows.length <= this.few) return this.#sort(bag);
    const divided = dividedAt(Math.min(part, MEDIAN), rows, compare) ?? dividedAt(MEDIAN, rows, compare);
    if (!divided) return this.#sort(bag);
    const { left, middle, right } = divided;
    this.#replace(bag, middle);
    bag.size = 0;
    // The right bag is added first, so that `sortSome` sorts the left bag first.
    middle.right = this.#bagOf(right, middle);
    middle.left = this.#bagOf(left, middle);
    recount(middle);
    return middle;
  }

  #sort(bag: Bag<T>): Row<T> {
    const top = balanced(this.order.sort(bag.rows), undefined) as Row<T>;
    this.#replace(bag, top);
    bag.size = 0;
    return top;
  }

  #nextBag(): Bag<T> | undefined {
    while (this.#bags.at(-1)?.size === 0) this.#bags.pop();
    return this.#bags.at(-1);
  }

  #bagOf(rows: Row<T>[], parent: Row<T> | undefined): Bag<T> | undefined {
    if (rows.length === 0) return undefined;
    const bag: Bag<T> = { rows, parent, size: rows.length, shown: 0 };
    for (let place = 0; place < rows.length; place++) {
      const row = rows[place] as Row<T>;
      row.parent = bag;
      row.size = place;
      row.shown = row.isShown ? 1 : 0;
      bag.shown += row.shown;
    }
    this.#bags.push(bag);
    return bag;
  }

  #sorted(node: Node<T>): Row<T> {
    return isBag(node) ? this.#open(node) : node;
  }

  #outermost(node: Node<T>, side: 'left' | 'right'): Row<T> {
    let at = this.#sorted(node);
    for (let next = at[side]; next; next = at[side]) at = this.#sorted(next);
    return at;
  }

  #settle(from: Row<T> | undefined): void {
    for (let at = from; at; at = parentOf(at)) {
      recount(at);
      at = this.#rebalanced(at);
    }
  }

  /**
   * Returns the new top row of the subtree of `row`.
   *
   * A bag (rows that are not sorted yet) is never opened for balance. Bags may keep the tree out of
   * balance. When a bag is sorted, the tree is balanced from the bag upwards, which may take
   * several rotations.
   */
  #rebalanced(row: Row<T>): Row<T> {
    const left = weight(row.left);
    const right = weight(row.right);
    if (left > HEAVIER * right) return this.#lightened(row, 'left', 'right');
    if (right > HEAVIER * left) return this.#lightened(row, 'right', 'left');
    return row;
  }

  #lightened(row: Row<T>, heavy: 'left' | 'right', light: 'left' | 'right'): Row<T> {
    const child = row[heavy] as Node<T>;
    if (isBag(child)) return row;
    const inner = child[light];
    const top = inner && weight(inner) >= DOUBLE * weight(child[heavy]) ? inner : child;
    if (isBag(top)) return row;
    if (top !== child) {
      this.#lift(top);
      this.#rebalanced(child);
    }
    this.#lift(top);
    this.#rebalanced(row);
    recount(top);
    return this.#rebalanced(top);
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

  #replace(node: Node<T>, by: Node<T> | undefined): void {
    const parent = parentOf(node);
    if (parent) setChild(parent, parent.left === node ? 'left' : 'right', by);
    else {
      this.#root = by;
      if (by) by.parent = undefined;
    }
  }
}

function isBag<T>(node: Node<T>): node is Bag<T> {
  return 'rows' in node;
}

/** Returns the parent of a node. The node must not be a row in a bag. */
function parentOf<T>(node: Node<T>): Row<T> | undefined {
  return node.parent as Row<T> | undefined;
}

function put<T>(bag: Bag<T>, row: Row<T>): void {
  row.parent = bag;
  row.size = bag.rows.length;
  row.shown = row.isShown ? 1 : 0;
  bag.rows.push(row);
  bag.size++;
  bag.shown += row.shown;
}

function take<T>(bag: Bag<T>, row: Row<T>): void {
  const last = bag.rows.pop() as Row<T>;
  if (last !== row) {
    bag.rows[row.size] = last;
    last.size = row.size;
  }
  bag.size--;
  bag.shown -= row.shown;
}

function setChild<T>(parent: Row<T>, side: 'left' | 'right', child: Node<T> | undefined): void {
  parent[side] = child;
  if (child) child.parent = parent;
}

function shownOf(node: Node<unknown> | undefined): number {
  return node ? node.shown : 0;
}

/** Returns the size plus one, so that the ratio to an empty subtree is finite. */
function weight(node: Node<unknown> | undefined): number {
  return node ? node.size + 1 : 1;
}

function recount(row: Row<unknown>): void {
  const { left, right } = row;
  row.size = 1 + (left ? left.size : 0) + (right ? right.size : 0);
  row.shown = (row.isShown ? 1 : 0) + shownOf(left) + shownOf(right);
}

function balanced<T>(
  rows: readonly Row<T>[],
  parent: Row<T> | undefined,
  start = 0,
  end = rows.length,
): Row<T> | undefined {
  if (start >= end) return undefined;
  const middle = (start + end) >> 1;
  const row = rows[middle] as Row<T>;
  row.parent = parent;
  row.left = balanced(rows, row, start, middle);
  row.right = balanced(rows, row, middle + 1, end);
  recount(row);
  return row;
}

function recountBelow(node: Node<unknown> | undefined): void {
  if (!node) return;
  if (isBag(node)) {
    node.shown = 0;
    for (const row of node.rows) node.shown += row.shown = row.isShown ? 1 : 0;
    return;
  }
  recountBelow(node.left);
  recountBelow(node.right);
  recount(node);
}

interface Divided<T> {
  readonly left: Row<T>[];
  readonly middle: Row<T>;
  readonly right: Row<T>[];
}

/** The number of rows that are sorted as a sample, to choose where a large bag is divided. */
const SAMPLE = 63;
const MEDIAN = 1 / 2;

/**
 * Divides rows so that the first part has about this share of the rows. The first part gets a
 * little more than the share, unless the share is one half.
 *
 * @returns `undefined` if the sample was misleading, so that one side would be far too light
 */
function dividedAt<T>(
  part: number,
  rows: readonly Row<T>[],
  compare: (a: Row<T>, b: Row<T>) => number,
): Divided<T> | undefined {
  const sample = Array.from({ length: SAMPLE }, (_, n) => rows[Math.floor((n * rows.length) / SAMPLE)] as Row<T>);
  const place = Math.min(Math.ceil(part * SAMPLE) + 2, SAMPLE >> 1);
  const middle = sample.sort(compare)[place] as Row<T>;
  const left: Row<T>[] = [];
  const right: Row<T>[] = [];
  for (const row of rows) if (row !== middle) (compare(row, middle) < 0 ? left : right).push(row);
  const lightest = (place * rows.length) / SAMPLE / 4;
  return left.length < lightest || right.length < lightest ? undefined : { left, middle, right };
}
