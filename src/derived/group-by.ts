import type { Collection } from '../collections/collection.js';
import { invalidOptionError } from '../kubernetes/errors.js';
import { forEachInSlices, type Slices } from '../scheduling/slices.js';
import type { IndexFunction } from '../store/index-functions.js';
import { areSameIndexValues, forEachIndexValue, type IndexValues } from '../store/index-values.js';
import type { IndexedSnapshot } from '../store/indexed-snapshot.js';
import { fieldsOf, rowOf, type Aggregate, type CustomAggregate, type RowField } from './aggregates.js';
import type { Derivation, InputChanges, Rows, Versions } from './core/derivation.js';
import { derivedCollection, type DerivedCollection, type DerivedOptions } from './core/derived-collection.js';
import { checkIndex } from './core/joined-keys.js';
import { PartitionedValues, type PartitionOptions } from './core/partitions.js';

/** A row of `groupBy`: the value that the objects of the group share, and their aggregates. */
export type Grouped<R extends object> = { readonly group: string } & Readonly<R>;

/**
 * Puts objects into groups, and computes aggregates of each group. The row of a group has the value
 * of the group in the field `group`, and one field for each aggregate. The value is also the key of
 * the row. Over several clusters, there is a row for each value in each cluster, and its key
 * contains the cluster: `eu:worker-1`. With `across: true`, there is one row for all clusters.
 *
 * | in | out |
 * | --- | --- |
 * | the first object of a group | added |
 * | another object enters or leaves a group | updated, if an aggregate differs |
 * | an object changes | updated, if an aggregate differs |
 * | an object moves to another group | the rows of both groups change, as if the object left one group and entered the other |
 * | the last object of a group leaves | deleted |
 *
 * An object with several values is in several groups. An object without a value is in no group.
 *
 * A change costs O(aggregates) for each group of the object, regardless of the size of the group:
 * the previous version of the object is subtracted, and the new one is added. So the functions must
 * be pure: when an object changes or leaves, they are called again with its previous version.
 *
 * If a function throws for an object, or returns an invalid value (`NaN` for a sum), the object is
 * left out of all its groups until it changes. `errors$` emits an `RXI_DERIVED_ROW` that names the
 * object and the aggregate.
 *
 * @param collection the collection to read
 * @param by the name of an index of the collection, or a pure function that returns one group,
 * several, or `undefined`, for an object and its key. An index needs no further call of a function
 * @param aggregates the aggregates by the names of their fields: `count`, `sum`, `mean`, `tally`,
 * `min`, `max`, `topK`, or `{ zero, add, remove }`
 * @param options the indexes and the settings of the result, and `across`; see
 * {@link DerivedOptions} and {@link PartitionOptions}
 * @returns a collection with one row for each group that has objects
 * @throws `RXI_UNKNOWN_INDEX` if `by` is no index of the collection
 * @throws `RXI_INVALID_OPTION` for an aggregate with the name `group`
 * @example
 * const nodes = derived.groupBy(podInformer, 'node', {
 *   pods: derived.count(),
 *   phases: derived.tally((pod) => pod.status?.phase),
 *   oldest: derived.min((pod) => pod.status?.startTime),
 * });
 * nodes.get$('worker-1').subscribe((node) => console.log(node?.pods, node?.phases));
 */
export function groupBy<T, G extends string, R extends object, const I extends string = never>(
  collection: Collection<T, G>,
  by: NoInfer<G> | ((object: T, key: string) => ReturnType<IndexFunction<T>>),
  aggregates: { readonly [K in keyof R]: Aggregate<T, R[K]> | CustomAggregate<T, R[K]> },
  options: DerivedOptions<Grouped<R>, I> & PartitionOptions = {},
): DerivedCollection<Grouped<R>, I> {
  if (typeof by === 'string') checkIndex(collection, by);
  if (Object.hasOwn(aggregates, 'group'))
    throw invalidOptionError(
      'an aggregate of groupBy',
      'group',
      'named differently from the field group, which has the value of the group',
    );
  const values = new PartitionedValues<T>(by, options, collection);
  const fields = fieldsOf<T>(aggregates);
  return derivedCollection<readonly [T], Grouped<R>, I>(
    {
      operator: 'groupBy',
      inputs: [collection],
      isPartitioned: values.isInside,
      derivation: () => new GroupBy<T, Grouped<R>>(values, fields),
      // Aggregates return the previous value if it is equal; objects in `topK` are the input's.
      shareStructure: false,
    },
    options,
  );
}

