import {
  Bucket,
  BucketIndex,
  type BucketDraft,
  type BucketIndexDraft,
  type Entry,
  IndexSchema,
  NO_VALUES,
  type IndexValues,
  isIncomplete,
} from './indexing.js';
import type { Indexers } from './index-functions.js';
import { type KeyedObject, lastOfEachKey } from './delta.js';
import type { BucketReads, IndexRange, Snapshot } from './snapshot.js';
import { type IndexFunctionError, KeyCollisionError, type StoreError } from './errors.js';
import type { Change } from './change.js';
import { freezeDeeply, freezeInterval, isDevelopment } from './freeze.js';
import { isAnotherIncarnation, isSameVersion, objectKey } from '../kubernetes/object.js';
import { shareRow, shareStructure } from '../kubernetes/share-structure.js';
import { forEachInSlices, type Slices } from './slices.js';

/**
 * The parts of a snapshot. `items` is the bucket of all objects; `indexes` are in the order of the
 * schema.
 */
export interface SnapshotParts<T, I extends string> {
  readonly version: number;
  readonly resourceVersion: string;
  readonly items: Bucket<T>;
  readonly schema: IndexSchema<T, I>;
  readonly indexes: readonly BucketIndex<T>[];
  /** The hidden index of merged sources: the entries that a relist of one partition may remove. */
  readonly partitions: BucketIndex<T>;
}

/**
 * Implements a snapshot: immutable, and sharing with its predecessor everything that did not
 * change.
 *
 * Its parts are internal to the store and the informer. `emptySnapshot` creates the first one.
 */
export class IndexedSnapshot<T, I extends string = string> implements Snapshot<T, I> {
  /** @internal */
  constructor(/** @internal */ readonly parts: SnapshotParts<T, I>) {}

  get version(): number {
    return this.parts.version;
  }

  get resourceVersion(): string {
    return this.parts.resourceVersion;
  }

  get size(): number {
    return this.parts.items.size;
  }

  get indexers(): Indexers<T, I> {
    return this.parts.schema.indexers;
  }

  get(key: string): T | undefined {
    return this.parts.items.get(key)?.object;
  }

  has(key: string): boolean {
    return this.parts.items.has(key);
  }

  list(): readonly T[] {
    return this.parts.items.objects();
  }

  keys(): readonly string[] {
    return this.parts.items.keys();
  }

  byIndex(name: I, value: string): readonly T[] {
    return this.bucket(name, value)?.objects() ?? NOTHING;
  }

  index(name: I, object: T): readonly T[] {
    return this.underAny(name, this.parts.schema.valuesOf(this.parts.schema.position(name), object));
  }

  indexKeys(name: I, value: string): readonly string[] {
    return this.bucket(name, value)?.keys() ?? NOTHING;
  }

  indexValues(name: I): readonly string[] {
    return this.indexOf(name).values();
  }

  forEach(visit: (entry: KeyedObject<T>) => void): void {
    this.parts.items.forEach(visit);
  }

  bucket(name: I, value: string): BucketReads<T> | undefined {
    return this.indexOf(name).bucket(value);
  }

  forEachBucket(name: I, range: IndexRange, visit: (bucket: BucketReads<T>, value: string) => void): void {
    this.indexOf(name).forEachBetween(range, visit);
  }

  /**
   * Returns the entry of a key: the object and its index values.
   *
   * @internal
   */
  entry(key: string): Entry<T> | undefined {
    return this.parts.items.get(key);
  }

  /**
   * Returns the values of the object under a key in one index; none if there is no such object.
   *
   * @internal
   */
  indexValuesOf(name: string, key: string): IndexValues {
    return this.parts.items.get(key)?.values[this.parts.schema.position(name)] ?? NO_VALUES;
  }

  /**
   * Returns the objects in any of several buckets, each of them once, in key order (S10).
   *
   * @internal
   */
  underAny(name: I, values: IndexValues): readonly T[] {
    if (typeof values === 'string') return this.bucket(name, values)?.objects() ?? NOTHING;
    const union = new Map<string, T>();
    for (const value of values) {
      this.bucket(name, value)?.forEach((entry) => {
        union.set(entry.key, entry.object);
      });
    }
    const keys = [...union.keys()].sort();
    return Object.freeze(keys.map((key) => union.get(key) as T));
  }

