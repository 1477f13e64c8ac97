import { forEachInSlices, runSlices, type Slices } from '../scheduling/slices.js';
import type { KeyedObject } from './delta.js';
import { forEachIndexValue, membership, type Entry, type IndexValues } from './index-values.js';
import type { BucketReads, IndexRange } from './snapshot.js';
import { entriesFrom, floorPosition, lookUpInOrder, SortedMap, SortedMapDraft } from './sorted-map.js';

/** All objects of a version. The objects of a bucket are looked up here. */
type Items<T> = SortedMap<Entry<T>>;

/**
 * Holds the buckets of one index, in the order of their values. There are no empty buckets (S6). A
 * bucket holds keys, so an update of an object that stays in its buckets changes no tree.
 */
export class BucketIndex<T> {
  constructor(
    readonly buckets: SortedMap<KeyBucket<T>>,
    /** Holds the array of the values. Versions with the same values share it. */
    readonly memo: { values?: readonly string[] } = {},
  ) {}

  static empty<T>(): BucketIndex<T> {
    return new BucketIndex(SortedMap.empty());
  }

  bucket(value: string, items: Items<T>): BucketReads<T> | undefined {
    const keys = this.buckets.get(value);
    return keys && new IndexedBucket(keys, items);
  }

  values(): readonly string[] {
    return (this.memo.values ??= Object.freeze(this.buckets.keys()));
  }

  /** Calls `visit` for the buckets of a range, in order. Costs O(log n + buckets visited). */
  forEachBetween(
    { from = '', to }: IndexRange,
    items: Items<T>,
    visit: (bucket: BucketReads<T>, value: string) => void,
  ): void {
    for (const [value, keys] of entriesFrom(this.buckets, from)) {
      if (to !== undefined && value >= to) return;
      visit(new IndexedBucket(keys, items), value);
    }
  }
}

/** Reads one bucket in one version. */
export class IndexedBucket<T> implements BucketReads<T> {
  constructor(
    private readonly bucket: KeyBucket<T>,
    private readonly items: Items<T>,
  ) {}

  get size(): number {
    return this.bucket.keySet.size;
  }

  get(key: string): KeyedObject<T> | undefined {
    return this.bucket.keySet.has(key) ? this.items.get(key) : undefined;
  }

  has(key: string): boolean {
    return this.bucket.keySet.has(key);
  }

  first(): KeyedObject<T> | undefined {
    for (const [key] of entriesFrom(this.bucket.keySet, '')) return this.items.get(key);
    return undefined;
  }

  objects(): readonly T[] {
    return this.bucket.objects(this.items);
  }

  keys(): readonly string[] {
    return this.bucket.keys();
  }

  forEach(visit: (entry: KeyedObject<T>) => void): void {
    forEachEntry(this.bucket.keySet, this.items, visit);
  }
}

/**
 * The keys under one index value, and the arrays that were built from them.
 *
 * An update in the bucket creates a new bucket with the same tree of keys, so all versions with one
 * bucket share its objects and its arrays (G2). They are built on the first read (G10). After a
 * commit, the last array is copied, and only changed objects are looked up.
 */
class KeyBucket<T> {
  constructor(
    /** Each key is its own value, for which the leaves of the tree need no memory. */
    readonly keySet: SortedMap<string>,
    /** Holds the array of the keys. Buckets with the same keys share it. */
    readonly ofKeys: { keys: readonly string[] | undefined } = { keys: undefined },
    /**
     * The last array of objects, of this bucket or of an earlier one. `undefined` if there is none
     * from which the next bucket could build its own.
     */
    public built?: Built<T>,
  ) {}

  keys(): readonly string[] {
    return (this.ofKeys.keys ??= Object.freeze(this.keySet.keys()));
  }

  objects(items: Items<T>): readonly T[] {
    const { built } = this;
    if (built?.changed.length === 0) return built.objects;
    let objects: T[] = [];
    if (built !== undefined) objects = refreshed(built, this, items);
    else forEachEntry(this.keySet, items, ({ object }) => objects.push(object));
    // This releases the array of the earlier bucket, which keeps earlier objects in memory.
    this.built = { bucket: this, objects: Object.freeze(objects), changed: [] };
    return objects;
  }
}

/** The array of a bucket, and the keys that were added, removed or replaced since then. */
interface Built<T> {
  readonly bucket: KeyBucket<T>;
  readonly objects: readonly T[];
  readonly changed: readonly string[];
}

/** The number of changes without a read after which the last array is dropped. */
const maxChanges = 64;

function refreshed<T>(built: Built<T>, bucket: KeyBucket<T>, items: Items<T>): T[] {
  const before = built.bucket.keys();
  if (built.bucket.ofKeys === bucket.ofKeys) {
    // `slice` is slow for a frozen array.
    const objects = [...built.objects];
    for (const key of built.changed) {
      const position = floorPosition(before, key);
      // An object that was added and deleted within one commit was never in the array.
      if (before[position] === key) objects[position] = (items.get(key) as Entry<T>).object;
    }
    return objects;
  }
  const objects: T[] = [];
  let position = 0;
  const copyUntil = (end: number): void => {
    while (position < end) objects.push(built.objects[position++] as T);
  };
  for (const key of [...new Set(built.changed)].sort()) {
    const last = floorPosition(before, key);
    const wasThere = before[last] === key;
    copyUntil(wasThere ? last : last + 1);
    if (wasThere) position++;
    if (bucket.keySet.has(key)) objects.push((items.get(key) as Entry<T>).object);
  }
  copyUntil(before.length);
  return objects;
}

function forEachEntry<T>(keys: SortedMap<string>, items: Items<T>, visit: (entry: Entry<T>) => void): void {
  const lookUp = lookUpInOrder(items);
  keys.forEach((_, key) => visit(lookUp(key) as Entry<T>));
}

