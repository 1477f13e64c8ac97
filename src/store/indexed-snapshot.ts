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

/** What a snapshot consists of; `items` is the bucket of everything, `indexes` stand in the order of the schema. */
export interface SnapshotParts<T, I extends string> {
  readonly version: number;
  readonly resourceVersion: string;
  readonly items: Bucket<T>;
  readonly schema: IndexSchema<T, I>;
  readonly indexes: readonly BucketIndex<T>[];
  /** The hidden index of merged sources: which entries a relist of one partition may remove. */
  readonly partitions: BucketIndex<T>;
}

/**
 * The snapshot that `reduce` makes: immutable, and sharing with its predecessor all that did not change.
 *
 * What it consists of is for the store and the informer only, and not declared to users; `emptySnapshot` is where one begins.
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
   * The entry of a key: the object together with the index values that it stands under.
   *
   * @internal
   */
  entry(key: string): Entry<T> | undefined {
    return this.parts.items.get(key);
  }

  /**
   * The values that the object under a key stands under in one index; none where there is no such object.
   *
   * @internal
   */
  indexValuesOf(name: string, key: string): IndexValues {
    return this.parts.items.get(key)?.values[this.parts.schema.position(name)] ?? NO_VALUES;
  }

  /**
   * The objects in any of several buckets, each once, in key order (S10).
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

  /** The same content with more indexes; each object is indexed once, nothing is announced (S11). */
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
 * The snapshot before the first commit: version 0, no objects.
 *
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

/** How objects are kept. */
export interface KeepOptions {
  /**
   * If true, an object keeps the unchanged subtrees of its previous version (default true). If false, an update is a little cheaper to
   * commit, costs more memory, and every part of the object looks changed to code that compares by identity.
   */
  readonly shareStructure?: boolean | undefined;
  /**
   * Which objects are deeply frozen when they enter, so that code which changes a cached object throws where it does so.
   *
   * - `true` (default, unless `NODE_ENV` is `production`): all of them. It about doubles the cost of reading a list; an update costs
   *   little more, because what it shares with its predecessor is frozen already.
   * - `'sample'`: one in 64, and with it the parts that it shares with others. A mutation detector for production: code that changes
   *   cached objects throws sooner or later, at a few percent of the cost. Until then, a change shows in every object that shares the part.
   * - `false` (default in production): none, at no cost.
   */
  readonly freeze?: boolean | 'sample' | undefined;
}

/** Returns the options with their defaults, which are too expensive to find for each commit: they depend on `NODE_ENV`. */
export function withDefaults({ shareStructure = true, freeze = isDevelopment() }: KeepOptions): Required<KeepOptions> {
  return { shareStructure, freeze };
}

/** A snapshot while one commit is being made: changed in place, and noting what it does as changes and errors. */
export class SnapshotDraft<T, I extends string> {
  readonly changes: Change<T>[] = [];
  readonly errors: StoreError[] = [];
  readonly #items: BucketDraft<T>;
  readonly #indexes: readonly BucketIndexDraft<T>[];
  readonly #partitions: BucketIndexDraft<T>;
  readonly #share: boolean;
  /** One in so many objects is frozen; none with 0. */
  readonly #freezeInterval: number;
  #contentChanged = false;

  constructor(
    private readonly original: IndexedSnapshot<T, I>,
    options: KeepOptions,
    /** True if an object with the same resourceVersion is the same object: not so for rows that are computed from several. */
    private readonly isVersioned = true,
  ) {
    const { parts } = original;
    this.#items = parts.items.edit();
    this.#indexes = parts.indexes.map((index) => index.edit());
    this.#partitions = parts.partitions.edit();
    this.#share = options.shareStructure ?? true;
    this.#freezeInterval = freezeInterval(options.freeze ?? isDevelopment());
  }

  /** Returns an object as it is so far in this commit. */
  get(key: string): T | undefined {
    return this.#items.get(key)?.object;
  }

  /** D1: whether it is an addition or an update is decided by what is there; D9 ▲: another uid is a delete and an add. */
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

  /** A key that is not there was deleted before: no change (Q7). A delete of an earlier incarnation is late: no change. */
  delete(key: string, object: T | undefined, finalStateUnknown: boolean, partition: string | undefined): void {
    const previous = this.#items.get(key);
    if (!previous || this.#isForeign(previous, partition)) return;
    if (object !== undefined && isAnotherIncarnation(previous.object, object)) return;
    this.#remove(previous, object ?? previous.object, finalStateUnknown);
  }

  /**
   * D3: first what is missing from the list, as tombstones, then the items in list order. A key that stands twice counts
   * as its last object (S2). Objects that are `missing` exist but could not be read: what is stored for them stays. They
   * are found by the name of the stored object, because a key may need more than a name.
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

  /** Delivers the stored object again; a key that is gone by now is not brought back (Q9). */
  sync(key: string): void {
    const entry = this.#items.get(key);
    if (entry) this.changes.push({ type: 'updated', key, object: entry.object, previous: entry.object });
  }

  /** Calls the index functions again for an object for which one failed. */
  indexAgain(key: string): void {
    const entry = this.#items.get(key);
    if (entry) this.#update(entry, entry.object, entry.partition);
  }

  /** @param hasData whether the commit held content at all: the first one makes the store synced, even an empty list (Q1) */
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

  /** An object that throws while it is read stays as it is: that costs it less than its place in the store. */
  #frozen(object: T): T {
    if (!this.#isFrozenNext()) return object;
    try {
      return freezeDeeply(object);
    } catch {
      return object;
    }
  }

  /** Counts commits and the changes within them, so that lists and single updates are both sampled, and the store stays pure. */
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
