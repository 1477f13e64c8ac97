import { objectKey } from '../kubernetes/keys.js';
import { isAnotherIncarnation, isSameVersion } from '../kubernetes/object.js';
import { isEqualContent, shareRow, shareStructure } from '../kubernetes/share-structure.js';
import { forEachInSlices, objectsPerSlice, type Slices } from '../scheduling/slices.js';
import { checkedChoice, type NamesOf } from '../sources/model/checked-options.js';
import { BucketIndex, type BucketIndexDraft } from './bucket-index.js';
import { Bucket, type BucketDraft } from './bucket.js';
import type { Change, DeletedChange } from './change.js';
import { type KeyedObject, lastOfEachKey } from './delta.js';
import { type IndexFunctionError, KeyCollisionError, type StoreError } from './errors.js';
import { freezeDeeply, freezeInterval, isDevelopment } from './freeze.js';
import type { Indexers } from './index-functions.js';
import { type Entry, IndexSchema, type IndexValues, isIncomplete, NO_VALUES } from './indexing.js';
import type { BucketReads, IndexRange, Snapshot } from './snapshot.js';
import { entriesFrom, SortedMap, type SortedMapDraft } from './sorted-map.js';

/** `items` is the bucket of all objects; `indexes` are in the order of the schema. */
export interface SnapshotParts<T, I extends string> {
  readonly version: number;
  readonly resourceVersion: string;
  readonly items: Bucket<T>;
  readonly schema: IndexSchema<T, I>;
  readonly indexes: readonly BucketIndex<T>[];
  /** The hidden index of merged sources: the entries that a relist of one partition may remove. */
  readonly partitions: BucketIndex<T>;
  /** The objects that were refused because another partition holds their keys. */
  readonly refused: SortedMap<Refused<T>>;
}

/** An object whose key another partition holds. It is stored when that partition has deleted it. */
interface Refused<T> extends Omit<Entry<T>, 'values'> {
  readonly partition: string;
}

/** Returns the name of a refused object. The names of one key follow each other. */
function refusedName(key: string, partition: string): string {
  return `${key}\0${partition}`;
}

/**
 * Implements an immutable snapshot that shares unchanged parts with its predecessor. Its parts are
 * internal. `emptySnapshot` creates the first one.
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
    return underAny(this, name, this.parts.schema.valuesOf(this.parts.schema.position(name), object));
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
    return this.indexOf(name).bucket(value, this.parts.items.entries);
  }

  forEachBucket(name: I, range: IndexRange, visit: (bucket: BucketReads<T>, value: string) => void): void {
    this.indexOf(name).forEachBetween(range, this.parts.items.entries, visit);
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

  /** Returns the same content with more indexes. Nothing is announced (S11). */
  withIndexers<J extends string>(
    added: Indexers<T, J>,
    report: (error: IndexFunctionError) => void,
  ): IndexedSnapshot<T, I | J> {
    const { parts } = this;
    const schema = parts.schema.with(added);
    const items = parts.items.edit();
    const indexes = schema.names.map((_, position) =>
      (parts.indexes[position] ?? BucketIndex.empty<T>()).edit((key) => this.get(key)),
    );
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
 * @returns a snapshot for {@link reduceDeltas}
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
    refused: SortedMap.empty(),
  });
}

/** Options for how a store keeps objects. */
export interface KeepOptions {
  /**
   * Lets an object keep the unchanged subtrees of its previous version. Default true. If false, an
   * update is a little faster to commit but takes more memory, and every part of the object looks
   * changed to code that compares by identity. A relist then parses unchanged objects again.
   */
  readonly shareStructure?: boolean | undefined;
  /**
   * Freezes objects deeply when they enter the store, so that code which changes a cached object
   * throws.
   *
   * - `true` (default, unless `NODE_ENV` is `production`): freezes all objects. This about doubles
   *   the cost of reading a list. An update costs little more, because the parts shared with the
   *   previous version are frozen already.
   * - `'sample'`: freezes one object in 64, including the parts that it shares with others. This is
   *   a mutation detector for production: code that changes cached objects throws sooner or later,
   *   at a few percent of the cost. Until then, the change is visible in every object that shares
   *   the changed part.
   * - `false` (default in production): freezes no object, at no cost.
   */
  readonly freeze?: boolean | 'sample' | undefined;
}

export const keepOptionNames: NamesOf<KeepOptions> = { shareStructure: 1, freeze: 1 };

