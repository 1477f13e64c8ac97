import type { Collection } from '../collections/collection.js';
import { invalidOptionError } from '../kubernetes/errors.js';
import { forEachInSlices, objectsPerSlice, type Slices } from '../scheduling/slices.js';
import { checkedChoice } from '../sources/model/checked-options.js';
import type { IndexedSnapshot } from '../store/indexed-snapshot.js';
import { sortable } from './aggregates.js';
import type { Derivation, InputChanges, Rows, Versions } from './core/derivation.js';
import { derivedCollection, type DerivedCollection, type DerivedOptions } from './core/derived-collection.js';
import { compareSorted, endOf, type Sortable, SortedValues } from './core/sorted-values.js';

/** The order and the number of the objects that `limit` keeps. */
export interface Limit<T> {
  /**
   * Returns the value by which objects are ordered, such as a time. The function must be pure. An
   * object for which it returns `undefined` is left out. Strings are compared by UTF-16 code units,
   * which sorts ISO 8601 timestamps correctly.
   */
  readonly by: (object: T, key: string) => Sortable | undefined;
  /** The number of objects to keep. */
  readonly count: number;
  /** Which objects are kept: those with the `greatest` values (default), or with the `least`. */
  readonly order?: 'greatest' | 'least' | undefined;
}

/**
 * Keeps a number of objects with the greatest or least values of a function, such as the newest 100
 * events or the ten oldest pods. If values are equal, the object with the greater key comes first
 * (with `least`, that with the smaller key). Rows have the keys of their objects, so `list()` is in
 * key order.
 *
 * | in | out |
 * | --- | --- |
 * | an object is added or changes, and is now among the first `count` | added; the row that it displaces, if any, is deleted |
 * | an object changes, and stays among the first | updated |
 * | an object among the first is deleted, or changes and is no longer among them | deleted; the next object is added |
 * | any other object is added, changed or deleted | nothing |
 *
 * Costs one call of `by` and O(log n) for each object that changed (J5). The sorted values of all
 * objects are kept in memory.
 *
 * @param collection the collection to read
 * @param limit the order, and how many objects to keep
 * @param options the indexes and the settings of the result; see {@link DerivedOptions}
 * @returns a collection of the same objects, by identity
 * @throws `RXI_INVALID_OPTION` if `count` is negative or not a whole number, or for another `order`
 * @example
 * const newest = derived.limit(podInformer, {
 *   by: (pod) => pod.metadata.creationTimestamp,
 *   count: 10,
 * });
 * newest.list$().subscribe((pods) => console.log(pods.length));
 */
export function limit<T, const I extends string = never>(
  collection: Collection<T>,
  { by, count, order = 'greatest' }: Limit<T>,
  options: DerivedOptions<T, I> = {},
): DerivedCollection<T, I> {
  if (!Number.isInteger(count) || count < 0) {
    throw invalidOptionError('count', count, 'a whole number of at least 0');
  }
  checkedChoice('order', order, 'greatest', 'least');
  return derivedCollection<readonly [T], T, I>(
    {
      operator: 'limit',
      inputs: [collection],
      derivation: () => new Extremes(by, count, order),
      // The rows are objects of the input. The input has already shared the structure of these
      // objects and frozen them.
      shareStructure: false,
      freeze: false,
    },
    { resource: collection.resource, ...options },
  );
}

class Extremes<T> implements Derivation<readonly [T], T> {
  readonly #values = new Map<string, Sortable>();
  readonly #shownKeys = new Set<string>();
  readonly #shown = new SortedValues();
  readonly #rest = new SortedValues();

  constructor(
    private readonly by: Limit<T>['by'],
    private readonly count: number,
    private readonly order: 'greatest' | 'least',
  ) {}

  *fill([objects]: Versions<readonly [T]>, rows: Rows<T>): Slices<void> {
    yield* this.#place(objects.keysOnce(), objects, rows);
  }

  *update([{ current, keys }]: InputChanges<readonly [T]>, rows: Rows<T>): Slices<void> {
    yield* this.#place(keys, current, rows);
  }

  *#place(keys: readonly string[], objects: IndexedSnapshot<T>, rows: Rows<T>): Slices<void> {
    const affected = new Set<string>();
    yield* forEachInSlices(keys, (key) => {
      const object = objects.get(key);
      const value =
        object === undefined ? undefined : rows.call('by', [key], () => sortable(this.by(object, key), 'limit'));
      if (this.#shownKeys.has(key)) affected.add(key);
      if (value !== this.#values.get(key)) this.#move(key, value);
    });
    for (let moved = 0; this.#moveBest(affected); moved++) if (moved % objectsPerSlice === objectsPerSlice - 1) yield;
    yield* forEachInSlices(affected, (key) => rows.set(key, this.#shownKeys.has(key) ? objects.get(key) : undefined));
  }

  /** Removes an object from its place; adds it to those not shown if it has a value. */
  #move(key: string, value: Sortable | undefined): void {
    const before = this.#values.get(key);
    if (before !== undefined) (this.#shownKeys.delete(key) ? this.#shown : this.#rest).remove(before, key);
    if (value === undefined) {
      this.#values.delete(key);
      return;
    }
    this.#values.set(key, value);
    this.#rest.add(value, key);
  }

  /** Shows the best hidden object if there is room, or it precedes a shown one; else false. */
  #moveBest(affected: Set<string>): boolean {
    const best = endOf(this.#rest, this.order === 'greatest' ? 'last' : 'first');
    if (best === undefined || this.count === 0) return false;
    if (this.#shownKeys.size === this.count) {
      const worst = endOf(this.#shown, this.order === 'greatest' ? 'first' : 'last');
      if (worst === undefined) return false;
      const order = compareSorted(best.value, best.key, worst.value, worst.key);
      if (this.order === 'greatest' ? order < 0 : order > 0) return false;
      this.#shown.remove(worst.value, worst.key);
      this.#shownKeys.delete(worst.key);
      this.#rest.add(worst.value, worst.key);
      affected.add(worst.key);
    }
    this.#rest.remove(best.value, best.key);
    this.#shown.add(best.value, best.key);
    this.#shownKeys.add(best.key);
    affected.add(best.key);
    return true;
  }
}
