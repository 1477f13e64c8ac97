import type { Collection } from '../collections/collection.js';
import { internalsOf } from '../collections/log-collection.js';
import { invalidOptionError } from '../kubernetes/errors.js';
import { wallTime } from '../scheduling/clock.js';
import { forEachInSlices, objectsPerSlice, type Slices } from '../scheduling/slices.js';
import type { IndexedSnapshot } from '../store/indexed-snapshot.js';
import type { Derivation, InputChanges, Rows, Versions } from './core/derivation.js';
import { derivedCollection, type DerivedCollection, type DerivedOptions } from './core/derived-collection.js';
import { endOf, SortedValues } from './core/sorted-values.js';

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
 * adjusted, objects expire earlier or later. An expired object does not return while the collection
 * runs, unless it states a later time. About 50 bytes are kept for each expired object that the
 * input still has.
 *
 * Costs one call of `since` and O(log n) for each object that changed or expired (J5).
 *
 * If `since` throws or returns an invalid time, the object has no row until it changes, and
 * `errors$` emits an `RXI_DERIVED_ROW`.
 *
 * @param collection the collection to read
 * @param expiry how long objects are kept, and from which time this counts
 * @param options the indexes and the settings of the result; see {@link DerivedOptions}
 * @returns a collection of the same objects, by identity
 * @throws `RXI_INVALID_OPTION` if `milliseconds` is negative or `NaN`
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
  if (!(milliseconds >= 0)) throw invalidOptionError('milliseconds', milliseconds, 'at least 0');
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
      // Rows are objects of the input, which has shared their structure and frozen them.
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
  /** The expiry times that have passed. They stay passed if the clock is set back. */
  readonly #passed = new Map<string, number>();

  constructor(
    private readonly expiryOf: (object: T) => number,
    private readonly now: () => number,
  ) {}

  get wakeAt(): number | undefined {
    return endOf(this.#order, 'first')?.value as number | undefined;
  }

  *fill([objects]: Versions<readonly [T]>, rows: Rows<T>): Slices<void> {
    yield* this.#setAll(objects.keysOnce(), objects, rows);
  }

  *update([{ current, keys }]: InputChanges<readonly [T]>, rows: Rows<T>): Slices<void> {
    yield* this.#setAll(keys, current, rows);
  }

  *wake(now: number, rows: Rows<T>): Slices<void> {
    let expired = 0;
    for (let next = endOf(this.#order, 'first'); next !== undefined; next = endOf(this.#order, 'first')) {
      if ((next.value as number) > now) return;
      this.#setExpiry(next.key, undefined);
      this.#passed.set(next.key, next.value as number);
      rows.delete(next.key);
      if (++expired % objectsPerSlice === 0) yield;
    }
  }

  *#setAll(keys: readonly string[], objects: IndexedSnapshot<T>, rows: Rows<T>): Slices<void> {
    const now = this.now();
    yield* forEachInSlices(keys, (key) => {
      const object = objects.get(key);
      const expiry = object === undefined ? undefined : rows.call('since', [key], () => this.expiryOf(object));
      const isRow = expiry !== undefined && expiry > Math.max(now, this.#passed.get(key) ?? 0);
      if (isRow || expiry === undefined) this.#passed.delete(key);
      else this.#passed.set(key, Math.max(expiry, this.#passed.get(key) ?? 0));
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
    const described = typeof time === 'number' || time instanceof Date ? String(time) : JSON.stringify(time);
    throw new TypeError(`${described} is not a time; return a Date, an RFC 3339 text or milliseconds since 1970`);
  }
  return milliseconds;
}
