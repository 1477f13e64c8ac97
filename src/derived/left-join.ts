import type { Collection } from '../collections/collection.js';
import { forEachInSlices, type Slices } from '../scheduling/slices.js';
import { type IndexValues, NO_VALUES } from '../store/index-values.js';
import type { IndexedSnapshot } from '../store/indexed-snapshot.js';
import type { Derivation, InputChanges, Rows, Versions } from './core/derivation.js';
import { derivedCollection, type DerivedCollection, type DerivedOptions } from './core/derived-collection.js';
import { checkedValues, checkIndex, keysOf, maxKeysNamed, onlyOne } from './core/joined-keys.js';
import { KeysByValue } from './core/keys-by-value.js';
import { PartitionedValues, type PartitionOptions } from './core/partitions.js';

/** The conditions of a `leftJoin`, and the function that makes its rows. */
export interface LeftJoin<L, R, Row, LI extends string, RI extends string> extends PartitionOptions {
  /**
   * Returns the key of the right object, or `undefined`, from `left` and its key; or an index of
   * the left collection with that key. An index needs no further memory; a function about 30 bytes
   * for each object. Must be pure: also called with the previous version of a changed object.
   */
  readonly on: ((left: L, key: string) => string | undefined) | LI;
  /**
   * The name of an index of the right collection. With it, `on` returns the value of the right
   * object under this index instead of its key. The value must be unique. Default: `on` returns the
   * key.
   */
  readonly to?: RI | undefined;
  /**
   * Returns the row, or `undefined` or `null` for no row. `right` is `undefined` while `left`
   * refers to no object, or to one that does not exist. `key` is the key of the row.
   */
  readonly select: (left: L, right: R | undefined, key: string) => Row | null | undefined;
}

/**
 * Makes one row from each left object and the right object that it refers to, such as each pod with
 * its node. The key of a row is the key of its left object.
 *
 * | in | out |
 * | --- | --- |
 * | a left object is added | added, if `select` returns a row |
 * | a left object changes, or refers to another right object | updated, if the row differs; added if `select` returns a row only now; deleted if it no longer does |
 * | a left object is deleted | deleted |
 * | a right object is added, changed or deleted | the rows that refer to it are computed again, and updated if they differ |
 *
 * If a left object refers to nothing, or to an object that does not exist, `select` is called with
 * `undefined` and decides. For an inner join, return `right && { … }`: then such an object has no
 * row.
 *
 * Costs one call of `select` for each left object that changed, and for each left object that
 * refers to a changed right object (J5). A change that affects 10,000 rows is one commit. While its
 * rows are computed in slices, later commits of both collections wait to be announced (J8).
 *
 * If several right objects have the same value under `to`, `errors$` emits an `RXI_DERIVED_ROW`
 * that names them. The rows that refer to this value are absent until only one of these objects is
 * left. If a left object has several values under the index `on`, this is also an error, and the
 * object has no row.
 *
 * @param left the objects that have rows; many of them may refer to one right object
 * @param right the objects that left objects refer to
 * @param join how a left object refers to a right one, and the function that makes the row
 * @param options the indexes and the settings of the result; see {@link DerivedOptions}
 * @returns a collection of the rows
 * @throws `RXI_UNKNOWN_INDEX` if `on` or `to` is no index
 * @example
 * const placed = derived.leftJoin(podInformer, nodeInformer, {
 *   on: 'node',
 *   select: (pod, node) => ({
 *     pod: pod.metadata.name,
 *     zone: node?.metadata.labels?.['topology.kubernetes.io/zone'] ?? 'unknown',
 *   }),
 * });
 * placed.get$('web/a').subscribe((row) => console.log(row?.zone));
 */
export function leftJoin<L, R, Row, LI extends string, RI extends string, const I extends string = never>(
  left: Collection<L, LI>,
  right: Collection<R, RI>,
  join: LeftJoin<L, R, Row, NoInfer<LI>, NoInfer<RI>>,
  options: DerivedOptions<Row, I> = {},
): DerivedCollection<Row, I> {
  if (typeof join.on === 'string') checkIndex(left, join.on);
  if (join.to !== undefined) checkIndex(right, join.to);
  const values = new PartitionedValues<L>(join.on, join, left, right);
  return derivedCollection<readonly [L, R], Row, I>(
    {
      operator: 'leftJoin',
      inputs: [left, right],
      inputNames: ['left', 'right'],
      derivation: () => new LeftJoinDerivation(join, values),
    },
    options,
  );
}