  /**
   * Returns the same content with more indexes. Each object is indexed once, and nothing is
   * announced (S11).
   */
  withIndexers<J extends string>(
    added: Indexers<T, J>,
    report: (error: IndexFunctionError) => void,
  ): IndexedSnapshot<T, I | J> {
    const { parts } = this;
    const schema = parts.schema.with(added);
    const items = parts.items.edit();
    const indexes = schema.names.map((_, position) => (parts.indexes[position] ?? BucketIndex.empty<T>()).edit());
    parts.items.forEach((entry) => {
      const values = schema.computeAdded(entry, report);
      const indexed: Entry<T> = { ...entry, values };
      items.set(indexed);
      for (let position = parts.indexes.length; position < values.length; position++) {
        indexes[position]?.add(indexed, values[position] ?? NO_VALUES);
      }
    });
    return new IndexedSnapshot({
      ...parts,
      schema,
      items: items.finish(),
      indexes: indexes.map((index) => index.finish()),
    });
  }

  private indexOf(name: string): BucketIndex<T> {
    return this.parts.indexes[this.parts.schema.position(name)] as BucketIndex<T>;
  }
}

const NOTHING: readonly never[] = Object.freeze([]);

/**
 * Returns the snapshot before the first commit: version 0, without objects.
 *
 * @param indexers the index functions by the names of their indexes
 * @example
 * const snapshot = emptySnapshot({ app: indexByLabel('app') })
 */
export function emptySnapshot<T, I extends string = never>(
  indexers: Indexers<T, I> = {} as Indexers<T, I>,
): IndexedSnapshot<T, I> {
  const schema = new IndexSchema<T, I>(indexers);
  return new IndexedSnapshot({
    version: 0,
    resourceVersion: '',
    items: Bucket.empty(),
    schema,
    indexes: schema.names.map(() => BucketIndex.empty()),
    partitions: BucketIndex.empty(),
  });
}

/** Options for how a store keeps objects. */
export interface KeepOptions {
  /**
   * Lets an object keep the unchanged subtrees of its previous version. Default true. If false, an
   * update costs a little less to commit and more memory, and every part of the object looks
   * changed to code that compares by identity.
   */
  readonly shareStructure?: boolean | undefined;
  /**
   * Freezes objects deeply when they enter the store, so that code which changes a cached object
   * throws.
   *
   * - `true` (default, unless `NODE_ENV` is `production`): all objects. This about doubles the cost
   *   of reading a list. An update costs little more, because the parts shared with the previous
   *   version are frozen already.
   * - `'sample'`: one object in 64, including the parts that it shares with others. This is a
   *   mutation detector for production: code that changes cached objects throws sooner or later, at
   *   a few percent of the cost. Until then, the change is visible in every object that shares the
   *   part.
   * - `false` (default in production): none, at no cost.
   */
  readonly freeze?: boolean | 'sample' | undefined;
}

/**
 * Returns the options with their defaults. Called once and not for each commit, because the
 * defaults depend on `NODE_ENV`, which is slow to read.
 */
export function withDefaults({ shareStructure = true, freeze = isDevelopment() }: KeepOptions): Required<KeepOptions> {
  return { shareStructure, freeze };
}

/**
 * Builds the next snapshot for one commit. It is changed in place, and records the changes and the
 * errors of the commit.
 */
export class SnapshotDraft<T, I extends string> {
  readonly changes: Change<T>[] = [];
  readonly errors: StoreError[] = [];
  readonly #items: BucketDraft<T>;
  readonly #indexes: readonly BucketIndexDraft<T>[];
  readonly #partitions: BucketIndexDraft<T>;
  readonly #share: boolean;
  /** Every how many objects one is frozen; 0 for none. */
  readonly #freezeInterval: number;
  #contentChanged = false;

