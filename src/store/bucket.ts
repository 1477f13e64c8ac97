import { createBTree, type BTree } from './b-tree.js';
import type { Entry } from './entry.js';

/** Two versions of a bucket with the same members share this, so that an update of one object does not list the keys again. */
interface KeysMemo {
  keys?: readonly string[];
}

/**
 * An immutable set of entries in key order: the whole store, or the objects under one index value.
 *
 * The arrays are built on the first read and kept, so all readers of one version share them, and a bucket that nobody
 * reads is never materialised (G2, G10).
 */
export class Bucket<T> {
  #objects: readonly T[] | undefined;
  readonly #memo: KeysMemo;

  constructor(
    private readonly entries: BTree<Entry<T>>,
    memo: KeysMemo = {},
  ) {
    this.#memo = memo;
  }

  static empty<T>(): Bucket<T> {
    return new Bucket(createBTree<Entry<T>>());
  }

  get size(): number {
    return this.entries.size;
  }

  get(key: string): Entry<T> | undefined {
    return this.entries.get(key);
  }

  has(key: string): boolean {
    return this.entries.has(key);
  }

  objects(): readonly T[] {
    return (this.#objects ??= Object.freeze(this.#collect((entry) => entry.object)));
  }

  keys(): readonly string[] {
    return (this.#memo.keys ??= Object.freeze(this.#collect((_, key) => key)));
  }

  forEach(visit: (entry: Entry<T>, key: string) => void): void {
    this.entries.forEach(visit);
  }

  edit(): BucketDraft<T> {
    return new BucketDraft(this, this.entries.clone(), this.#memo);
  }

  #collect<R>(project: (entry: Entry<T>, key: string) => R): R[] {
    const collected: R[] = [];
    this.entries.forEach((entry, key) => {
      collected.push(project(entry, key));
    });
    return collected;
  }
}

/** A bucket while one commit is being made: changed in place, invisible to readers of the bucket it came from. */
export class BucketDraft<T> {
  #touched = false;
  #sameMembers = true;

  constructor(
    private readonly original: Bucket<T>,
    private readonly entries: BTree<Entry<T>>,
    private readonly memo: KeysMemo,
  ) {}

  get(key: string): Entry<T> | undefined {
    return this.entries.get(key);
  }

  set(entry: Entry<T>): void {
    this.#touched = true;
    if (this.entries.set(entry.key, entry)) this.#sameMembers = false;
  }

  delete(key: string): void {
    if (!this.entries.delete(key)) return;
    this.#touched = true;
    this.#sameMembers = false;
  }

  forEach(visit: (entry: Entry<T>) => void): void {
    this.entries.forEach(visit);
  }

  finish(): Bucket<T> {
    if (!this.#touched) return this.original;
    return new Bucket(this.entries, this.#sameMembers ? this.memo : {});
  }
}
