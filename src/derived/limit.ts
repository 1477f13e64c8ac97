import type { Collection } from '../informer/collection.js';
import { internalsOf } from '../informer/log-collection.js';
import type { IndexedSnapshot } from '../store/indexed-snapshot.js';
import { forEachInSlices, objectsPerSlice, type Slices } from '../store/slices.js';
import { wallTime } from '../time/clock.js';
import { sortable } from './aggregates.js';
import type { Derivation, InputChanges, Rows, Versions } from './core/derivation.js';
import { derivedCollection, type DerivedCollection, type DerivedOptions } from './core/derived-collection.js';
import { compareSorted, SortedValues, type Sortable } from './core/sorted-values.js';

/** Which objects `limit` keeps. */
export interface Limit<T> {
  /**
   * Returns what objects are ordered by, such as a time; an object for which it returns `undefined`
   * is left out. It must be pure. Strings are compared by UTF-16 code units, as timestamps can be.
   */
  readonly by: (object: T) => Sortable | undefined;
  /** How many objects to keep: those with the greatest values. */
  readonly count: number;
}

/**
 * Keeps the objects with the greatest values of a function, up to a number: the newest 100 events.
 * Of equal values, the one with the greater key comes first. Rows stand under their own keys, so
 * `list()` is in the order of the keys.
 *
 * | in | out |
 * | --- | --- |
 * | an object is added, and is among the first | added; the last one is deleted, if there were as many |
 * | it changes, and is among the first before and after | updated |
 * | it is deleted, and was among the first | deleted; the next one is added |
 * | any other object is added, changed or deleted | nothing |
 *
 * Costs one call of `by` and O(log n) for each object that changed (J5). The order of all objects is
 * kept in memory.
 *
 * @param collection what to read
 * @param limit what to order by, and how many to keep
 * @returns a collection of the same objects, by identity
 * @throws RangeError if `count` is not a whole number, or negative
 * @example
 * const newest = derived.limit(podInformer, { by: (pod) => pod.metadata.creationTimestamp, count: 10 });
 * newest.list$().subscribe((pods) => console.log(pods.length));
 */
export function limit<T, const I extends string = never>(
  collection: Collection<T>,
  { by, count }: Limit<T>,
  options: DerivedOptions<T, I> = {},
): DerivedCollection<T, I> {
  if (!Number.isInteger(count) || count < 0) {
    throw new RangeError(`count must be a whole number, 0 or more, not ${String(count)}`);
  }
  return derivedCollection<readonly [T], T, I>(
    {
      operator: 'limit',
      inputs: [collection],
      derivation: () => new Greatest(by, count),
      // The rows are the objects of the input, which has done both.
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

  /** Takes an object out of the order, and puts it back, among those that are not shown, if it has a value. */
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

  /** Shows the best of those that are not shown, if there is room or it comes before one that is; returns false if not. */
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

/** When objects of `expireAfter` expire. */
export interface Expiry<T> {
  /** How long an object is kept, in milliseconds from `since` on. */
  readonly milliseconds: number;
  /**
   * Returns when the time of an object began: a Kubernetes timestamp, milliseconds since 1970, or a
   * `Date`. An object for which it returns `undefined` does not expire. It must be pure. Default:
   * `metadata.creationTimestamp`.
   */
  readonly since?: ((object: T) => string | number | Date | undefined) | undefined;
}

/**
 * Keeps objects until some time after a moment that they state: events of the last hour.
 *
 * | in | out |
 * | --- | --- |
 * | an object is added, and has not expired | added |
 * | it changes | updated; added or deleted, if that changes whether it has expired |
 * | it is deleted | deleted, if it had not expired |
 * | its time is over | deleted |
 *
 * All objects that expire at one moment are deleted in one commit. There is one timer, for the next
 * object to expire. Times are compared with the clock of this process: a clock that is set changes
 * when an object expires, but does not bring back one that has expired.
 *
 * Costs one call of `since` and O(log n) for each object that changed or expired (J5).
 *
 * If `since` throws, or returns what is not a time, the object has no row until it changes, and
 * `errors$` emits a `DerivedRowError`.
 *
 * @param collection what to read
 * @param expiry how long, and since when
 * @returns a collection of the same objects, by identity
 * @throws RangeError if `milliseconds` is negative or `NaN`
 * @example
 * const recent = derived.expireAfter(podInformer, { milliseconds: 3_600_000, since: (pod) => pod.status?.startTime });
 * recent.list$().subscribe((pods) => console.log(pods.length));
 */
export function expireAfter<T, const I extends string = never>(
  collection: Collection<T>,
  { milliseconds, since = creationTimestampOf }: Expiry<T>,
  options: DerivedOptions<T, I> = {},
): DerivedCollection<T, I> {
  if (!(milliseconds >= 0)) throw new RangeError(`milliseconds must be 0 or more, not ${String(milliseconds)}`);
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
      // The rows are the objects of the input, which has done both.
      shareStructure: false,
      freeze: false,
    },
    { resource: collection.resource, ...options },
  );
}

class Expiration<T> implements Derivation<readonly [T], T> {
  /** Of the objects that have a row and expire. */
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

/** Returns milliseconds since 1970, `Infinity` for no time. */
function timeOf(time: string | number | Date | undefined): number {
  if (time === undefined) return Infinity;
  const milliseconds = typeof time === 'string' ? Date.parse(time) : Number(time);
  if (Number.isNaN(milliseconds) || (typeof time === 'object' && !(time instanceof Date))) {
    throw new TypeError(`this is not a time: ${JSON.stringify(time)}`);
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