  constructor(
    private readonly original: IndexedSnapshot<T, I>,
    options: KeepOptions,
    /**
     * True if two objects with the same resourceVersion are the same object. False for rows that
     * are computed from several objects.
     */
    private readonly isVersioned = true,
  ) {
    const { parts } = original;
    this.#items = parts.items.edit();
    this.#indexes = parts.indexes.map((index) => index.edit());
    this.#partitions = parts.partitions.edit();
    this.#share = options.shareStructure ?? true;
    this.#freezeInterval = freezeInterval(options.freeze ?? isDevelopment());
  }

  /** Returns the object under a key, as it is so far in this commit. */
  get(key: string): T | undefined {
    return this.#items.get(key)?.object;
  }

  /** Calls `visit` with the keys in a bucket, as it is so far in this commit. */
  forEachIn(name: I, value: string, visit: (key: string) => void): void {
    this.#indexes[this.original.parts.schema.position(name)]?.forEachIn(value, ({ key }) => {
      visit(key);
    });
  }

  /**
   * Adds or updates an object, depending on what the store holds (D1). If the uid differs, the
   * change is a delete and an add (D9 ▲).
   */
  upsert({ key, object }: KeyedObject<T>, partition: string | undefined): void {
    const previous = this.#items.get(key);
    if (!previous) {
      this.#add(key, object, partition);
      return;
    }
    if (this.#isForeign(previous, partition)) {
      this.errors.push(new KeyCollisionError(key, [previous.partition ?? '', partition ?? '']));
      return;
    }
    if (isAnotherIncarnation(previous.object, object)) {
      this.#remove(previous, previous.object, true);
      this.#add(key, object, partition);
      return;
    }
    this.#update(previous, object, partition);
  }

  /**
   * Deletes an object. Does nothing if the key does not exist (Q7), or if `object` is an earlier
   * incarnation: that delete is late.
   */
  delete(key: string, object: T | undefined, finalStateUnknown: boolean, partition: string | undefined): void {
    const previous = this.#items.get(key);
    if (!previous || this.#isForeign(previous, partition)) return;
    if (object !== undefined && isAnotherIncarnation(previous.object, object)) return;
    this.#remove(previous, object ?? previous.object, finalStateUnknown);
  }

  /**
   * Replaces the content by a list (D3): first tombstones for the objects that are not in it, then
   * its items in order. If a key occurs twice, its last object counts (S2).
   *
   * Objects that are `missing` exist but could not be read, so the store keeps what it has for
   * them. They are found by the name of the stored object, because a key may need more than a name.
   */
  *replaceAll(
    items: readonly KeyedObject<T>[],
    missing: readonly string[],
    partition: string | undefined,
  ): Slices<void> {
    const listed = lastOfEachKey(items);
    if (this.#items.size > 0) yield* this.#removeAllBut(listed, missing, partition);
    yield* forEachInSlices(listed, (item) => {
      this.upsert(item, partition);
    });
  }

  /**
   * Delivers the stored object again, as an update. Does nothing for a key that was deleted
   * meanwhile (Q9).
   */
  sync(key: string): void {
    const entry = this.#items.get(key);
    if (entry) this.changes.push({ type: 'updated', key, object: entry.object, previous: entry.object });
  }

  /** Indexes an object again for which an index function failed. */
  indexAgain(key: string): void {
    const entry = this.#items.get(key);
    if (entry) this.#update(entry, entry.object, entry.partition);
  }

  /**
   * Returns the next snapshot.
   *
   * @param hasData true if the commit had content; the first such commit makes the store synced,
   *   even by an empty list (Q1)
   */
  finish(resourceVersion: string, hasData: boolean): IndexedSnapshot<T, I> {
    const { parts } = this.original;
    const advances = this.#contentChanged || (hasData && parts.version === 0);
    if (!advances && resourceVersion === parts.resourceVersion) return this.original;
    return new IndexedSnapshot({
      ...parts,
      version: advances ? parts.version + 1 : parts.version,
      resourceVersion,
      items: this.#items.finish(),
      indexes: this.#indexes.map((index) => index.finish()),
      partitions: this.#partitions.finish(),
    });
  }

  #add(key: string, object: T, partition: string | undefined): void {
    const entry = this.#entry(key, object, partition, undefined);
    this.#items.set(entry);
    for (let position = 0; position < this.#indexes.length; position++) {
      this.#indexes[position]?.add(entry, entry.values[position] ?? NO_VALUES);
    }
    if (partition !== undefined) this.#partitions.add(entry, partition);
    this.#note({ type: 'added', key, object: entry.object });
  }

  #update(previous: Entry<T>, object: T, partition: string | undefined): void {
    const isSame = this.isVersioned && isSameVersion(previous.object, object);
    const shared = isSame ? previous.object : this.#shared(previous.object, object);
    if (shared === previous.object && !isIncomplete(previous.values)) return;
    const { key } = previous;
    const entry = this.#entry(key, shared, partition ?? previous.partition, previous);
    if (shared === previous.object && entry.values === previous.values) return;
    this.#items.set(entry);
    this.#indexes.forEach((index, position) => {
      index.move(key, previous.values[position] ?? NO_VALUES, entry.values[position] ?? NO_VALUES, entry);
    });
    if (entry.partition !== undefined)
      this.#partitions.move(key, previous.partition ?? NO_VALUES, entry.partition, entry);
    this.#note({ type: 'updated', key, object: entry.object, previous: previous.object });
  }

  *#removeAllBut(
    listed: readonly KeyedObject<T>[],
    missing: readonly string[],
    partition: string | undefined,
  ): Slices<void> {
    const unread = new Set(missing);
    const isUnread = ({ key, object }: Entry<T>): boolean => unread.has(key) || unread.has(objectKey(object) ?? key);
    const staying = new Set<string>();
    yield* forEachInSlices(listed, ({ key }) => {
      staying.add(key);
    });
    const gone: string[] = [];
    const collect = (entry: Entry<T>): void => {
      if (!staying.has(entry.key) && !(unread.size > 0 && isUnread(entry))) gone.push(entry.key);
    };
    if (partition === undefined) this.#items.forEach(collect);
    else this.#partitions.forEachIn(partition, collect);
    for (const key of gone) this.delete(key, undefined, true, partition);
  }

  #remove(previous: Entry<T>, object: T, finalStateUnknown: boolean): void {
    const { key } = previous;
    this.#items.delete(key);
    this.#indexes.forEach((index, position) => {
      index.move(key, previous.values[position] ?? NO_VALUES, NO_VALUES, undefined);
    });
    if (previous.partition !== undefined) this.#partitions.move(key, previous.partition, NO_VALUES, undefined);
    this.#note({ type: 'deleted', key, object: this.#frozen(object), finalStateUnknown });
  }

  #entry(key: string, object: T, partition: string | undefined, previous: Entry<T> | undefined): Entry<T> {
    const kept = this.#frozen(object);
    const values = this.original.parts.schema.computeAll(key, kept, previous, (error) => this.errors.push(error));
    return { key, object: kept, values, partition };
  }

  /**
   * Returns the object, frozen if it is its turn. An object that throws while it is read stays as
   * it is, instead of losing its place in the store.
   */
  #frozen(object: T): T {
    if (!this.#isFrozenNext()) return object;
    try {
      return freezeDeeply(object);
    } catch {
      return object;
    }
  }

  /**
   * Returns true if the next object is frozen. Counts commits and the changes within them, so that
   * lists and single updates are both sampled, and the store stays pure.
   */
  #isFrozenNext(): boolean {
    const { version } = this.original.parts;
    return this.#freezeInterval > 0 && (version + this.changes.length) % this.#freezeInterval === 0;
  }

  #shared(previous: T, object: T): T {
    if (!this.#share) return object;
    return this.isVersioned ? shareStructure(previous, object) : shareRow(previous, object);
  }

  #isForeign(previous: Entry<T>, partition: string | undefined): boolean {
    return previous.partition !== undefined && partition !== undefined && previous.partition !== partition;
  }

  #note(change: Change<T>): void {
    this.#contentChanged = true;
    this.changes.push(change);
  }
}
