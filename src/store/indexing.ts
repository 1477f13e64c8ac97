import { IndexFunctionError, IndexerConflictError, UnknownIndexError } from './errors.js';
import type { KeyedObject } from './delta.js';
import type { BucketReads, IndexRange } from './snapshot.js';
import { entriesFrom, SortedMap, type SortedMapDraft } from './sorted-map.js';
import type { IndexFunction, Indexers } from './index-functions.js';

/**
 * The checked values that an index function returned, each of them once. A single value is not
 * wrapped in an array, because nearly every object has one.
 */
export type IndexValues = string | readonly string[];

export const NO_VALUES: IndexValues = Object.freeze([]);

/** The values of an object in a store without indexes. */
const NO_INDEXES: readonly IndexValues[] = Object.freeze([]);

/**
 * The values of an object whose index function failed: none, distinguishable from an empty result.
 */
export const FAILED_VALUES: IndexValues = Object.freeze([]);

/**
 * Returns true if an index function failed for the object. Such an object is indexed again when it
 * is delivered next, changed or not (G4).
 */
export function isIncomplete(values: readonly IndexValues[]): boolean {
  return values.includes(FAILED_VALUES);
}

/**
 * Calls an index function and checks its result.
 *
 * @throws TypeError for a result that is not an index value, and what the function throws
 */
export function computeIndexValues<T>(indexFunction: IndexFunction<T>, object: T): IndexValues {
  const given: unknown = indexFunction(object);
  if (typeof given === 'string') return given;
  if (given === undefined) return NO_VALUES;
  if (!Array.isArray(given))
    throw new TypeError(
      `an index function must give a string, an array of strings or undefined, not ${describe(given)}`,
    );
  for (const value of given as readonly unknown[]) {
    if (typeof value !== 'string') throw new TypeError(`an index value must be a string, not ${describe(value)}`);
  }
  const values = given as readonly string[];
  if (values.length === 0) return NO_VALUES;
  if (values.length === 1) return values[0] as string;
  return [...new Set(values)];
}

export function hasIndexValue(values: IndexValues, value: string): boolean {
  return typeof values === 'string' ? values === value : values.includes(value);
}

export function forEachIndexValue(values: IndexValues, visit: (value: string) => void): void {
  if (typeof values === 'string') {
    visit(values);
    return;
  }
  values.forEach(visit);
}

export function areSameIndexValues(a: IndexValues, b: IndexValues): boolean {
  if (a === b) return true;
  if (a === FAILED_VALUES || b === FAILED_VALUES) return false;
  if (typeof a === 'string' || typeof b === 'string' || a.length !== b.length) return false;
  return a.every((value, position) => value === b[position]);
}

function describe(value: unknown): string {
  return value === null ? 'null' : typeof value;
}

/** Holds one object of the store, with the values computed from it when it was added. */
export interface Entry<T> {
  readonly key: string;
  readonly object: T;
  /**
   * The values under each index, in the order of the schema. They are kept, so that removing the
   * object never calls an index function (▲ S12).
   */
  readonly values: readonly IndexValues[];
  /** The merged source from which the object came, if any. */
  readonly partition: string | undefined;
}

/** Defines the indexes of a store, in a fixed order: an entry keeps its values by position. */
export class IndexSchema<T, I extends string = string> {
  readonly indexers: Indexers<T, I>;
  readonly names: readonly I[];
  readonly #functions: readonly IndexFunction<T>[];
  readonly #positions: ReadonlyMap<string, number>;

  /** Copies `indexers`, so that changing it later has no effect (▲ S11). */
  constructor(indexers: Indexers<T, I>, names: readonly I[] = Object.keys(indexers) as I[]) {
    this.indexers = Object.freeze({ ...indexers });
    this.names = names;
    this.#functions = this.names.map((name) => this.indexers[name]);
    this.#positions = new Map(this.names.map((name, position) => [name, position]));
  }

  /**
   * Returns the position of an index.
   *
   * @throws UnknownIndexError if there is no such index (S8)
   */
  position(name: string): number {
    const position = this.#positions.get(name);
    if (position === undefined) throw new UnknownIndexError(name, this.names);
    return position;
  }