/** Groups that may differ, and the positions of their aggregates; `undefined`: all of them. */
type Touched = Map<string, Set<number> | undefined>;

function touch(touched: Touched, group: string, position: number): void {
  if (!touched.has(group)) touched.set(group, new Set());
  touched.get(group)?.add(position);
}

interface Group {
  size: number;
  /** The states of the aggregates, in the order of the fields. */
  states: unknown[];
}

/** A group to which an object is about to be added. */
interface Joined {
  readonly value: string;
  readonly group: Group;
  /** The states after the custom aggregates have added the object. */
  states: unknown[];
}

/** Also computes the rows of `distinct` in an order. */
export class GroupBy<T, R extends Grouped<object>> implements Derivation<readonly [T], R> {
  readonly #groups = new Map<string, Group>();
  /** The objects that are in no group, because a function failed for them. */
  readonly #failed = new Set<string>();
  readonly #hasCustom: boolean;

  constructor(
    private readonly values: PartitionedValues<T>,
    private readonly fields: readonly RowField<T>[],
  ) {
    this.#hasCustom = fields.some(({ isCustom }) => isCustom);
  }

  *fill([objects]: Versions<readonly [T]>, rows: Rows<R>): Slices<void> {
    const touched: Touched = new Map();
    yield* forEachInSlices(objects.keysOnce(), (key) => this.#enter(key, objects, rows, touched));
    yield* this.#setRows(touched, objects, rows);
  }

  *update([{ previous, current, keys }]: InputChanges<readonly [T]>, rows: Rows<R>): Slices<void> {
    const touched: Touched = new Map();
    yield* forEachInSlices(keys, (key) => {
      if (this.#isUnchanged(key, previous, current)) return;
      if (this.#staysInGroups(key, previous, current)) {
        this.#exchange(key, previous, current, rows, touched);
        return;
      }
      this.#leave(key, previous, touched);
      this.#enter(key, current, rows, touched);
    });
    yield* this.#setRows(touched, current, rows);
  }

  #isUnchanged(key: string, previous: IndexedSnapshot<T>, current: IndexedSnapshot<T>): boolean {
    if (previous.get(key) !== current.get(key)) return false;
    const { by } = this.values;
    if (typeof by !== 'string') return true;
    return areSameIndexValues(previous.indexValuesOf(by, key), current.indexValuesOf(by, key));
  }

  /** True if an object stays in its groups, as in most updates; then only aggregates change. */
  #staysInGroups(key: string, previous: IndexedSnapshot<T>, current: IndexedSnapshot<T>): boolean {
    const { by } = this.values;
    if (typeof by !== 'string' || this.#hasCustom || this.#failed.has(key)) return false;
    return (
      previous.has(key) &&
      current.has(key) &&
      areSameIndexValues(previous.indexValuesOf(by, key), current.indexValuesOf(by, key))
    );
  }

  #exchange(
    key: string,
    previous: IndexedSnapshot<T>,
    current: IndexedSnapshot<T>,
    rows: Rows<R>,
    touched: Touched,
  ): void {
    const after = this.#prepare(key, current.get(key) as T, [], rows);
    if (after === undefined) {
      this.#leave(key, previous, touched);
      this.#failed.add(key);
      return;
    }
    this.#pure(key, () => {
      const object = previous.get(key) as T;
      const before = this.fields.map(({ aggregate }) => aggregate.part(object, key));
      forEachIndexValue(this.values.of(current, key, object), (value) => {
        const { states } = this.#groupNamed(value);
        this.fields.forEach(({ aggregate }, position) => {
          const [left, entered] = [before[position], after[position]];
          if (aggregate.isSame(left, entered)) return;
          if (aggregate.keepsState?.(left, entered) === true) {
            if (aggregate.shows?.(states[position], key) !== false) touch(touched, value, position);
            return;
          }
          touch(touched, value, position);
          states[position] = aggregate.include(aggregate.exclude(states[position], left, key), entered, key);
        });
      });
    });
  }

  /** Adds an object to all its groups; to none if a function fails. */
  #enter(key: string, objects: IndexedSnapshot<T>, rows: Rows<R>, touched: Touched): void {
    const object = objects.get(key);
    if (object === undefined) return;
    const values = rows.call('by', [key], () => this.values.of(objects, key, object));
    const joined = values === undefined ? undefined : this.#groupsNamed(values);
    const parts = joined && this.#prepare(key, object, joined, rows);
    if (joined === undefined || parts === undefined) {
      this.#failed.add(key);
      return;
    }
    for (const { value, group, states } of joined) {
      this.fields.forEach(({ aggregate, isCustom }, position) => {
        if (!isCustom) states[position] = aggregate.include(states[position], parts[position], key);
      });
      group.states = states;
      group.size++;
      this.#groups.set(value, group);
      touched.set(value, undefined);
    }
  }

  #groupsNamed(values: IndexValues): readonly Joined[] {
    const joined: Joined[] = [];
    forEachIndexValue(values, (value) => {
      const states = (): unknown[] => this.fields.map(({ aggregate }) => aggregate.empty());
      const group = this.#groups.get(value) ?? { size: 0, states: states() };
      joined.push({ value, group, states: group.states });
    });
    return joined;
  }

  /** Calls functions that may throw before any change. Returns `undefined` if one throws. */
  #prepare(key: string, object: T, joined: readonly Joined[], rows: Rows<R>): readonly unknown[] | undefined {
    const parts: unknown[] = [];
    for (const { name, aggregate, isCustom } of this.fields) {
      const position = parts.length;
      const isAdded = rows.call(name, [key], () => {
        const part = aggregate.part(object, key);
        parts.push(part);
        if (isCustom) {
          for (const each of joined) {
            each.states = [...each.states];
            each.states[position] = aggregate.include(each.states[position], part, key);
          }
        }
        return true;
      });
      if (isAdded !== true) return undefined;
    }
    return parts;
  }

  #leave(key: string, objects: IndexedSnapshot<T>, touched: Touched): void {
    const object = objects.get(key);
    if (object === undefined || this.#failed.delete(key)) return;
    this.#pure(key, () => this.#remove(key, object, objects, touched));
  }

  /** Calls functions again with a version of an object. Throws if they fail this time. */
  #pure(key: string, act: () => void): void {
    try {
      act();
    } catch (cause) {
      // The aggregates may be wrong now. This error makes the node compute all rows again.
      throw new TypeError(
        `a function throws or returns another value when it is called with ${key} again; it must be pure`,
        { cause },
      );
    }
  }

  #remove(key: string, object: T, objects: IndexedSnapshot<T>, touched: Touched): void {
    const parts = this.fields.map(({ aggregate }) => aggregate.part(object, key));
    forEachIndexValue(this.values.of(objects, key, object), (value) => {
      const group = this.#groupNamed(value);
      touched.set(value, undefined);
      if (--group.size === 0) {
        this.#groups.delete(value);
        return;
      }
      group.states = this.fields.map(({ aggregate }, position) =>
        aggregate.exclude(group.states[position], parts[position], key),
      );
    });
  }

  #groupNamed(value: string): Group {
    const group = this.#groups.get(value);
    if (group === undefined) throw new TypeError(`there is no group ${value}`);
    return group;
  }

  *#setRows(touched: Touched, objects: IndexedSnapshot<T>, rows: Rows<R>): Slices<void> {
    const get = (key: string): T | undefined => objects.get(key);
    yield* forEachInSlices(touched, ([value, stale]) => {
      const group = this.#groups.get(value);
      if (group === undefined) rows.delete(value);
      else {
        const previous = rows.get(value);
        const row = rowOf<T, R>(this.fields, group.states, get, previous, stale);
        // A new row is not shared yet. A copy would take more time, and more memory for each row.
        if (row !== previous) (row as { group?: string }).group = this.values.withoutPartition(value);
        rows.set(value, row);
      }
    });
  }
}