/** Returns the options with defaults: called once, because `NODE_ENV` is slow to read. */
export function withDefaults({ shareStructure = true, freeze = isDevelopment() }: KeepOptions): Required<KeepOptions> {
  return { shareStructure, freeze: checkedChoice('freeze', freeze, true, false, 'sample') };
}

/** Builds the next snapshot of a commit in place, and records its changes and errors. */
export class SnapshotDraft<T, I extends string> {
  readonly changes: Change<T>[] = [];
  readonly errors: StoreError[] = [];
  readonly #items: BucketDraft<T>;
  readonly #indexes: readonly BucketIndexDraft<T>[];
  readonly #partitions: BucketIndexDraft<T>;
  /** The draft of `parts.refused`, once it is needed: few commits refuse an object. */
  #refusedDraft: SortedMapDraft<Refused<T>> | undefined;
  /** Deletions by key that wait for the end: other partitions have objects of the keys. */
  #leaving: Map<string, DeletedChange<T>> | undefined;
  readonly #share: boolean;
  /** The sampling interval: one object in this many is frozen; 0 for none. */
  readonly #freezeInterval: number;
  #contentChanged = false;
  #partitionChanged = false;

  constructor(
    private readonly original: IndexedSnapshot<T, I>,
    options: KeepOptions,
    /** False for rows that are computed from several objects. */
    private readonly isVersioned = true,
  ) {
    const { parts } = original;
    this.#items = parts.items.edit();
    const before = (key: string): T | undefined => original.get(key);
    this.#indexes = parts.indexes.map((index) => index.edit(before));
    this.#partitions = parts.partitions.edit(before);
    this.#share = options.shareStructure ?? true;
    this.#freezeInterval = freezeInterval(options.freeze ?? isDevelopment());
  }

  /** Returns the object under a key, including the changes of this commit so far. */
  get(key: string): T | undefined {
    return this.#items.get(key)?.object;
  }

  /** Calls `visit` with the keys in a bucket, including the changes of this commit so far. */
  forEachIn(name: I, value: string, visit: (key: string) => void): void {
    this.#indexes[this.original.parts.schema.position(name)]?.forEachIn(value, visit);
  }

  /**
   * Adds or updates an object, depending on the store (D1); deletes and adds for another uid
   * (D9 ▲). An object whose key another partition holds is refused.
   */
  upsert({ key, object }: KeyedObject<T>, partition: string | undefined): void {
    const previous = this.#items.get(key);
    if (!previous) {
      this.#add(key, object, partition);
      return;
    }
    const deletion = this.#leaving?.get(key);
    const other = otherPartition(previous, partition);
    if (other !== undefined && deletion === undefined) {
      this.#refused.set(refusedName(key, other), { key, object, partition: other });
      this.errors.push(new KeyCollisionError(key, [previous.partition ?? '', other]));
      return;
    }
    if (deletion !== undefined) {
      this.#leaving?.delete(key);
      this.#refused.delete(refusedName(key, partition ?? ''));
    }
    this.#replace(previous, object, partition, deletion);
  }

