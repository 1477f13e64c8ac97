import { isDevelopment } from '../kubernetes/development.js';
import { objectKey } from '../kubernetes/keys.js';
import { isSameIncarnation } from '../kubernetes/object.js';
import { shareStructure } from '../kubernetes/share-structure.js';
import { forEachInSlices, objectsPerSlice, type Slices } from '../scheduling/slices.js';
import { checkedChoice } from '../sources/model/checked-options.js';
import { BucketIndexDraft } from './bucket-index.js';
import { BucketDraft } from './bucket.js';
import type { Change, DeletedChange } from './change.js';
import { type KeyedObject, lastOfEachKey } from './delta.js';
import { type StoreError, keyCollisionError } from './errors.js';
import { freezeDeeply } from './freeze.js';
import { areSameIndexValues, type Entry, type IndexValues, isIncomplete, NO_VALUES } from './index-values.js';
import { type Refused, IndexedSnapshot } from './indexed-snapshot.js';
import { entriesFrom, type SortedMapDraft } from './sorted-map.js';

/** Returns the name of a refused object. The names of one key follow each other. */
function refusedName(key: string, partition: string): string {
  return `${key}\0${partition}`;
}

/** Options for how a store keeps objects. */
export interface SnapshotOptions {
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

/** How a store keeps objects. */
export interface Keeping {
  /** Returns the object to store in place of `previous`: `next`, or an equal object. */
  readonly share: <T>(previous: T, next: T) => T;
  /** One object in this many is frozen; 0 for none. */
  readonly freezeInterval: number;
}

/** `freeze: 'sample'` freezes one object in this many. */
const sampled = 64;

/** Returns how the options keep objects: called once, because `NODE_ENV` is slow to read. */
export function keepingOf({ freeze = isDevelopment() }: SnapshotOptions, share = shareStructure): Keeping {
  const checked = checkedChoice('freeze', freeze, true, false, 'sample');
  return { share, freezeInterval: checked === 'sample' ? sampled : Number(checked) };
}

/** Builds the next snapshot of a commit in place, and records its changes and errors. */
export class SnapshotDraft<T, I extends string> {
  readonly changes: Change<T>[] = [];
  readonly errors: StoreError[] = [];
  readonly #items: BucketDraft<T>;
  readonly #indexes: BucketIndexDraft<T>[] = [];
  readonly #partitions: BucketIndexDraft<T>;
  /** The draft of `parts.refused`, once it is needed: few commits refuse an object. */
  #refusedDraft: SortedMapDraft<Refused<T>> | undefined;
  /** Deletions by key that wait for the end: other partitions have objects of the keys. */
  #leaving: Map<string, DeletedChange<T>> | undefined;
  /** The last values of an added object, by its value under the first index. */
  #added: Map<string, readonly IndexValues[]> | undefined;
  /** The number of changes that deliver an object again without changing the content. */
  #synced = 0;
  #partitionChanged = false;