/** Builds the next version of an index for one commit. */
export class BucketIndexDraft<T> {
  /** The drafts of buckets by value, once there is one: most commits open none of some indexes. */
  #opened: Map<string, KeyBucketDraft<T>> | undefined;

  constructor(
    /** The version that is edited, or what `build` has made of it. */
    private original: BucketIndex<T>,
    /** All objects of the version that is edited. */
    private readonly items: Items<T>,
  ) {}

  /** Adds an object to buckets that do not contain it. */
  add({ key, object }: KeyedObject<T>, values: IndexValues): void {
    if (typeof values === 'string') this.#add(key, object, values);
    else for (const value of values) this.#add(key, object, value);
  }

  delete(key: string, values: IndexValues): void {
    forEachIndexValue(values, (value) => this.#open(value).delete(key));
  }

  /** Removes an object from the buckets of `before`, then adds `next` to those of `after` (S5). */
  update(next: KeyedObject<T>, isReplaced: boolean, before: IndexValues, after: IndexValues): void {
    if (before === after && typeof after === 'string') {
      // The fast path: nearly every update stays in its bucket.
      if (isReplaced) this.#open(after).replace(next.key);
      return;
    }
    const [wasIn, isIn] = [membership(before), membership(after)];
    forEachIndexValue(before, (value) => {
      if (!isIn(value)) this.#open(value).delete(next.key);
    });
    forEachIndexValue(after, (value) => {
      if (!wasIn(value)) this.#add(next.key, next.object, value);
      else if (isReplaced) this.#open(value).replace(next.key);
    });
  }

  /** Calls `visit` with the keys of a bucket, including the changes so far. */
  forEachIn(value: string, visit: (key: string) => void): void {
    const keys = this.#opened?.get(value)?.keys ?? this.original.buckets.get(value)?.keySet;
    keys?.forEach((_, key) => visit(key));
  }

  /** Builds the buckets that have changed so far. */
  *build(): Slices<void> {
    if (this.#opened === undefined) return;
    const buckets = new SortedMapDraft(this.original.buckets);
    let otherValues = 0;
    yield* forEachInSlices(this.#opened, ([value, draft]) => {
      const bucket = draft.finish();
      const isOther = bucket.keySet.size === 0 ? buckets.delete(value) : buckets.set(value, bucket) === undefined;
      if (isOther) otherValues++;
    });
    this.original = new BucketIndex(buckets.finish(), otherValues === 0 ? this.original.memo : {});
    this.#opened = undefined;
  }

  finish(): BucketIndex<T> {
    runSlices(this.build());
    return this.original;
  }

  #add(key: string, object: T, value: string): void {
    const draft = this.#open(value);
    draft.add(key);
    // Within this commit, the object was deleted, and another object was added under its key.
    if (draft.wasThere(key) && this.items.get(key)?.object !== object) draft.replace(key);
  }

  #open(value: string): KeyBucketDraft<T> {
    let draft = this.#opened?.get(value);
    if (!draft) {
      draft = new KeyBucketDraft(this.original.buckets.get(value) ?? new KeyBucket(SortedMap.empty()));
      (this.#opened ??= new Map<string, KeyBucketDraft<T>>()).set(value, draft);
    }
    return draft;
  }
}

/**
 * Builds the next version of a bucket for one commit. Keys are copied only if one enters or leaves.
 * It counts differences: a key added and removed within one commit leaves the arrays unchanged
 * (G2).
 */
class KeyBucketDraft<T> {
  #keys: SortedMapDraft<string> | undefined;
  #entered = 0;
  #left = 0;
  #isReplaced = false;
  /** The changed keys; `undefined` without an array to patch, or with too many changes. */
  #changed: string[] | undefined;

  constructor(private readonly original: KeyBucket<T>) {
    this.#changed = original.built && [];
  }

  get keys(): SortedMap<string> | SortedMapDraft<string> {
    return this.#keys ?? this.original.keySet;
  }

  wasThere(key: string): boolean {
    return this.original.keySet.has(key);
  }

  add(key: string): void {
    this.#keys ??= this.original.keySet.edit();
    if (this.#keys.set(key, key) !== undefined) return;
    if (this.wasThere(key)) this.#left--;
    else this.#entered++;
    this.#note(key);
  }

  delete(key: string): void {
    this.#keys ??= this.original.keySet.edit();
    if (!this.#keys.delete(key)) return;
    if (this.wasThere(key)) this.#left++;
    else this.#entered--;
    this.#note(key);
  }

  /** Records that the object under a key of the bucket was replaced. */
  replace(key: string): void {
    // A key that entered in this commit does not set `#isReplaced`, because it may leave again. If
    // `#keys` is undefined, no key has entered.
    if (this.#keys === undefined || this.wasThere(key)) this.#isReplaced = true;
    this.#note(key);
  }

  finish(): KeyBucket<T> {
    const { original } = this;
    const isMoved = this.#entered > 0 || this.#left > 0;
    if (!isMoved && !this.#isReplaced) return original;
    let { built } = original;
    if (built !== undefined) {
      const changed = this.#changed && [...built.changed, ...this.#changed];
      built = changed && changed.length <= maxChanges ? { ...built, changed } : undefined;
    }
    if (this.#keys !== undefined && isMoved) return new KeyBucket(this.#keys.finish(), undefined, built);
    return new KeyBucket(original.keySet, original.ofKeys, built);
  }

  #note(key: string): void {
    if (this.#changed === undefined) return;
    if (this.#changed.length === maxChanges) this.#changed = undefined;
    else this.#changed.push(key);
  }
}
