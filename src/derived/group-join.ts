import type { Collection } from '../collections/collection.js';
import { forEachInSlices, type Slices } from '../scheduling/slices.js';
import type { IndexFunction } from '../store/index-functions.js';
import type { IndexedSnapshot } from '../store/indexed-snapshot.js';
import type { Derivation, InputChanges, Rows, Versions } from './core/derivation.js';
import { derivedCollection, type DerivedCollection, type DerivedOptions } from './core/derived-collection.js';
import { checkedValues, checkIndex, keysOf, maxKeysNamed, nothing, onlyOne } from './core/joined-keys.js';
import { groupsOf, type Groups } from './core/keys-by-value.js';
import { PartitionedValues, type PartitionOptions } from './core/partitions.js';

/** The conditions of a `groupJoin`, and the function that makes its rows. */
export interface GroupJoin<L, R, Row, LI extends string, RI extends string> extends PartitionOptions {
  /**
   * Returns the key of the left object (an array for several, `undefined` for none) from `right`
   * and its key; or an index of the right collection with those keys. An index needs no further
   * memory; a function about 70 bytes for each right object.
   */
  readonly on: ((right: R, key: string) => ReturnType<IndexFunction<R>>) | RI;
  /**
   * The name of an index of the left collection. With it, `on` returns the value of the left object
   * under this index, such as the uid of an owner, instead of its key. Default: `on` returns the
   * key.
   */
  readonly to?: LI | undefined;
  /**
   * Returns the row, or `undefined` or `null` for none. `right` is in key order. It is the same
   * array as before if its objects are unchanged. `key` is the key of the row.
   */
  readonly select: (left: L, right: readonly R[], key: string) => Row | null | undefined;
}

/**
 * Makes one row from each left object and all right objects that belong to it, such as each node
 * with its pods. The key of a row is the key of its left object.
 *
 * | in | out |
 * | --- | --- |
 * | a left object is added | added, if `select` returns a row |
 * | a left object changes | updated, if the row differs |
 * | a left object is deleted | deleted |
 * | a right object enters a group, leaves it, or changes in it | the row of the group is computed again, and updated if it differs |
 *
 * For a left object without right objects, `select` receives an empty array.
 *
 * Costs one call of `select` for each left object that changed and for each group in which
 * something changed. Each such call also collects the r objects of the group into an array, at a
 * cost of O(r). To count or sum objects, `groupBy` costs less.
 *
 * @param left the objects that have rows
 * @param right the objects that belong to left objects
 * @param join how a right object refers to a left one, and the function that makes the row
 * @param options the indexes and the settings of the result; see {@link DerivedOptions}
 * @returns a collection of the rows
 * @throws `RXI_UNKNOWN_INDEX` if `on` or `to` is no index
 * @example
 * const load = derived.groupJoin(nodeInformer, podInformer, {
 *   on: 'node',
 *   select: (node, pods) => ({
 *     node: node.metadata.name,
 *     names: pods.map((pod) => pod.metadata.name),
 *   }),
 * });
 * load.get$('worker-1').subscribe((row) => console.log(row?.names));
 */
export function groupJoin<L, R, Row, LI extends string, RI extends string, const I extends string = never>(
  left: Collection<L, LI>,
  right: Collection<R, RI>,
  join: GroupJoin<L, R, Row, NoInfer<LI>, NoInfer<RI>>,
  options: DerivedOptions<Row, I> = {},
): DerivedCollection<Row, I> {
  if (typeof join.on === 'string') checkIndex(right, join.on);
  if (join.to !== undefined) checkIndex(left, join.to);
  const values = new PartitionedValues<R>(join.on, join, right, left);
  return derivedCollection<readonly [L, R], Row, I>(
    {
      operator: 'groupJoin',
      inputs: [left, right],
      inputNames: ['left', 'right'],
      derivation: () => new GroupJoinDerivation(join, values),
    },
    options,
  );
}

class GroupJoinDerivation<L, R, Row> implements Derivation<readonly [L, R], Row> {
  readonly #groups: Groups<R>;

  constructor(
    private readonly join: GroupJoin<L, R, Row, string, string>,
    private readonly values: PartitionedValues<R>,
  ) {
    this.#groups = groupsOf('on', values);
  }

  *fill([left, right]: Versions<readonly [L, R]>, rows: Rows<Row>): Slices<void> {
    yield* this.#groups.fill(right, rows);
    yield* forEachInSlices(left.keysOnce(), (key) => this.#set(key, left, right, rows));
  }

  *update([left, right]: InputChanges<readonly [L, R]>, rows: Rows<Row>): Slices<void> {
    const { to } = this.join;
    const affected = new Set(left.keys);
    const touched = yield* this.#groups.update(right, rows);
    yield* forEachInSlices(touched, (value) => {
      if (to === undefined) affected.add(value);
      else for (const key of this.values.keysUnder(left.current, to, value)) affected.add(key);
    });
    yield* forEachInSlices(affected, (key) => this.#set(key, left.current, right.current, rows));
  }

  #set(key: string, left: IndexedSnapshot<L>, right: IndexedSnapshot<R>, rows: Rows<Row>): void {
    rows.set(key, this.#row(key, left, right, rows));
  }

  #row(key: string, left: IndexedSnapshot<L>, right: IndexedSnapshot<R>, rows: Rows<Row>): Row | null | undefined {
    const object = left.get(key);
    if (object === undefined) return undefined;
    const { to, select } = this.join;
    const value =
      to === undefined
        ? key
        : rows.call('to', [key], () =>
            this.values.inPartition(key, onlyOne(checkedValues(to, left.indexValuesOf(to, key)))),
          );
    if (value === undefined) return undefined;
    const group = typeof value === 'string' ? this.#groups.bucket(right, value) : undefined;
    return rows.call(
      'select',
      () => [key, ...keysOf(group).slice(0, maxKeysNamed)],
      () => select(object, group?.objects() ?? nothing, key),
    );
  }
}