  /**
   * Deletes an object. Does nothing if the key does not exist (Q7), or if `object` is an earlier
   * incarnation, because such a delete has arrived too late.
   */
  delete(key: string, object: T | undefined, finalStateUnknown: boolean, partition: string | undefined): void {
    const held = this.#items.get(key);
    const other = otherPartition(held, partition);
    const previous = other === undefined ? held : this.#refused.get(refusedName(key, other));
    if (!held || !previous || (object !== undefined && isAnotherIncarnation(previous.object, object))) return;
    if (other !== undefined) {
      this.#refused.delete(refusedName(key, other));
      return;
    }
    if (this.#leaving?.has(key) === true) return;
    const deletion: DeletedChange<T> = { type: 'deleted', key, object: object ?? held.object, finalStateUnknown };
    if (this.#firstRefused(key) === undefined) this.#remove(held, deletion);
    else (this.#leaving ??= new Map()).set(key, deletion);
  }

  /**
   * Replaces the content by a list (D3): deletes absent objects as tombstones, then adds the items
   * in order. If a key occurs twice, its last object counts (S2). An item that is the stored object
   * costs one look-up.
   *
   * Objects that are `missing` exist but could not be read, so they are kept. They are found by the
   * name of the stored object, because the key function may need more than the name.
   */
  *replaceAll(
    items: readonly KeyedObject<T>[],
    missing: readonly string[],
    partition: string | undefined,
  ): Slices<void> {
    const listed = yield* lastOfEachKey(items);
    const changed = this.#items.size > 0 ? yield* this.#changedIn(listed, missing, partition) : listed;
    yield* forEachInSlices(changed, (item) => {
      this.upsert(item, partition);
    });
  }

  /** Delivers the stored object again as an update, unless it was deleted meanwhile (Q9). */
  sync(key: string): void {
    const entry = this.#items.get(key);
    if (entry) this.changes.push({ type: 'updated', key, object: entry.object, previous: entry.object });
  }

  /** Indexes an object again after an index function failed for it. */
  indexAgain(key: string): void {
    const entry = this.#items.get(key);
    if (entry) this.#update(entry, entry.object, entry.partition);
  }

  /**
   * Returns the next snapshot. After a long list, each tree is built in its own slice.
   *
   * @param hasData true if the commit had content, even an empty list; the first makes it synced
   *   (Q1)
   */
  *finish(resourceVersion: string, hasData: boolean): Slices<IndexedSnapshot<T, I>> {
    const { parts } = this.original;
    if (this.#leaving !== undefined) {
      yield* forEachInSlices([...this.#leaving.values()], (deletion) => {
        this.#leave(deletion);
      });
    }
    const refused = this.#refusedDraft?.finish() ?? parts.refused;
    const advances = this.#contentChanged || (hasData && parts.version === 0);
    const isSame = resourceVersion === parts.resourceVersion && refused === parts.refused && !this.#partitionChanged;
    if (!advances && isSame) return this.original;
    const isLong = this.changes.length >= objectsPerSlice;
    if (isLong) yield;
    const items = this.#items.finish();
    const indexes: BucketIndex<T>[] = [];
    for (const index of this.#indexes) {
      if (isLong) yield;
      indexes.push(index.finish());
    }
    return new IndexedSnapshot({
      ...parts,
      version: advances ? parts.version + 1 : parts.version,
      resourceVersion,
      items,
      indexes,
      partitions: this.#partitions.finish(),
      refused,
    });
  }

  /** Deletes an object, or stores the object of another partition in its place. */
  #leave(deletion: DeletedChange<T>): void {
    const { key } = deletion;
    const previous = this.#items.get(key) as Entry<T>;
    const next = this.#firstRefused(key);
    if (next === undefined) {
      this.#remove(previous, deletion);
      return;
    }
    this.#refused.delete(refusedName(key, next.partition));
    this.#replace(previous, next.object, next.partition, deletion);
  }

  get #refused(): SortedMapDraft<Refused<T>> {
    return (this.#refusedDraft ??= this.original.parts.refused.edit());
  }

  get #hasRefused(): boolean {
    return (this.#refusedDraft ?? this.original.parts.refused).size > 0;
  }

  /** Returns the refused object of a key whose partition has the first name. */
  #firstRefused(key: string): Refused<T> | undefined {
    if (!this.#hasRefused) return undefined;
    for (const [, refused] of entriesFrom(this.#refused.finish(), refusedName(key, ''))) {
      return refused.key === key ? refused : undefined;
    }
    return undefined;
  }

  #replace(previous: Entry<T>, object: T, partition: string | undefined, deletion?: DeletedChange<T>): void {
    if (!isAnotherIncarnation(previous.object, object)) {
      this.#update(previous, object, partition);
      return;
    }
    const { key } = previous;
    this.#remove(previous, deletion ?? { type: 'deleted', key, object: previous.object, finalStateUnknown: true });
    this.#add(key, object, partition);
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
    const shared = this.#shared(previous.object, object);
    const isReplaced = shared !== previous.object;
    const isMoved = otherPartition(previous, partition) !== undefined;
    if (!isReplaced && !isMoved && !isIncomplete(previous.values)) return;
    const { key } = previous;
    const entry = this.#entry(key, shared, partition ?? previous.partition, previous);
    const isChanged = isReplaced || entry.values !== previous.values;
    if (!isChanged && !isMoved) return;
    this.#items.set(entry);
    for (let position = 0; position < this.#indexes.length; position++) {
      const [before = NO_VALUES, after = NO_VALUES] = [previous.values[position], entry.values[position]];
      this.#indexes[position]?.update(entry, isReplaced, before, after);
    }
    if (entry.partition !== previous.partition) {
      this.#partitionChanged = true;
      this.#partitions.update(entry, false, previous.partition ?? NO_VALUES, entry.partition ?? NO_VALUES);
    }
    if (isChanged) this.#note({ type: 'updated', key, object: entry.object, previous: previous.object });
  }

  /** Removes objects that are not listed, and returns the items that are not stored objects. */
  *#changedIn(
    listed: readonly KeyedObject<T>[],
    missing: readonly string[],
    partition: string | undefined,
  ): Slices<readonly KeyedObject<T>[]> {
    const changed: KeyedObject<T>[] = [];
    let stored = partition === undefined ? this.#items.size : 0;
    if (partition !== undefined) this.#partitions.forEachIn(partition, () => stored++);
    yield* forEachInSlices(listed, (item) => {
      const entry = this.#items.get(item.key);
      if (entry && (partition === undefined || entry.partition === partition)) stored--;
      const isStored = entry?.object === item.object && otherPartition(entry, partition) === undefined;
      if (isStored && !isIncomplete(entry.values) && this.#leaving?.has(item.key) !== true) return;
      changed.push(item);
    });
    if (stored > 0 || this.#hasRefused) yield* this.#removeAllBut(listed, missing, partition);
    return changed;
  }

  *#removeAllBut(
    listed: readonly KeyedObject<T>[],
    missing: readonly string[],
    partition: string | undefined,
  ): Slices<void> {
    const unread = new Set(missing);
    const isUnread = ({ key, object }: KeyedObject<T>): boolean =>
      unread.size > 0 && (unread.has(key) || unread.has(objectKey(object) ?? key));
    const staying = new Set<string>();
    yield* forEachInSlices(listed, ({ key }) => {
      staying.add(key);
    });
    const stored: Omit<Entry<T>, 'values'>[] = [];
    this.#refused.forEach((each) => {
      if (partition === undefined || each.partition === partition) stored.push(each);
    });
    if (partition === undefined) this.#items.forEach((entry) => stored.push(entry));
    else this.#partitions.forEachIn(partition, (key) => stored.push(this.#items.get(key) as Entry<T>));
    yield* forEachInSlices(stored, (each) => {
      if (!staying.has(each.key) && !isUnread(each)) this.delete(each.key, undefined, true, each.partition);
    });
  }

