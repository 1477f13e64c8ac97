import type { KeyedObject } from './delta.js';
import { type Entry, forEachIndexValue, hasIndexValue, NO_VALUES, type IndexValues } from './indexing.js';
import type { BucketReads, IndexRange } from './snapshot.js';
import { entriesFrom, SortedMap, type SortedMapDraft } from './sorted-map.js';

/** What was built from a bucket: versions with the same members share the keys, versions with the same content share both. */
interface Arrays<T> {
  readonly ofKeys: { keys?: readonly string[] };
  objects?: readonly T[];
}

/**
 * An immutable set of entries in key order: the whole store, or the objects under one index value.
 *
 * The arrays are built on the first read and kept, so all readers of one version share them, and a bucket that nobody
 * reads is never materialised (G2, G10).
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
 * A bucket while one commit is being made: changed in place, invisible to readers of the bucket it came from.
 *
 * It counts its difference from the original, so that what came and went within one commit leaves the arrays as they were (G2).
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
    this.#touched = true;
    const isNew = this.entries.set(entry.key, entry) === undefined;
    if (!isNew && this.#replaced) return;
    const before = this.original.size === 0 ? undefined : this.original.get(entry.key);
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

/** One index: its buckets by value, in order. A bucket that became empty does not exist (S6). */
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

/** An index while one commit is being made: each touched bucket is opened once, however often it is touched. */
export class BucketIndexDraft<T> {
  readonly #opened = new Map<string, BucketDraft<T>>();

  constructor(
    private readonly original: BucketIndex<T>,
    private readonly buckets: SortedMap<Bucket<T>>,
    private readonly memo: ValuesMemo,
  ) {}

  /** Moves a key from the buckets of `before` to those of `after`; S5: old ones first, then all new ones. */
  move(key: string, before: IndexValues, after: IndexValues, entry: Entry<T> | undefined): void {
    if (entry !== undefined && before === after && typeof after === 'string') {
      // Nearly every update: it stays where it is.
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
