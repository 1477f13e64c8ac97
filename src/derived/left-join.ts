import type { Collection } from '../collections/collection.js';
import { internalsOf } from '../collections/log-collection.js';
import type { IndexFunction } from '../store/index-functions.js';
import type { IndexedSnapshot } from '../store/indexed-snapshot.js';
import { computeIndexValues, FAILED_VALUES, NO_VALUES, type IndexValues } from '../store/indexing.js';
import { forEachInSlices, type Slices } from '../scheduling/slices.js';
import type { BucketReads } from '../store/snapshot.js';
import type { Derivation, InputChanges, Rows, Versions } from './core/derivation.js';
import { derivedCollection, type DerivedCollection, type DerivedOptions } from './core/derived-collection.js';
import { ComputedGroups, IndexedGroups, KeysByValue, type Groups } from './core/keys-by-value.js';

/** The conditions of a `leftJoin`, and the function that makes its rows. */
export interface LeftJoin<L, R, Row, LI extends string, RI extends string> {
  /**
   * Returns the key of the right object, or `undefined`. Instead of a function, it can be the name
   * of an index of the left collection whose value is that key. An index needs no further memory; a
   * function costs about 30 bytes for each object. The function must be pure: it is also called
   * with the previous version of a changed object.
   */
  readonly on: ((left: L) => string | undefined) | LI;
  /**
   * The name of an index of the right collection. With it, `on` returns the value of the right
   * object under this index instead of its key. The value must be unique. Default: `on` returns the
   * key.
   */
  readonly to?: RI | undefined;
  /**
   * Returns the row, or `undefined` for no row. `right` is `undefined` while `left` refers to no
   * object, or to one that does not exist.
   */
  readonly select: (left: L, right: R | undefined) => Row | undefined;
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
 * refers to a changed right object (J5). A change that affects 10,000 rows is one commit (J8).
 *
 * If several right objects have the same value under `to`, `errors$` emits a `DerivedRowError` that
 * names them. The rows that refer to this value are absent until only one of these objects is left.
 * If a left object has several values under the index `on`, this is also an error, and the object
 * has no row.
 *
 * @param left the objects that have rows; many of them may refer to one right object
 * @param right the objects that left objects refer to
 * @param join how a left object refers to a right one, and the function that makes the row
 * @param options the indexes and the settings of the result; see {@link DerivedOptions}
 * @returns a collection of the rows
 * @throws `UnknownIndexError` if `on` or `to` is no index
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
  return derivedCollection<readonly [L, R], Row, I>(
    { operator: 'leftJoin', inputs: [left, right], derivation: () => new LeftJoinDerivation(join) },
    options,
  );
}

/** The conditions of a `groupJoin`, and the function that makes its rows. */
export interface GroupJoin<L, R, Row, LI extends string, RI extends string> {
  /**
   * Returns the key of the left object to which a right object belongs; an array if it belongs to
   * several, `undefined` for none. Instead of a function, it can be the name of an index of the
   * right collection whose values are those keys. An index needs no further memory; a function
   * costs about 70 bytes for each right object.
   */
  readonly on: IndexFunction<R> | RI;
  /**
   * The name of an index of the left collection. With it, `on` returns the value of the left object
   * under this index, such as the uid of an owner, instead of its key. Default: `on` returns the
   * key.
   */
  readonly to?: LI | undefined;
  /**
   * Returns the row, or `undefined` for none. `right` is in key order. It is the same array as
   * before if its objects are unchanged.
   */
  readonly select: (left: L, right: readonly R[]) => Row | undefined;
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
 * @throws `UnknownIndexError` if `on` or `to` is no index
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
  return derivedCollection<readonly [L, R], Row, I>(
    { operator: 'groupJoin', inputs: [left, right], derivation: () => new GroupJoinDerivation(join) },
    options,
  );
}