class LeftJoinDerivation<L, R, Row> implements Derivation<readonly [L, R], Row> {
  /** The left objects by the value they refer to; `undefined` if `on` is an index of them. */
  readonly #referring: KeysByValue | undefined;

  constructor(
    private readonly join: LeftJoin<L, R, Row, string, string>,
    private readonly values: PartitionedValues<L>,
  ) {
    if (typeof join.on !== 'string' || values.isInside) this.#referring = new KeysByValue();
  }

  *fill([left, right]: Versions<readonly [L, R]>, rows: Rows<Row>): Slices<void> {
    yield* forEachInSlices(left.keysOnce(), (key) => {
      this.#move(key, undefined, left);
      this.#set(key, left, right, rows);
    });
  }

  *update([left, right]: InputChanges<readonly [L, R]>, rows: Rows<Row>): Slices<void> {
    const set = (key: string): void => this.#set(key, left.current, right.current, rows);
    yield* forEachInSlices(left.keys, (key) => {
      this.#move(key, left.previous, left.current);
      if (right.keys.length === 0) set(key);
    });
    if (right.keys.length === 0) return;
    const affected = new Set(left.keys);
    for (const key of right.keys) {
      for (const version of right.previous === right.current ? [right.current] : [right.previous, right.current]) {
        for (const value of this.#valuesUnder(version, key)) {
          yield* forEachInSlices(this.#keysReferringTo(value, left.current), (referring) => {
            affected.add(referring);
          });
        }
      }
    }
    yield* forEachInSlices(affected, set);
  }

  #move(key: string, before: IndexedSnapshot<L> | undefined, after: IndexedSnapshot<L>): void {
    if (this.#referring === undefined) return;
    const from = this.#valuesOrNone(before, key);
    const to = this.#valuesOrNone(after, key);
    if (typeof from === 'string' && from !== to) this.#referring.delete(from, key);
    if (typeof to === 'string') this.#referring.add(to, key);
  }

  #keysReferringTo(value: string, left: IndexedSnapshot<L>): Iterable<string> {
    return this.#referring?.keys(value) ?? keysOf(left.bucket(this.join.on as string, value));
  }

  /** Returns none if the function throws, which is reported elsewhere. */
  #valuesOrNone(left: IndexedSnapshot<L> | undefined, key: string): IndexValues {
    const object = left?.get(key);
    if (left === undefined || object === undefined) return NO_VALUES;
    try {
      return this.values.of(left, key, object);
    } catch {
      return NO_VALUES;
    }
  }

  /** Returns what left objects refer to: the object's values under an index, or its key. */
  #valuesUnder(right: IndexedSnapshot<R>, key: string): readonly string[] {
    const { to } = this.join;
    const values = to === undefined ? key : this.values.inPartition(key, right.indexValuesOf(to, key));
    return typeof values === 'string' ? [values] : values;
  }

  #set(key: string, left: IndexedSnapshot<L>, right: IndexedSnapshot<R>, rows: Rows<Row>): void {
    rows.set(key, this.#row(key, left, right, rows));
  }

  #row(key: string, left: IndexedSnapshot<L>, right: IndexedSnapshot<R>, rows: Rows<Row>): Row | null | undefined {
    const object = left.get(key);
    if (object === undefined) return undefined;
    const { on, to, select } = this.join;
    const values = rows.call('on', [key], () => onlyOne(checkedValues(on, this.values.of(left, key, object))));
    if (values === undefined) return undefined;
    if (typeof values !== 'string') return rows.call('select', [key], () => select(object, undefined, key));
    const found = to === undefined ? values : this.#keyUnder(to, values, key, right, rows);
    if (found === undefined) return undefined;
    const other = found === null ? undefined : right.get(found);
    return rows.call('select', found === null || other === undefined ? [key] : [key, found], () =>
      select(object, other, key),
    );
  }

  /** Returns the only key under a value; `null`: none. Reports several, and returns `undefined`. */
  #keyUnder(
    index: string,
    value: string,
    key: string,
    right: IndexedSnapshot<R>,
    rows: Rows<Row>,
  ): string | null | undefined {
    const keys = this.values.keysUnder(right, index, value);
    if (keys.length <= 1) return keys[0] ?? null;
    rows.call('to', [key, ...keys.slice(0, maxKeysNamed)], () => {
      throw new RangeError(
        `${String(keys.length)} objects have the value ${JSON.stringify(this.values.withoutPartition(value))} under the index ${JSON.stringify(index)}, ` +
          'which must be unique',
      );
    });
  }
}
