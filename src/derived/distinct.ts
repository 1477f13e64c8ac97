import type { Collection } from '../collections/collection.js';
import { invalidOptionError } from '../kubernetes/errors.js';
import { forEachInSlices, type Slices } from '../scheduling/slices.js';
import { checkedChoice } from '../sources/model/checked-options.js';
import type { IndexFunction } from '../store/index-functions.js';
import type { IndexedSnapshot } from '../store/indexed-snapshot.js';
import { fieldsOf, sortable, topK } from './aggregates.js';
import type { Derivation, InputChanges, Rows, Versions } from './core/derivation.js';
import { derivedCollection, type DerivedCollection, type DerivedOptions } from './core/derived-collection.js';
import { checkIndex } from './core/joined-keys.js';
import { groupsOf, type Groups } from './core/keys-by-value.js';
import { PartitionedValues, type PartitionOptions } from './core/partitions.js';
import type { Sortable } from './core/sorted-values.js';
import { GroupBy, type Grouped } from './group-by.js';
import type { Limit } from './limit.js';

/** A row of `distinct`. */
export interface Distinct<T> {
  readonly value: string;
  /** Of the objects with this value, the one with the smallest key, or the first by `orderBy`. */
  readonly object: T;
}

/** Options of {@link distinct}, besides those of every operator. */
export interface DistinctOptions<T> extends PartitionOptions {
  /**
   * Returns the value by which the object of a row is chosen, such as a time. An object for which
   * it returns `undefined` is in no row. Of objects with equal values, the row holds the one with
   * the greater key, or with the smaller key for `least`. Default: the row holds the object with
   * the smallest key. Values are compared as in `limit`, and kept in memory. Must be pure.
   */
  readonly orderBy?: ((object: T) => Sortable | undefined) | undefined;
  /** Which value of `orderBy` comes first: the `greatest` or the `least`. Default `greatest`. */
  readonly order?: Limit<T>['order'] | undefined;
}

/**
 * Makes one row for each distinct value, such as each image in use or each node with pods. The row
 * holds the value, and of the objects that have it, the object with the smallest key. The key of
 * the row is the value. Over several clusters, the key also contains the cluster, as in `groupBy`.
 *
 * With `orderBy`, the row holds the object that comes first by a value of your choice: the last
 * event of each object, the newest ReplicaSet of each Deployment. With a value that is unique, such
 * as the uid, each object has a row under a key of your own.
 *
 * | in | out |
 * | --- | --- |
 * | the first object gets the value | added |
 * | another object gets the value, and comes before the object in the row | updated |
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
 * @param options `orderBy`, `order`, `across`, and the indexes and the settings of the result; see
 * {@link DistinctOptions} and {@link DerivedOptions}
 * @returns a collection with one row for each value
 * @throws `RXI_UNKNOWN_INDEX` if `by` is no index of the collection
 * @throws `RXI_INVALID_OPTION` for another `order`, or an `order` without `orderBy`
 * @example
 * const images = derived.distinct(podInformer, (pod) =>
 *   pod.spec?.containers.map(({ image }) => image ?? ''),
 * );
 * images.list$().subscribe((rows) => console.log(rows.map(({ value }) => value)));
 * @example
 * const lastEvents = derived.distinct(
 *   informer(client, events),
 *   (event) => event.involvedObject.uid,
 *   { orderBy: (event) => event.lastTimestamp },
 * );
 * lastEvents.get$('the uid of a pod').subscribe((row) => console.log(row?.object.message));
 */
export function distinct<T, G extends string, const I extends string = never>(
  collection: Collection<T, G>,
  by: NoInfer<G> | ((object: T, key: string) => ReturnType<IndexFunction<T>>),
  options: DerivedOptions<Distinct<T>, I> & DistinctOptions<T> = {},
): DerivedCollection<Distinct<T>, I> {
  if (typeof by === 'string') checkIndex(collection, by);
  const values = new PartitionedValues<T>(by, options, collection);
  const { orderBy, order } = options;
  if (order !== undefined && orderBy === undefined) throw invalidOptionError('order', order, 'used with orderBy');
  checkedChoice('order', order ?? 'greatest', 'greatest', 'least');
  return derivedCollection<readonly [T], Distinct<T>, I>(
    {
      operator: 'distinct',
      inputs: [collection],
      isPartitioned: values.isInside,
      derivation: () => (orderBy === undefined ? new DistinctBy(values) : new FirstOfGroup(values, orderBy, order)),
      // The rows hold objects of the input.
      shareStructure: false,
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

/** Groups objects as `groupBy` does, with the first one as the only aggregate. */
class FirstOfGroup<T> implements Derivation<readonly [T], Distinct<T>> {
  readonly #groups: GroupBy<T, Grouped<{ readonly orderBy: readonly T[] }>>;

  constructor(values: PartitionedValues<T>, orderBy: (object: T) => Sortable | undefined, order: Limit<T>['order']) {
    const first = topK(1, (object: T) => sortable(orderBy(object), 'orderBy'), {
      order: order === 'least' ? 'ascending' : 'descending',
    });
    // Errors name the aggregate, which is the option.
    this.#groups = new GroupBy(values, fieldsOf<T>({ orderBy: first }));
  }

  fill(versions: Versions<readonly [T]>, rows: Rows<Distinct<T>>): Slices<void> {
    return this.#groups.fill(versions, groupRows(rows));
  }

  update(changes: InputChanges<readonly [T]>, rows: Rows<Distinct<T>>): Slices<void> {
    return this.#groups.update(changes, groupRows(rows));
  }
}

/** Returns rows that `groupBy` sets, of which each becomes a row of `distinct`. */
function groupRows<T>(rows: Rows<Distinct<T>>): Rows<Grouped<{ readonly orderBy: readonly T[] }>> {
  return {
    get: () => undefined,
    keys: () => rows.keys(),
    forEachIn: (index, value, visit) => rows.forEachIn(index, value, visit),
    set(key, row) {
      const object = row?.orderBy[0];
      rows.set(key, row && object && { value: row.group, object });
    },
    delete: (key) => rows.delete(key),
    call: (name, keys, compute) => rows.call(name, keys, compute),
  };
}
