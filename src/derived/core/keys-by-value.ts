import { forEachInSlices, type Slices } from '../../scheduling/slices.js';
import { BucketIndex, BucketIndexDraft } from '../../store/bucket-index.js';
import { forEachIndexValue, NO_VALUES, type IndexValues } from '../../store/index-values.js';
import type { IndexedSnapshot } from '../../store/indexed-snapshot.js';
import type { BucketReads } from '../../store/snapshot.js';
import { countOf, keysIn, withKey, withoutKey, type CompactSet } from './compact-set.js';
import type { InputChange, Rows } from './derivation.js';
import type { PartitionedValues } from './partitions.js';

/**
 * The keys of all objects that have a value: like an index, but of keys only, in no order, changed
 * in place.
 */
export class KeysByValue {
  readonly #keys = new Map<string, CompactSet>();

  /** Returns the keys under a value, in no particular order. They must not change meanwhile. */
  keys(value: string): Iterable<string> {
    return keysIn(this.#keys.get(value));
  }

  /** Returns the number of keys under a value. */
  count(value: string): number {
    return countOf(this.#keys.get(value));
  }

  add(value: string, key: string): void {
    this.#keys.set(value, withKey(this.#keys.get(value), key));
  }

  delete(value: string, key: string): void {
    const keys = withoutKey(this.#keys.get(value), key);
    if (keys === undefined) this.#keys.delete(value);
    else this.#keys.set(value, keys);
  }
}

/** Objects grouped by the values of an index or of a function. */
export interface Groups<T> {
  fill(objects: IndexedSnapshot<T>, rows: Rows<unknown>): Slices<void>;
  /** Returns the values of the groups that may have changed. */
  update(change: InputChange<T>, rows: Rows<unknown>): Slices<ReadonlySet<string>>;
  values(objects: IndexedSnapshot<T>): readonly string[];
  bucket(objects: IndexedSnapshot<T>, value: string): BucketReads<T> | undefined;
}

/** Groups objects by an existing index of the collection. */
class IndexedGroups<T> implements Groups<T> {
  constructor(private readonly index: string) {}

  *fill(): Slices<void> {
    // The collection has already filled its index.
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

/** Returns the groups of an existing index, if its values need no partition in front. */
export function groupsOf<T>(option: string, values: PartitionedValues<T>): Groups<T> {
  const { by, isInside } = values;
  return typeof by === 'string' && !isInside ? new IndexedGroups(by) : new ComputedGroups(option, values);
}

/** Groups objects by computed values, in an index that belongs to this derivation. */
class ComputedGroups<T> implements Groups<T> {
  #index = BucketIndex.empty<T>();
  readonly #known = new Map<string, IndexValues>();

  /** @param option the name of the option that holds the function, for errors */
  constructor(
    private readonly option: string,
    private readonly computed: PartitionedValues<T>,
  ) {}

  *fill(objects: IndexedSnapshot<T>, rows: Rows<unknown>): Slices<void> {
    yield* this.update({ previous: objects, current: objects, keys: objects.keysOnce() }, rows);
  }

  *update({ previous, current, keys }: InputChange<T>, rows: Rows<unknown>): Slices<ReadonlySet<string>> {
    const touched = new Set<string>();
    const touch = (value: string): void => {
      touched.add(value);
    };
    const draft = new BucketIndexDraft(this.#index, previous.parts.items.entries);
    yield* forEachInSlices(keys, (key) => {
      const entry = current.entry(key);
      const before = this.#known.get(key) ?? NO_VALUES;
      const after =
        entry === undefined
          ? NO_VALUES
          : (rows.call(this.option, [key], () => this.computed.of(current, key, entry.object)) ?? NO_VALUES);
      if (entry === undefined) draft.delete(key, before);
      else draft.update(entry, entry.object !== previous.get(key), before, after);
      if (after.length === 0 && typeof after !== 'string') this.#known.delete(key);
      else this.#known.set(key, after);
      forEachIndexValue(before, touch);
      forEachIndexValue(after, touch);
    });
    this.#index = draft.finish();
    return touched;
  }

  values(): readonly string[] {
    return this.#index.values();
  }

  bucket(objects: IndexedSnapshot<T>, value: string): BucketReads<T> | undefined {
    return this.#index.bucket(value, objects.parts.items.entries);
  }
}
