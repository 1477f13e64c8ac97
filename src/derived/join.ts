import type { Collection } from '../informer/collection.js';
import { internalsOf } from '../informer/log-collection.js';
import type { IndexFunction } from '../store/index-functions.js';
import type { IndexedSnapshot } from '../store/indexed-snapshot.js';
import { computeIndexValues, FAILED_VALUES, NO_VALUES, type IndexValues } from '../store/indexing.js';
import { forEachInSlices, type Slices } from '../store/slices.js';
import type { BucketReads } from '../store/snapshot.js';
import type { Derivation, InputChanges, Rows, Versions } from './core/derivation.js';
import { derivedCollection, type DerivedCollection, type DerivedOptions } from './core/derived-collection.js';
import { ComputedGroups, IndexedGroups, KeysByValue, type Groups } from './core/keys-by-value.js';

/** How `leftJoin` finds the right object of a left one, and what it makes of the two. */
export interface LeftJoin<L, R, Row, LI extends string, RI extends string> {
  /**
   * Returns the key of the right object, or `undefined`. Or the name of an index of the left
   * collection whose value is that key: this needs no memory. A function costs about 30 bytes an
   * object; it must be pure, and is called with the previous version of a changed object, too.
   */
  readonly on: ((left: L) => string | undefined) | LI;
  /**
   * The name of an index of the right collection: then `on` tells not the key of the right object
   * but its value under this index, which no two objects may have in common. Default: the key.
   */
  readonly to?: RI | undefined;
  /** Returns the row, or `undefined` for none. `right` is `undefined` while there is no such object. */
  readonly select: (left: L, right: R | undefined) => Row | undefined;
}

/**
 * Makes one row of each left object and the one right object that it refers to: the pods, each with
 * its node. Rows stand under the keys of the left objects.
 *
 * | in | out |
 * | --- | --- |
 * | a left object is added | added, if `select` returns a row |
 * | it changes, also what it refers to | updated, if the row differs; added or deleted if there is a row now, or none any more |
 * | it is deleted | deleted |
 * | a right object is added, changed or deleted | the rows that refer to it are computed again, and updated if they differ |
 *
 * A left object that refers to nothing, or to an object that is not there, has a row as well:
 * `select` decides. With `right && { … }` it has none, which is an inner join.
 *
 * Costs one call of `select` for each left object that changed, and for each that refers to a right
 * object that changed (J5). A change that concerns 10,000 rows is one commit (J8).
 *
 * If several right objects have one value under `to`, a `DerivedRowError` names them, and the rows
 * that refer to them are absent until one object is left. The same holds for a left object that has
 * several values under the index `on`.
 *
 * @param left the objects that refer, many to one
 * @param right the objects that are referred to
 * @param join what refers to what, and the row
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

/** How `groupJoin` finds the right objects of a left one, and what it makes of them. */
export interface GroupJoin<L, R, Row, LI extends string, RI extends string> {
  /**
   * Returns the key of the left object that a right one belongs to; several if it belongs to several,
   * `undefined` for none. Or the name of an index of the right collection whose values are those
   * keys: this needs no memory. A function costs about 70 bytes a right object.
   */
  readonly on: IndexFunction<R> | RI;
  /**
   * The name of an index of the left collection: then `on` tells not the key of the left object but
   * its value under this index, such as the uid of an owner. Default: the key.
   */
  readonly to?: LI | undefined;
  /**
   * Returns the row, or `undefined` for none. `right` is in key order, and the same array as long as
   * these objects stay the same.
   */
  readonly select: (left: L, right: readonly R[]) => Row | undefined;
}

/**
 * Makes one row of each left object and all right objects that belong to it: the nodes, each with
 * its pods. Rows stand under the keys of the left objects.
 *
 * | in | out |
 * | --- | --- |
 * | a left object is added | added, if `select` returns a row |
 * | it changes | updated, if the row differs |
 * | it is deleted | deleted |
 * | a right object enters a group, leaves it, or changes in it | the row of the group is computed again, and updated if it differs |
 *
 * A left object without right ones has a row as well: `select` receives an empty array.
 *
 * Costs one call of `select` for each left object that changed, and for each group that changed,
 * however many of its objects did. Each such group of r objects is put together, which costs O(r),
 * as `byIndex` does. For a number of objects or a sum over them, `groupBy` costs less.
 *
 * @param left the objects that have a row
 * @param right the objects that belong to them
 * @param join what belongs to what, and the row
 * @throws `UnknownIndexError` if `on` or `to` is no index
 * @example
 * const load = derived.groupJoin(nodeInformer, podInformer, {
 *   on: 'node',
 *   select: (node, pods) => ({ node: node.metadata.name, names: pods.map((pod) => pod.metadata.name) }),
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
  /** The keys of the left objects by what they refer to; empty if `on` is an index, which has them. */
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

  /** Returns the key of the only object under a value, `''` if there is none, `undefined` if there are several. */
  #keyUnder(index: string, value: string, key: string, right: IndexedSnapshot<R>, rows: Rows<Row>): string | undefined {
    const bucket = right.bucket(index, value);
    if (bucket === undefined) return '';
    const keys = keysOf(bucket);
    if (keys.length === 1) return keys[0];
    rows.call('to', [key, ...keys.slice(0, mostKeysNamed)], () => {
      throw new RangeError(
        `${String(keys.length)} objects have the value ${JSON.stringify(value)} under the index ${JSON.stringify(index)}, ` +
          'which has to be unique',
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
      // Through `call`, which reports it: the keys of a group are put together only if they are needed.
      rows.call('select', [key, ...keysOf(group).slice(0, mostKeysNamed)], () => {
        throw cause;
      });
    }
    return row;
  }
}

const nothing: readonly never[] = Object.freeze([]);

/** How many objects of one side an error names. */
const mostKeysNamed = 10;

/** Throws `UnknownIndexError` where the join is made, and not in its first commit (S8). */
function checkIndex(collection: Collection<unknown>, index: string): void {
  internalsOf(collection).log.latest.parts.schema.position(index);
}

/** Returns the values of an object under an index; throws if its index function failed. */
function indexedValues<T>(snapshot: IndexedSnapshot<T>, index: string, key: string): IndexValues {
  const values = snapshot.indexValuesOf(index, key);
  if (values === FAILED_VALUES) throw new Error(`the function of the index ${JSON.stringify(index)} failed`);
  return values;
}

/** Returns what others refer to an object by: its values under an index, or its key. */
function valuesUnder<T>(snapshot: IndexedSnapshot<T>, index: string | undefined, key: string): readonly string[] {
  const values = index === undefined ? key : snapshot.indexValuesOf(index, key);
  return typeof values === 'string' ? [values] : values;
}

/** Returns the values of a function that is called for its result only: what it throws is reported elsewhere. */
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
    `there are ${String(values.length)} values, but it can refer to one object only: ${values.join(', ')}`,
  );
}

/** Returns the keys of a bucket, without an array that stays in the snapshot. */
function keysOf(bucket: BucketReads<unknown> | undefined): string[] {
  const keys: string[] = [];
  bucket?.forEach(({ key }) => keys.push(key));
  return keys;
}