class LeftJoinDerivation<L, R, Row> implements Derivation<readonly [L, R], Row> {
  /**
   * The keys of the left objects, by the value to which they refer. It stays empty if `on` is an
   * index, because the index already holds them.
   */
  readonly #referring = new KeysByValue();

  constructor(private readonly join: LeftJoin<L, R, Row, string, string>) {}

  *fill([left, right]: Versions<readonly [L, R]>, rows: Rows<Row>): Slices<void> {
    yield* forEachInSlices(left.keys(), (key) => {
      this.#move(key, undefined, left.get(key));
      this.#set(key, left, right, rows);
    });
  }

  *update([left, right]: InputChanges<readonly [L, R]>, rows: Rows<Row>): Slices<void> {
    const set = (key: string): void => {
      this.#set(key, left.current, right.current, rows);
    };
    yield* forEachInSlices(left.keys, (key) => {
      this.#move(key, left.previous.get(key), left.current.get(key));
      if (right.keys.length === 0) set(key);
    });
    if (right.keys.length === 0) return;
    const affected = new Set(left.keys);
    for (const key of right.keys) {
      for (const version of right.previous === right.current ? [right.current] : [right.previous, right.current]) {
        for (const value of valuesUnder(version, this.join.to, key)) {
          yield* forEachInSlices(this.#keysReferringTo(value, left.current), (referring) => {
            affected.add(referring);
          });
        }
      }
    }
    yield* forEachInSlices(affected, set);
  }

  #move(key: string, before: L | undefined, after: L | undefined): void {
    const { on } = this.join;
    if (typeof on === 'string') return;
    const from = before === undefined ? NO_VALUES : valuesOrNone(on, before);
    const to = after === undefined ? NO_VALUES : valuesOrNone(on, after);
    if (typeof from === 'string' && from !== to) this.#referring.delete(from, key);
    if (typeof to === 'string') this.#referring.add(to, key);
  }

  #keysReferringTo(value: string, left: IndexedSnapshot<L>): Iterable<string> {
    const { on } = this.join;
    return typeof on === 'string' ? keysOf(left.bucket(on, value)) : this.#referring.keys(value);
  }

  #set(key: string, left: IndexedSnapshot<L>, right: IndexedSnapshot<R>, rows: Rows<Row>): void {
    const object = left.get(key);
    rows.set(key, object === undefined ? undefined : this.#row(key, object, left, right, rows));
  }

  #row(key: string, object: L, left: IndexedSnapshot<L>, right: IndexedSnapshot<R>, rows: Rows<Row>): Row | undefined {
    const { on, to, select } = this.join;
    const values = rows.call('on', [key], () =>
      onlyOne(typeof on === 'string' ? indexedValues(left, on, key) : computeIndexValues(on, object)),
    );
    if (values === undefined) return undefined;
    if (typeof values !== 'string') return rows.call('select', [key], () => select(object, undefined));
    const found = to === undefined ? values : this.#keyUnder(to, values, key, right, rows);
    if (found === undefined) return undefined;
    const other = right.get(found);
    return rows.call('select', other === undefined ? [key] : [key, found], () => select(object, other));
  }

  /**
   * Returns the key of the only object under a value; `''` if there is none. If there are several,
   * reports an error and returns `undefined`.
   */
  #keyUnder(index: string, value: string, key: string, right: IndexedSnapshot<R>, rows: Rows<Row>): string | undefined {
    const bucket = right.bucket(index, value);
    if (bucket === undefined) return '';
    const keys = keysOf(bucket);
    if (keys.length === 1) return keys[0];
    rows.call('to', [key, ...keys.slice(0, mostKeysNamed)], () => {
      throw new RangeError(
        `${String(keys.length)} objects have the value ${JSON.stringify(value)} under the index ${JSON.stringify(index)}, ` +
          'which must be unique',
      );
    });
  }
}

class GroupJoinDerivation<L, R, Row> implements Derivation<readonly [L, R], Row> {
  readonly #groups: Groups<R>;