  #remove(previous: Entry<T>, deletion: DeletedChange<T>): void {
    const { key } = previous;
    this.#items.delete(key);
    this.#indexes.forEach((index, position) => {
      index.delete(key, previous.values[position] ?? NO_VALUES);
    });
    if (previous.partition !== undefined) this.#partitions.delete(key, previous.partition);
    this.#note({ ...deletion, object: this.#frozen(deletion.object) });
  }

  #entry(key: string, object: T, partition: string | undefined, previous: Entry<T> | undefined): Entry<T> {
    const kept = this.#frozen(object);
    const values = this.original.parts.schema.computeAll(key, kept, previous, (error) => this.errors.push(error));
    return { key, object: kept, values, partition };
  }

  /** Freezes the object if it is sampled, unless it throws when it is read. */
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

  /**
   * Returns the object to store: `previous` if nothing has changed, which content decides, not
   * version. Without sharing, two versions are not compared, because they are rarely equal.
   */
  #shared(previous: T, object: T): T {
    if (this.#share) return this.isVersioned ? shareStructure(previous, object) : shareRow(previous, object);
    const isSame = this.isVersioned && isSameVersion(previous, object) && isEqualContent(previous, object);
    return isSame ? previous : object;
  }

  #note(change: Change<T>): void {
    this.#contentChanged = true;
    this.changes.push(change);
  }
}

/** Returns `partition` if an entry belongs to another one. */
function otherPartition<T>(entry: Entry<T> | undefined, partition: string | undefined): string | undefined {
  return entry?.partition === undefined || entry.partition === partition ? undefined : partition;
}

/** Returns the objects in any of several buckets, each of them once, in key order (S10). */
export function underAny<T, I extends string>(snapshot: Snapshot<T, I>, name: I, values: IndexValues): readonly T[] {
  if (typeof values === 'string') return snapshot.byIndex(name, values);
  const [first, ...others] = values;
  if (first !== undefined && others.length === 0) return snapshot.byIndex(name, first);
  const union = new Map<string, T>();
  for (const value of values) {
    snapshot.bucket(name, value)?.forEach(({ key, object }) => {
      union.set(key, object);
    });
  }
  const keys = [...union.keys()].sort();
  return Object.freeze(keys.map((key) => union.get(key) as T));
}
