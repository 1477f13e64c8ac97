import type { Collection } from '../collections/collection.js';
import { forEachInSlices, type Slices } from '../scheduling/slices.js';
import type { IndexFunction } from '../store/index-functions.js';
import type { IndexedSnapshot } from '../store/indexed-snapshot.js';
import type { Derivation, InputChanges, Rows, Versions } from './core/derivation.js';
import { derivedCollection, type DerivedCollection, type DerivedOptions } from './core/derived-collection.js';
import { checkIndex } from './core/joined-keys.js';
import { groupsOf, type Groups } from './core/keys-by-value.js';
import { PartitionedValues, type PartitionOptions } from './core/partitions.js';

/** A row of `distinct`. */
export interface Distinct<T> {
  readonly value: string;
  /** The object with the smallest key among the objects with this value. */
  readonly object: T;
}

/**
 * Makes one row for each distinct value, such as each image in use or each node with pods. The row
 * holds the value, and of the objects that have it, the object with the smallest key. The key of
 * the row is the value. Over several clusters, the key also contains the cluster, as in `groupBy`.
 *
 * | in | out |
 * | --- | --- |
 * | the first object gets the value | added |
 * | another object gets the value, and its key is smaller than that of the object in the row | updated |
 * | the object in the row changes, and keeps the value | updated |
 * | the object in the row loses the value, and other objects have it | updated |
 * | no object has the value any more | deleted |
 * | any other object is added, changed or deleted | nothing |
 *
 * An object with several values counts for each of them. To count objects by value, use `groupBy`.
 * If you need only the values, `indexValues$` of an index costs less.
 *
 * Each value of a changed object costs O(log n), regardless of the number of objects with this
 * value (J5). A function needs memory for a separate index; the name of an index needs none.
 *
 * @param collection the collection to read
 * @param by the name of an index of the collection, or a pure function that returns one value,
 * several, or `undefined`
 * @param options the indexes and the settings of the result, and `across`; see
 * {@link DerivedOptions} and {@link PartitionOptions}
 * @returns a collection with one row for each value
 * @throws `RXI_UNKNOWN_INDEX` if `by` is no index of the collection
 * @example
 * const images = derived.distinct(podInformer, (pod) =>
 *   pod.spec?.containers.map(({ image }) => image ?? ''),
 * );
 * images.list$().subscribe((rows) => console.log(rows.map(({ value }) => value)));
 */
export function distinct<T, G extends string, const I extends string = never>(
  collection: Collection<T, G>,
  by: NoInfer<G> | ((object: T, key: string) => ReturnType<IndexFunction<T>>),
  options: DerivedOptions<Distinct<T>, I> & PartitionOptions = {},
): DerivedCollection<Distinct<T>, I> {
  if (typeof by === 'string') checkIndex(collection, by);
  const values = new PartitionedValues<T>(by, options, collection);
  return derivedCollection<readonly [T], Distinct<T>, I>(
    {
      operator: 'distinct',
      inputs: [collection],
      isPartitioned: values.isInside,
      derivation: () => new DistinctBy(values),
    },
    options,
  );
}

class DistinctBy<T> implements Derivation<readonly [T], Distinct<T>> {
  readonly #groups: Groups<T>;

  constructor(private readonly values: PartitionedValues<T>) {
    this.#groups = groupsOf('by', values);
  }

  *fill([objects]: Versions<readonly [T]>, rows: Rows<Distinct<T>>): Slices<void> {
    yield* this.#groups.fill(objects, rows);
    yield* this.#setAll(this.#groups.values(objects), objects, rows);
  }

  *update([change]: InputChanges<readonly [T]>, rows: Rows<Distinct<T>>): Slices<void> {
    yield* this.#setAll(yield* this.#groups.update(change, rows), change.current, rows);
  }

  *#setAll(values: Iterable<string>, objects: IndexedSnapshot<T>, rows: Rows<Distinct<T>>): Slices<void> {
    yield* forEachInSlices(values, (value) => {
      const first = this.#groups.bucket(objects, value)?.first();
      rows.set(value, first && { value: this.values.withoutPartition(value), object: first.object });
    });
  }
}
