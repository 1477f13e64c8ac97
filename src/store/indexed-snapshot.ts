import type { RxInformersError } from '../kubernetes/errors.js';
import { BucketIndex, BucketIndexDraft } from './bucket-index.js';
import { Bucket, BucketDraft } from './bucket.js';
import type { KeyedObject } from './delta.js';
import type { Indexers } from './index-functions.js';
import { type Entry, IndexSchema, type IndexValues, NO_VALUES } from './index-values.js';
import type { BucketReads, IndexRange, Snapshot } from './snapshot.js';
import { SortedMap } from './sorted-map.js';

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
export interface Refused<T> extends Omit<Entry<T>, 'values'> {
  readonly partition: string;
}

/**
 * Implements an immutable snapshot that shares unchanged parts with its predecessor. Its parts are
 * internal. `emptySnapshot` creates the first one.
 */
export class IndexedSnapshot<T, I extends string = string> implements Snapshot<T, I> {
  readonly version: number;
  readonly resourceVersion: string;
  readonly size: number;

  /** @internal */
  constructor(/** @internal */ readonly parts: SnapshotParts<T, I>) {
    this.version = parts.version;
    this.resourceVersion = parts.resourceVersion;
    this.size = parts.items.size;
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

  /**
   * Returns the keys for a single pass. Unlike `keys`, does not keep their array in memory.
   *
   * @internal
   */
  keysOnce(): readonly string[] {
    const { arrays, entries } = this.parts.items;
    return arrays.ofKeys.keys ?? entries.keys();
  }

  byIndex(name: I, value: string): readonly T[] {
    return this.indexOf(name).buckets.get(value)?.objects(this.parts.items.entries) ?? NOTHING;
  }

  index(name: I, object: T): readonly T[] {
    return underAny(this, name, this.parts.schema.valuesOf(this.parts.schema.position(name), object));
  }

  indexKeys(name: I, value: string): readonly string[] {
    return this.indexOf(name).buckets.get(value)?.keys() ?? NOTHING;
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
    report: (error: RxInformersError<'RXI_INDEX_FUNCTION'>) => void,
  ): IndexedSnapshot<T, I | J> {
    const { parts } = this;
    const schema = parts.schema.with(added);
    const items = new BucketDraft(parts.items);
    const indexes = schema.names.map(
      (_, position) => new BucketIndexDraft(parts.indexes[position] ?? BucketIndex.empty<T>(), parts.items.entries),
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