  constructor(private readonly join: GroupJoin<L, R, Row, string, string>) {
    const { on } = join;
    this.#groups = typeof on === 'string' ? new IndexedGroups<R>(on) : new ComputedGroups<R>('on', on);
  }

  *fill([left, right]: Versions<readonly [L, R]>, rows: Rows<Row>): Slices<void> {
    yield* this.#groups.fill(right, rows);
    yield* forEachInSlices(left.keys(), (key) => {
      this.#set(key, left, right, rows);
    });
  }

  *update([left, right]: InputChanges<readonly [L, R]>, rows: Rows<Row>): Slices<void> {
    const { to } = this.join;
    const affected = new Set(left.keys);
    const touched = yield* this.#groups.update(right, rows);
    yield* forEachInSlices(touched, (value) => {
      if (to === undefined) affected.add(value);
      else left.current.bucket(to, value)?.forEach(({ key }) => affected.add(key));
    });
    yield* forEachInSlices(affected, (key) => {
      this.#set(key, left.current, right.current, rows);
    });
  }

  #set(key: string, left: IndexedSnapshot<L>, right: IndexedSnapshot<R>, rows: Rows<Row>): void {
    const object = left.get(key);
    rows.set(key, object === undefined ? undefined : this.#row(key, object, left, right, rows));
  }

  #row(key: string, object: L, left: IndexedSnapshot<L>, right: IndexedSnapshot<R>, rows: Rows<Row>): Row | undefined {
    const { to, select } = this.join;
    const value = to === undefined ? key : rows.call('to', [key], () => onlyOne(indexedValues(left, to, key)));
    if (value === undefined) return undefined;
    const group = typeof value === 'string' ? this.#groups.bucket(right, value) : undefined;
    let row: Row | undefined;
    try {
      row = select(object, group?.objects() ?? nothing);
    } catch (cause) {
      // `rows.call` reports the error. The first call of `select` does not use `rows.call`, so that
      // the keys of the group are collected only in case of an error.
      rows.call('select', [key, ...keysOf(group).slice(0, mostKeysNamed)], () => {
        throw cause;
      });
    }
    return row;
  }
}

const nothing: readonly never[] = Object.freeze([]);

/** The largest number of right objects that an error names. */
const mostKeysNamed = 10;

/**
 * Throws `UnknownIndexError` if there is no such index. Called when the join is created, so that
 * the error does not occur only in the first commit (S8).
 */
function checkIndex(collection: Collection<unknown>, index: string): void {
  internalsOf(collection).log.latest.parts.schema.position(index);
}

/** Returns the values of an object under an index; throws if its index function failed. */
function indexedValues<T>(snapshot: IndexedSnapshot<T>, index: string, key: string): IndexValues {
  const values = snapshot.indexValuesOf(index, key);
  if (values === FAILED_VALUES) throw new Error(`the function of the index ${JSON.stringify(index)} failed`);
  return values;
}

/**
 * Returns the values by which left objects refer to this right object: its values under an index,
 * or its key.
 */
function valuesUnder<T>(snapshot: IndexedSnapshot<T>, index: string | undefined, key: string): readonly string[] {
  const values = index === undefined ? key : snapshot.indexValuesOf(index, key);
  return typeof values === 'string' ? [values] : values;
}

/** Returns the values of a function; none if it throws. Its errors are reported elsewhere. */
function valuesOrNone<T>(on: IndexFunction<T>, object: T): IndexValues {
  try {
    return computeIndexValues(on, object);
  } catch {
    return NO_VALUES;
  }
}

function onlyOne(values: IndexValues): IndexValues {
  if (typeof values === 'string' || values.length === 0) return values;
  throw new RangeError(
    `the object has ${String(values.length)} values, but may have at most one: ${values.join(', ')}`,
  );
}

/** Returns the keys of a bucket, without creating an array that the snapshot would keep. */
function keysOf(bucket: BucketReads<unknown> | undefined): string[] {
  const keys: string[] = [];
  bucket?.forEach(({ key }) => keys.push(key));
  return keys;
}
