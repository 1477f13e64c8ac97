import type { IndexFunction } from '../../store/index-functions.js';
import type { IndexedSnapshot } from '../../store/indexed-snapshot.js';
import {
  BucketIndex,
  computeIndexValues,
  forEachIndexValue,
  NO_VALUES,
  type IndexValues,
} from '../../store/indexing.js';
import { forEachInSlices, type Slices } from '../../store/slices.js';
import type { BucketReads } from '../../store/snapshot.js';
import type { InputChange, Rows } from './derivation.js';

/**
 * The keys of objects by a value that several of them may have, such as the node of a pod. It is what
 * an index of a snapshot is, without the objects and their order, and it is changed in place.
 *
 * A value with one key costs no set of its own, because a foreign key is often unique.
 */
export class KeysByValue {
  readonly #keys = new Map<string, string | Set<string>>();

  /** Returns the keys under a value, in no particular order. */
  keys(value: string): Iterable<string> {
    const keys = this.#keys.get(value);
    return typeof keys === 'string' ? [keys] : (keys ?? none);
  }

  /** Returns the number of keys under a value. */
  count(value: string): number {
    const keys = this.#keys.get(value);
    return typeof keys === 'object' ? keys.size : Number(keys !== undefined);
  }

  add(value: string, key: string): void {
    const keys = this.#keys.get(value);
    if (keys === undefined) this.#keys.set(value, key);
    else if (typeof keys !== 'string') keys.add(key);
    else if (keys !== key) this.#keys.set(value, new Set([keys, key]));
  }

  delete(value: string, key: string): void {
    const keys = this.#keys.get(value);
    if (keys === key) this.#keys.delete(value);
    else if (typeof keys === 'object' && keys.delete(key) && keys.size === 0) this.#keys.delete(value);
  }
}

const none: readonly string[] = [];

/** Objects by a value that an index or a function tells. */
export interface Groups<T> {
  fill(objects: IndexedSnapshot<T>, rows: Rows<unknown>): Slices<void>;
  /** Returns the values whose objects may differ. */
  update(change: InputChange<T>, rows: Rows<unknown>): Slices<ReadonlySet<string>>;
  values(objects: IndexedSnapshot<T>): readonly string[];
  bucket(objects: IndexedSnapshot<T>, value: string): BucketReads<T> | undefined;
}

/** The groups that an index of the collection has already. */
export class IndexedGroups<T> implements Groups<T> {
  constructor(private readonly index: string) {}

  *fill(): Slices<void> {
    // The index is filled.
  }

  *update({ previous, current, keys }: InputChange<T>): Slices<ReadonlySet<string>> {
    const touched = new Set<string>();
    const touch = (value: string): void => {
      touched.add(value);
    };
    yield* forEachInSlices(keys, (key) => {
      forEachIndexValue(previous.indexValuesOf(this.index, key), touch);
      forEachIndexValue(current.indexValuesOf(this.index, key), touch);
    });
    return touched;
  }

  values(objects: IndexedSnapshot<T>): readonly string[] {
    return objects.indexValues(this.index);
  }

  bucket(objects: IndexedSnapshot<T>, value: string): BucketReads<T> | undefined {
    return objects.bucket(this.index, value);
  }
}

/** The groups that a function tells: an index of this derivation's own. */
export class ComputedGroups<T> implements Groups<T> {
  #index = BucketIndex.empty<T>();
  readonly #values = new Map<string, IndexValues>();

  /** @param option the name of the option that the function is, for errors */
  constructor(
    private readonly option: string,
    private readonly valuesOf: IndexFunction<T>,
  ) {}

  *fill(objects: IndexedSnapshot<T>, rows: Rows<unknown>): Slices<void> {
    yield* this.update({ previous: objects, current: objects, keys: objects.keys() }, rows);
  }

  *update({ current, keys }: InputChange<T>, rows: Rows<unknown>): Slices<ReadonlySet<string>> {
    const touched = new Set<string>();
    const touch = (value: string): void => {
      touched.add(value);
    };
    const draft = this.#index.edit();
    yield* forEachInSlices(keys, (key) => {
      const entry = current.entry(key);
      const before = this.#values.get(key) ?? NO_VALUES;
      const after =
        entry === undefined
          ? NO_VALUES
          : (rows.call(this.option, [key], () => computeIndexValues(this.valuesOf, entry.object)) ?? NO_VALUES);
      draft.move(key, before, after, entry);
      if (after.length === 0 && typeof after !== 'string') this.#values.delete(key);
      else this.#values.set(key, after);
      forEachIndexValue(before, touch);
      forEachIndexValue(after, touch);
    });
    this.#index = draft.finish();
    return touched;
  }

  values(): readonly string[] {
    return this.#index.values();
  }

  bucket(_objects: IndexedSnapshot<T>, value: string): BucketReads<T> | undefined {
    return this.#index.bucket(value);
  }
}