  constructor(
    private readonly original: IndexedSnapshot<T, I>,
    private readonly keeping: Keeping,
  ) {
    const { items, indexes, partitions } = original.parts;
    this.#items = new BucketDraft(items);
    for (const index of indexes) this.#indexes.push(new BucketIndexDraft(index, items.entries));
    this.#partitions = new BucketIndexDraft(partitions, items.entries);
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
      this.errors.push(keyCollisionError(key, [previous.partition ?? '', other]));
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
    const existing = this.#items.get(key);
    const other = otherPartition(existing, partition);
    const previous = other === undefined ? existing : this.#refused.get(refusedName(key, other));
    if (!existing || !previous || (object !== undefined && isSameIncarnation(previous.object, object) === false))
      return;
    if (other !== undefined) {
      this.#refused.delete(refusedName(key, other));
      return;
    }
    if (this.#leaving?.has(key) === true) return;
    const deletion: DeletedChange<T> = { type: 'deleted', key, object: object ?? existing.object, finalStateUnknown };
    if (this.#firstRefused(key) === undefined) this.#remove(existing, deletion);
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
    yield* forEachInSlices(changed, (item) => this.upsert(item, partition));
  }

  /** Delivers the stored object again as an update, unless it was deleted meanwhile (Q9). */
  sync(key: string): void {
    const entry = this.#items.get(key);
    if (entry === undefined) return;
    this.#synced++;
    this.changes.push({ type: 'updated', key, object: entry.object, previous: entry.object });
  }

  /** Indexes an object again after an index function failed for it. */
  indexAgain(key: string): void {
    const entry = this.#items.get(key);
    if (entry) this.#update(entry, entry.object, entry.partition);
  }

  /**
   * Returns the next snapshot. After many changes, the trees are built in slices.
   *
   * @param hasData true if the commit had content, even an empty list; the first makes it synced
   *   (Q1)
   */
  *finish(resourceVersion: string, hasData: boolean): Slices<IndexedSnapshot<T, I>> {
    const { parts } = this.original;
    if (this.#leaving !== undefined) {
      yield* forEachInSlices([...this.#leaving.values()], (deletion) => this.#leave(deletion));
    }
    const refused = this.#refusedDraft?.finish() ?? parts.refused;
    const advances = this.changes.length > this.#synced || (hasData && parts.version === 0);
    const isSame = resourceVersion === parts.resourceVersion && refused === parts.refused && !this.#partitionChanged;
    if (!advances && isSame) return this.original;
    if (this.changes.length >= objectsPerSlice) {
      yield;
      this.#items.finish();
      for (const index of this.#indexes) {
        yield;
        yield* index.build();
      }
    }
    // All fields are named, because V8 is slow to replace the fields of a copy (`...parts`).
    return new IndexedSnapshot({
      version: advances ? parts.version + 1 : parts.version,
      resourceVersion,
      items: this.#items.finish(),
      schema: parts.schema,
      indexes: this.#indexes.map((index) => index.finish()),
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
    if (isSameIncarnation(previous.object, object) !== false) {
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
    this.changes.push({ type: 'added', key, object: entry.object });
  }

  #update(previous: Entry<T>, object: T, partition: string | undefined): void {
    const shared = this.keeping.share(previous.object, object);
    const isReplaced = shared !== previous.object;
    const isMoved = otherPartition(previous, partition) !== undefined;
    if (!isReplaced && !isMoved && !isIncomplete(previous.values)) return;
    const { key } = previous;
    const entry = this.#entry(key, shared, partition ?? previous.partition, previous);
    const isChanged = isReplaced || entry.values !== previous.values;
    if (!isChanged && !isMoved) return;
    this.#items.set(entry);
    for (let position = 0; position < this.#indexes.length; position++) {
      const before = previous.values[position] ?? NO_VALUES;
      this.#indexes[position]?.update(entry, isReplaced, before, entry.values[position] ?? NO_VALUES);
    }
    if (entry.partition !== previous.partition) {
      this.#partitionChanged = true;
      this.#partitions.update(entry, false, previous.partition ?? NO_VALUES, entry.partition ?? NO_VALUES);
    }
    if (isChanged) this.changes.push({ type: 'updated', key, object: entry.object, previous: previous.object });
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
    this.#indexes.forEach((index, position) => index.delete(key, previous.values[position] ?? NO_VALUES));
    if (previous.partition !== undefined) this.#partitions.delete(key, previous.partition);
    this.changes.push({ ...deletion, object: this.#kept(deletion.object) });
  }

  #entry(key: string, object: T, partition: string | undefined, previous: Entry<T> | undefined): Entry<T> {
    const kept = this.keeping.freezeInterval > 0 ? this.#kept(object) : object;
    const values = this.original.parts.schema.computeAll(key, kept, previous, (error) => this.errors.push(error));
    return { key, object: kept, values: previous === undefined ? this.#sharedValues(values) : values, partition };
  }

  /**
   * Returns the array of an object that this commit has added before, if its values are equal. Many
   * objects of a list have the same values, and an array takes as much memory as an entry.
   */
  #sharedValues(values: readonly IndexValues[]): readonly IndexValues[] {
    const [first] = values;
    // An object that is added alone needs no map.
    if (typeof first !== 'string' || this.changes.length === 0) return values;
    const known = (this.#added ??= new Map<string, readonly IndexValues[]>()).get(first);
    if (known?.every((each, position) => areSameIndexValues(each, values[position] ?? NO_VALUES)) === true)
      return known;
    this.#added.set(first, values);
    return values;
  }

  /**
   * Freezes the object if it is sampled, unless it throws when it is read. Commits and the changes
   * within them are counted, so that lists and single updates are both sampled, and the store stays
   * pure.
   */
  #kept(object: T): T {
    if ((this.original.version + this.changes.length) % this.keeping.freezeInterval !== 0) return object;
    try {
      return freezeDeeply(object);
    } catch {
      return object;
    }
  }
}

/** Returns `partition` if an entry belongs to another one. */
function otherPartition<T>(entry: Entry<T> | undefined, partition: string | undefined): string | undefined {
  return entry?.partition === undefined || entry.partition === partition ? undefined : partition;
}
