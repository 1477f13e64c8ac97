import type { KeyedObject } from './delta.js';
import type { Entry } from './index-values.js';
import type { BucketReads } from './snapshot.js';
import { entriesFrom, SortedMap, SortedMapDraft } from './sorted-map.js';

/** Versions with the same members share the keys, those with the same content both arrays. */
interface Arrays<T> {
  readonly ofKeys: { keys?: readonly string[] };
  objects?: readonly T[];
}

/**
 * Holds an immutable set of entries in key order: all objects of a store, or the selected ones of a
 * query. The arrays are built on the first read, and shared by all readers (G2, G10).
 */
export class Bucket<T, E extends KeyedObject<T> = Entry<T>> implements BucketReads<T> {
  readonly size: number;

  constructor(
    readonly entries: SortedMap<E>,
    /** The arrays that were built, for this bucket and its drafts. */
    readonly arrays: Arrays<T> = { ofKeys: {} },
  ) {
    this.size = entries.size;
  }

  static empty<T, E extends KeyedObject<T> = Entry<T>>(): Bucket<T, E> {
    return new Bucket(SortedMap.empty());
  }

  get(key: string): E | undefined {
    return this.entries.get(key);
  }

  has(key: string): boolean {
    return this.entries.has(key);
  }

  objects(): readonly T[] {
    if (this.arrays.objects === undefined) {
      const objects: T[] = [];
      this.entries.forEach(({ object }) => objects.push(object));
      this.arrays.objects = Object.freeze(objects);
    }
    return this.arrays.objects;
  }

  keys(): readonly string[] {
    return (this.arrays.ofKeys.keys ??= Object.freeze(this.entries.keys()));
  }

  first(): E | undefined {
    for (const [, entry] of entriesFrom(this.entries, '')) return entry;
    return undefined;
  }

  forEach(visit: (entry: E, key: string) => void): void {
    this.entries.forEach(visit);
  }
}

/**
 * Builds the next version of a bucket for one commit, without changing the original. It counts
 * differences: an entry added and removed in one commit leaves the arrays unchanged (G2).
 */
export class BucketDraft<T, E extends KeyedObject<T> = Entry<T>> {
  #touched = false;
  #entered = 0;
  #left = 0;
  #replaced = false;

  readonly #entries: SortedMapDraft<E>;

  constructor(private readonly original: Bucket<T, E>) {
    this.#entries = new SortedMapDraft(original.entries);
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): E | undefined {
    return this.#entries.get(key);
  }

  set(entry: E): void {
    const isFirst = !this.#touched;
    this.#touched = true;
    const current = this.#entries.set(entry.key, entry);
    const isNew = current === undefined;
    if (!isNew && this.#replaced) return;
    const before = isFirst ? current : this.original.get(entry.key);
    if (before && before.object !== entry.object) this.#replaced = true;
    if (!isNew) return;
    if (before) this.#left--;
    else this.#entered++;
  }

  delete(key: string): void {
    if (!this.#entries.delete(key)) return;
    this.#touched = true;
    if (this.original.get(key)) this.#left++;
    else this.#entered--;
  }

  forEach(visit: (entry: E, key: string) => void): void {
    this.#entries.forEach(visit);
  }

  finish(): Bucket<T, E> {
    if (!this.#touched) return this.original;
    const entries = this.#entries.finish();
    if (this.#entered > 0 || this.#left > 0) return new Bucket(entries);
    const { arrays } = this.original;
    return new Bucket(entries, this.#replaced ? { ofKeys: arrays.ofKeys } : arrays);
  }
}
