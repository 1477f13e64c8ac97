import type { Collection } from '../collections/collection.js';
import { internalsOf } from '../collections/log-collection.js';
import type { IndexedSnapshot } from '../store/indexed-snapshot.js';
import { forEachInSlices, objectsPerSlice, type Slices } from '../scheduling/slices.js';
import { wallTime } from '../scheduling/clock.js';
import { sortable } from './aggregates.js';
import type { Derivation, InputChanges, Rows, Versions } from './core/derivation.js';
import { derivedCollection, type DerivedCollection, type DerivedOptions } from './core/derived-collection.js';
import { compareSorted, SortedValues, type Sortable } from './core/sorted-values.js';

/** The order and the number of the objects that `limit` keeps. */
export interface Limit<T> {
  /**
   * Returns the value by which objects are ordered, such as a time. The function must be pure. An
   * object for which it returns `undefined` is left out. Strings are compared by UTF-16 code units,
   * which sorts ISO 8601 timestamps correctly.
   */
  readonly by: (object: T) => Sortable | undefined;
  /** The number of objects to keep. The objects with the greatest values are kept. */
  readonly count: number;
}

/**
 * Keeps a number of objects with the greatest values of a function, such as the newest 100 events.
 * If values are equal, the object with the greater key comes first. Rows have the keys of their
 * objects, so `list()` is in key order.
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
 * @throws RangeError if `count` is not a whole number, or negative
 * @example
 * const newest = derived.limit(podInformer, {
 *   by: (pod) => pod.metadata.creationTimestamp,
 *   count: 10,
 * });
 * newest.list$().subscribe((pods) => console.log(pods.length));
 */
export function limit<T, const I extends string = never>(
  collection: Collection<T>,
  { by, count }: Limit<T>,
  options: DerivedOptions<T, I> = {},
): DerivedCollection<T, I> {
  if (!Number.isInteger(count) || count < 0) {
    throw new RangeError(`count must be a whole number of at least 0, not ${String(count)}`);
  }
  return derivedCollection<readonly [T], T, I>(
    {
      operator: 'limit',
      inputs: [collection],
      derivation: () => new Greatest(by, count),
      // The rows are objects of the input. The input has already shared the structure of these
      // objects and frozen them.
      shareStructure: false,
      freeze: false,
    },
    { resource: collection.resource, ...options },
  );
}

class Greatest<T> implements Derivation<readonly [T], T> {
  readonly #values = new Map<string, Sortable>();
  readonly #shownKeys = new Set<string>();
  readonly #shown = new SortedValues();
  readonly #rest = new SortedValues();

  constructor(
    private readonly by: (object: T) => Sortable | undefined,
    private readonly count: number,
  ) {}

  *fill([objects]: Versions<readonly [T]>, rows: Rows<T>): Slices<void> {
    yield* this.#place(objects.keys(), objects, rows);
  }

  *update([{ current, keys }]: InputChanges<readonly [T]>, rows: Rows<T>): Slices<void> {
    yield* this.#place(keys, current, rows);
  }

