import { Bucket, BucketIndex } from './bucket.js';
import type { KeyedObject } from './delta.js';
import { type Entry, type Indexers, IndexSchema, NO_VALUES, type IndexValues } from './indexing.js';
import type { BucketReads, IndexRange, Snapshot } from './snapshot.js';
import type { IndexFunctionError } from './errors.js';

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