  /**
   * Returns a schema with more indexes (S11). The new ones come last, so that all positions stay
   * the same.
   *
   * @throws IndexerConflictError if one of the names is taken
   */
  with<J extends string>(added: Indexers<T, J>): IndexSchema<T, I | J> {
    const names = Object.keys(added) as J[];
    const conflicts = names.filter((name) => this.#positions.has(name));
    if (conflicts.length > 0) throw new IndexerConflictError(conflicts);
    return new IndexSchema<T, I | J>({ ...this.indexers, ...added }, [...this.names, ...names]);
  }

  /**
   * Returns the values of one object under one index.
   *
   * @throws what the index function throws
   */
  valuesOf(position: number, object: T): IndexValues {
    return computeIndexValues(this.#functions[position] as IndexFunction<T>, object);
  }

  /**
   * Returns the values of an object under every index. An index function that fails is reported,
   * and yields no values (S7 ▲). If all values equal those of `previous`, its array is returned, so
   * that the caller can compare by identity.
   */
  computeAll(
    key: string,
    object: T,
    previous: Entry<T> | undefined,
    report: (error: IndexFunctionError) => void,
  ): readonly IndexValues[] {
    if (this.names.length === 0) return NO_INDEXES;
    const values: IndexValues[] = [];
    let isSame = previous !== undefined;
    for (let position = 0; position < this.names.length; position++) {
      const value = this.#compute(position, key, object, report);
      isSame &&= areSameIndexValues(value, previous?.values[position] ?? NO_VALUES);
      values.push(value);
    }
    // A copy has no room to grow: an array that was pushed to keeps 17 slots, for each object in the store.
    return previous && isSame ? previous.values : values.slice();
  }

  /**
   * Returns the values of an entry after indexes were added. Only the new ones are computed (▲
   * S12).
   */
  computeAdded({ key, object, values }: Entry<T>, report: (error: IndexFunctionError) => void): readonly IndexValues[] {
    return this.names.map((_, position) => values[position] ?? this.#compute(position, key, object, report));
  }

  #compute(position: number, key: string, object: T, report: (error: IndexFunctionError) => void): IndexValues {
    try {
      return this.valuesOf(position, object);
    } catch (cause) {
      report(new IndexFunctionError(this.names[position] as I, key, cause));
      return FAILED_VALUES;
    }
  }
}

/**
 * The arrays that were built from a bucket. Versions with the same members share the keys; versions
 * with the same content share both arrays.
 */
interface Arrays<T> {
  readonly ofKeys: { keys?: readonly string[] };
  objects?: readonly T[];
}

/**
 * Holds an immutable set of entries in key order: all objects of a store, or those under one index
 * value.
 *
 * The arrays are built on the first read and kept, so that all readers of one version share them. A
 * bucket without readers costs no arrays (G2, G10).
 */
export class Bucket<T, E extends KeyedObject<T> = Entry<T>> implements BucketReads<T> {
  readonly #arrays: Arrays<T>;

  constructor(
    private readonly entries: SortedMap<E>,
    arrays: Arrays<T> = { ofKeys: {} },
  ) {
    this.#arrays = arrays;
  }

  static empty<T, E extends KeyedObject<T> = Entry<T>>(): Bucket<T, E> {
    return new Bucket(SortedMap.empty());
  }

  get size(): number {
    return this.entries.size;
  }

  get(key: string): E | undefined {
    return this.entries.get(key);
  }

  has(key: string): boolean {
    return this.entries.has(key);
  }

  objects(): readonly T[] {
    return (this.#arrays.objects ??= Object.freeze(this.#collectObjects()));
  }

  keys(): readonly string[] {
    return (this.#arrays.ofKeys.keys ??= Object.freeze(this.entries.keys()));
  }

  first(): E | undefined {
    for (const [, entry] of entriesFrom(this.entries, '')) return entry;
    return undefined;
  }

  forEach(visit: (entry: E, key: string) => void): void {
    this.entries.forEach(visit);
  }

  edit(): BucketDraft<T, E> {
    return new BucketDraft(this, this.entries.edit(), this.#arrays);
  }

  #collectObjects(): T[] {
    const objects: T[] = [];
    this.entries.forEach((entry) => objects.push(entry.object));
    return objects;
  }
}

/**
 * Builds the next version of a bucket for one commit. It is changed in place, invisible to readers
 * of the bucket from which it came.
 *
 * It counts the differences from the original, so that an entry that was added and removed within
 * one commit leaves the arrays unchanged (G2).
 */
export class BucketDraft<T, E extends KeyedObject<T> = Entry<T>> {
  #touched = false;
  #entered = 0;
  #left = 0;
  #replaced = false;

  constructor(
    private readonly original: Bucket<T, E>,
    private readonly entries: SortedMapDraft<E>,
    private readonly arrays: Arrays<T>,
  ) {}

  get size(): number {
    return this.entries.size;
  }

  get(key: string): E | undefined {
    return this.entries.get(key);
  }

  set(entry: E): void {
    const isFirst = !this.#touched;
    this.#touched = true;
    const current = this.entries.set(entry.key, entry);
    const isNew = current === undefined;
    if (!isNew && this.#replaced) return;
    const before = isFirst ? current : this.original.get(entry.key);
    if (before && before.object !== entry.object) this.#replaced = true;
    if (!isNew) return;
    if (before) this.#left--;
    else this.#entered++;
  }

  delete(key: string): void {
    if (!this.entries.delete(key)) return;
    this.#touched = true;
    if (this.original.get(key)) this.#left++;
    else this.#entered--;
  }

  forEach(visit: (entry: E) => void): void {
    this.entries.forEach(visit);
  }

  finish(): Bucket<T, E> {
    if (!this.#touched) return this.original;
    const entries = this.entries.finish();
    if (this.#entered > 0 || this.#left > 0) return new Bucket(entries);
    return new Bucket(entries, this.#replaced ? { ofKeys: this.arrays.ofKeys } : this.arrays);
  }
}

interface ValuesMemo {
  values?: readonly string[];
}

/** Holds one index: its buckets by value, in order. An empty bucket does not exist (S6). */
export class BucketIndex<T> {
  readonly #memo: ValuesMemo;

  constructor(
    private readonly buckets: SortedMap<Bucket<T>>,
    memo: ValuesMemo = {},
  ) {
    this.#memo = memo;
  }

  static empty<T>(): BucketIndex<T> {
    return new BucketIndex(SortedMap.empty());
  }

  bucket(value: string): Bucket<T> | undefined {
    return this.buckets.get(value);
  }

  values(): readonly string[] {
    return (this.#memo.values ??= Object.freeze(this.buckets.keys()));
  }

  /** Calls `visit` for the buckets of a range, in the order of their values. Costs O(log n + buckets visited). */
  forEachBetween({ from = '', to }: IndexRange, visit: (bucket: Bucket<T>, value: string) => void): void {
    for (const [value, bucket] of entriesFrom(this.buckets, from)) {
      if (to !== undefined && value >= to) return;
      visit(bucket, value);
    }
  }

  edit(): BucketIndexDraft<T> {
    return new BucketIndexDraft(this, this.buckets, this.#memo);
  }
}

/** Builds the next version of an index for one commit. Each bucket is copied at most once. */
export class BucketIndexDraft<T> {
  readonly #opened = new Map<string, BucketDraft<T>>();

  constructor(
    private readonly original: BucketIndex<T>,
    private readonly buckets: SortedMap<Bucket<T>>,
    private readonly memo: ValuesMemo,
  ) {}

  /**
   * Moves a key from the buckets of `before` to those of `after`: out of the old ones first, then
   * into all new ones (S5).
   */
  move(key: string, before: IndexValues, after: IndexValues, entry: Entry<T> | undefined): void {
    if (entry !== undefined && before === after && typeof after === 'string') {
      // Nearly every update stays in its bucket.
      this.#open(after).set(entry);
      return;
    }
    forEachIndexValue(before, (value) => {
      if (!hasIndexValue(after, value)) this.#open(value).delete(key);
    });
    if (entry === undefined) return;
    forEachIndexValue(after, (value) => {
      this.#open(value).set(entry);
    });
  }

  add(entry: Entry<T>, values: IndexValues): void {
    if (typeof values === 'string') this.#open(values).set(entry);
    else this.move(entry.key, NO_VALUES, values, entry);
  }

  forEachIn(value: string, visit: (entry: Entry<T>) => void): void {
    const opened = this.#opened.get(value);
    if (opened) opened.forEach(visit);
    else this.buckets.get(value)?.forEach(visit);
  }

  finish(): BucketIndex<T> {
    if (this.#opened.size === 0) return this.original;
    const buckets = this.buckets.edit();
    let sameValues = true;
    for (const [value, draft] of this.#opened) {
      const bucket = draft.finish();
      if (bucket.size === 0) {
        if (buckets.delete(value)) sameValues = false;
      } else if (buckets.set(value, bucket) === undefined) {
        sameValues = false;
      }
    }
    return new BucketIndex(buckets.finish(), sameValues ? this.memo : {});
  }

  #open(value: string): BucketDraft<T> {
    let draft = this.#opened.get(value);
    if (!draft) {
      draft = (this.buckets.get(value) ?? Bucket.empty<T>()).edit();
      this.#opened.set(value, draft);
    }
    return draft;
  }
}