  *#place(keys: readonly string[], objects: IndexedSnapshot<T>, rows: Rows<T>): Slices<void> {
    const affected = new Set<string>();
    yield* forEachInSlices(keys, (key) => {
      const object = objects.get(key);
      const value = object === undefined ? undefined : rows.call('by', [key], () => sortable(this.by(object), 'limit'));
      if (this.#shownKeys.has(key)) affected.add(key);
      if (value !== this.#values.get(key)) this.#move(key, value);
    });
    for (let moved = 0; this.#moveBest(affected); moved++) if (moved % objectsPerSlice === objectsPerSlice - 1) yield;
    yield* forEachInSlices(affected, (key) => {
      rows.set(key, this.#shownKeys.has(key) ? objects.get(key) : undefined);
    });
  }

  /**
   * Removes an object from its present place. If the object has a value, adds it to the objects
   * that are not shown.
   */
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

  /**
   * Shows the best hidden object, if there is room or if it comes before a shown one. Returns false
   * if neither is the case.
   */
  #moveBest(affected: Set<string>): boolean {
    const best = endOf(this.#rest, 'last');
    if (best === undefined || this.count === 0) return false;
    if (this.#shownKeys.size === this.count) {
      const worst = endOf(this.#shown, 'first');
      if (worst === undefined || compareSorted(best.value, best.key, worst.value, worst.key) < 0) return false;
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

/** The age at which objects of `expireAfter` expire. */
export interface Expiry<T> {
  /** How long an object is kept, in milliseconds, counted from `since`. */
  readonly milliseconds: number;
  /**
   * Returns the time at which the age of an object begins: a Kubernetes timestamp, milliseconds
   * since 1970, or a `Date`. An object for which it returns `undefined` does not expire. The
   * function must be pure. Default: `metadata.creationTimestamp`.
   */
  readonly since?: ((object: T) => string | number | Date | undefined) | undefined;
}

/**
 * Keeps objects up to an age, such as the events of the last hour. The age counts from a time that
 * the object states, by default its creation.
 *
 * | in | out |
 * | --- | --- |
 * | an object is added, and has not expired | added |
 * | an object changes | updated; deleted if it is now expired; added if it was expired and no longer is |
 * | an object is deleted | deleted, if it had not expired |
 * | an object expires | deleted |
 *
 * All objects that expire at the same time are deleted in one commit. There is only one timer, for
 * the object that expires next. Times are compared with the clock of this process. If that clock is
 * adjusted, objects expire earlier or later, but an expired object does not return.
 *
 * Costs one call of `since` and O(log n) for each object that changed or expired (J5).
 *
 * If `since` throws or returns an invalid time, the object has no row until it changes, and
 * `errors$` emits a `DerivedRowError`.
 *
 * @param collection the collection to read
 * @param expiry how long objects are kept, and from which time this counts
 * @param options the indexes and the settings of the result; see {@link DerivedOptions}
 * @returns a collection of the same objects, by identity
 * @throws RangeError if `milliseconds` is negative or `NaN`
 * @example
 * const recent = derived.expireAfter(podInformer, {
 *   milliseconds: 3_600_000,
 *   since: (pod) => pod.status?.startTime,
 * });
 * recent.list$().subscribe((pods) => console.log(pods.length));
 */
export function expireAfter<T, const I extends string = never>(
  collection: Collection<T>,
  { milliseconds, since = creationTimestampOf }: Expiry<T>,
  options: DerivedOptions<T, I> = {},
): DerivedCollection<T, I> {
  if (!(milliseconds >= 0)) throw new RangeError(`milliseconds must be at least 0, not ${String(milliseconds)}`);
  const scheduler = options.scheduler ?? internalsOf(collection).log.scheduler;
  return derivedCollection<readonly [T], T, I>(
    {
      operator: 'expireAfter',
      inputs: [collection],
      derivation: () =>
        new Expiration<T>(
          (object) => timeOf(since(object)) + milliseconds,
          () => wallTime(scheduler),
        ),
      // The rows are objects of the input. The input has already shared the structure of these
      // objects and frozen them.
      shareStructure: false,
      freeze: false,
    },
    { resource: collection.resource, ...options },
  );
}

class Expiration<T> implements Derivation<readonly [T], T> {
  /** The expiry times of the objects that have a row, except those that never expire. */
  readonly #expiries = new Map<string, number>();
  readonly #order = new SortedValues();

  constructor(
    private readonly expiryOf: (object: T) => number,
    private readonly now: () => number,
  ) {}

  get wakeAt(): number | undefined {
    return endOf(this.#order, 'first')?.value as number | undefined;
  }

  *fill([objects]: Versions<readonly [T]>, rows: Rows<T>): Slices<void> {
    yield* this.#setAll(objects.keys(), objects, rows);
  }

  *update([{ current, keys }]: InputChanges<readonly [T]>, rows: Rows<T>): Slices<void> {
    yield* this.#setAll(keys, current, rows);
  }

  *wake(now: number, rows: Rows<T>): Slices<void> {
    let expired = 0;
    for (let next = endOf(this.#order, 'first'); next !== undefined; next = endOf(this.#order, 'first')) {
      if ((next.value as number) > now) return;
      this.#setExpiry(next.key, undefined);
      rows.delete(next.key);
      if (++expired % objectsPerSlice === 0) yield;
    }
  }

  *#setAll(keys: readonly string[], objects: IndexedSnapshot<T>, rows: Rows<T>): Slices<void> {
    const now = this.now();
    yield* forEachInSlices(keys, (key) => {
      const object = objects.get(key);
      const expiry = object === undefined ? undefined : rows.call('since', [key], () => this.expiryOf(object));
      const isRow = expiry !== undefined && expiry > now;
      this.#setExpiry(key, isRow && expiry < Infinity ? expiry : undefined);
      rows.set(key, isRow ? object : undefined);
    });
    yield* this.wake(now, rows);
  }

  #setExpiry(key: string, expiry: number | undefined): void {
    const before = this.#expiries.get(key);
    if (expiry === before) return;
    if (before !== undefined) this.#order.remove(before, key);
    if (expiry === undefined) {
      this.#expiries.delete(key);
      return;
    }
    this.#expiries.set(key, expiry);
    this.#order.add(expiry, key);
  }
}

function creationTimestampOf(object: unknown): string | Date | undefined {
  const { metadata } = object as { readonly metadata?: { readonly creationTimestamp?: string | Date } };
  return metadata?.creationTimestamp;
}

/** Returns milliseconds since 1970; `Infinity` for `undefined`. Throws for an invalid time. */
function timeOf(time: string | number | Date | undefined): number {
  if (time === undefined) return Infinity;
  const milliseconds = typeof time === 'string' ? Date.parse(time) : Number(time);
  if (Number.isNaN(milliseconds) || (typeof time === 'object' && !(time instanceof Date))) {
    const given = typeof time === 'number' || time instanceof Date ? String(time) : JSON.stringify(time);
    throw new TypeError(`${given} is not a time; return a Date, an RFC 3339 text or milliseconds since 1970`);
  }
  return milliseconds;
}

function endOf(
  values: SortedValues,
  end: 'first' | 'last',
): { readonly value: Sortable; readonly key: string } | undefined {
  let found: { readonly value: Sortable; readonly key: string } | undefined;
  values.forEachFrom(end, 1, (value, key) => {
    found = { value, key };
  });
  return found;
}
