import { invalidOptionError } from '../kubernetes/errors.js';
import { setField, shareStructure } from '../kubernetes/share-structure.js';
import { checkedChoice } from '../sources/model/checked-options.js';
import {
  decimalOf,
  isSameDecimal,
  minus,
  nearestNumber,
  nearestQuotient,
  noDecimal,
  plus,
  type Decimal,
} from './core/decimal.js';
import { SortedValues, type Sortable } from './core/sorted-values.js';

/**
 * A value computed from many objects. When one object changes, the value is updated without reading
 * the others. `count`, `sum`, `mean`, `tally`, `min`, `max` and `topK` create the common
 * aggregates.
 *
 * Only `groupBy` and `rollUp` call its members. To write an aggregate of your own, pass an object
 * with `zero`, `add` and `remove`: see `CustomAggregate`.
 *
 * @typeParam T the objects
 * @typeParam R the value
 */
export interface Aggregate<T, R> {
  /** Creates the state for zero objects. */
  empty(): unknown;
  /** What `include` adds to a state. Calls the user's functions, and throws their errors. */
  part(object: T, key: string): unknown;
  /** Adds a part, and returns the state, which may be the same object. Never throws. */
  include(state: unknown, part: unknown, key: string): unknown;
  /** Removes a part of the key. Throws if there is none: a function of the user is not pure. */
  exclude(state: unknown, part: unknown, key: string): unknown;
  /** Returns the state as a part that can be added to another state. */
  total(state: unknown, get: (key: string) => T | undefined): unknown;
  isSame(part: unknown, other: unknown): boolean;
  /** True if replacing `part` by `other` keeps the state the same. Default: `isSame`. */
  keepsState?(part: unknown, other: unknown): boolean;
  /** True if the value of a state contains the object under a key. Default: true. */
  shows?(state: unknown, key: string): boolean;
  /** Returns the value of a state; the previous value if both are equal. */
  result(state: unknown, get: (key: string) => T | undefined, previous: R | undefined): R;
}

/**
 * An aggregate of your own: the total for zero objects, a function that adds an object to a total,
 * and a function that removes it.
 *
 * `add` and `remove` must be pure, undo each other, and return the same total for any order of the
 * objects. Each is called once for each version of an object.
 *
 * @example
 * const nodes = derived.groupBy(podInformer, 'node', {
 *   containers: {
 *     zero: 0,
 *     add: (total, pod) => total + (pod.spec?.containers.length ?? 0),
 *     remove: (total, pod) => total - (pod.spec?.containers.length ?? 0),
 *   },
 * });
 */
export interface CustomAggregate<T, S> {
  readonly zero: S;
  add(total: S, object: T): S;
  remove(total: S, object: T): S;
}

/** The counts of `tally`, by value. Only values that occur are included, in no particular order. */
export type Tally<V extends string> = Readonly<Partial<Record<V, number>>>;

/**
 * Counts all objects, or only the objects for which a function returns true.
 *
 * @param isCounted a pure function; default: every object counts
 * @returns an aggregate for {@link groupBy} and {@link rollUp}
 * @example
 * const perNode = derived.groupBy(podInformer, 'node', {
 *   pods: derived.count(),
 *   failed: derived.count((pod) => pod.status?.phase === 'Failed'),
 * });
 */
export function count<T>(isCounted?: (object: T) => boolean): Aggregate<T, number> {
  return aggregate<T, number, number, number>({
    empty: () => 0,
    part: (object) => (isCounted === undefined || isCounted(object) ? 1 : 0),
    include: (total, part) => total + part,
    exclude: (total, part) => total - part,
    total: (total) => total,
    isSame: Object.is,
    result: (total) => total,
  });
}

/** A sum without terms is the number 0, so bigints that may be missing add `number`. */
export type SumOf<V> = V extends bigint ? bigint : V extends readonly bigint[] ? bigint | number : number;

interface Sum extends Decimal {
  readonly numbers: number;
  readonly bigints: number;
}

const emptySum: Sum = Object.freeze({ ...noDecimal, numbers: 0, bigints: 0 });

/**
 * Adds numbers, or bigints.
 *
 * The sum is exact: each number is added as the decimal that JavaScript prints for it, and the
 * result is the number nearest to the exact sum. So ten times 0.1 is 1, rounding errors never
 * accumulate, and the order of the changes makes no difference. If an object has several terms,
 * such as the requests of its containers, return them as an array. Adding them with `+` in your own
 * function would round.
 *
 * @param value returns a finite number, a bigint, an array of them, or `undefined` for nothing
 * @returns an aggregate for {@link groupBy} and {@link rollUp}; 0 if there is nothing to add
 * @example
 * const perNode = derived.groupBy(podInformer, 'node', {
 *   cpu: derived.sum((pod) =>
 *     pod.spec?.containers.map(({ resources }) =>
 *       derived.quantity(resources?.requests?.['cpu'] ?? 0),
 *     ),
 *   ),
 * });
 */
export function sum<T, V extends number | bigint | readonly number[] | readonly bigint[] | undefined>(
  value: (object: T) => V,
): Aggregate<T, SumOf<V>> {
  return aggregate<T, SumOf<V>, Sum, Sum>({
    ...sums,
    part: (object) => sumOf(value(object), 'sum'),
    result: (total) => {
      const isWhole = total.numbers === 0 && total.bigints > 0;
      return (isWhole ? total.units : nearestNumber(total)) as SumOf<V>;
    },
  });
}

const sums = {
  empty: () => emptySum,
  include: addSums,
  exclude: removeSum,
  total: (total: Sum) => total,
  isSame: isSameSum,
};

/** Includes `undefined` if values may be missing: a mean needs a value. */
export type MeanOf<V> = V extends number | bigint ? number : number | undefined;

/**
 * Computes the arithmetic mean of numbers. The exact sum of the numbers is divided by their count,
 * and the result is rounded once. The value is `undefined` if there are no numbers.
 *
 * @param value returns a finite number, a bigint, an array of them, or `undefined` for nothing
 * @returns an aggregate for {@link groupBy} and {@link rollUp}
 * @example
 * const perNode = derived.groupBy(podInformer, 'node', {
 *   restarts: derived.mean((pod) => pod.status?.containerStatuses?.[0]?.restartCount),
 * });
 */
export function mean<T, V extends number | bigint | readonly number[] | readonly bigint[] | undefined>(
  value: (object: T) => V,
): Aggregate<T, MeanOf<V>> {
  return aggregate<T, MeanOf<V>, Sum, Sum>({
    ...sums,
    part: (object) => sumOf(value(object), 'mean'),
    result: (total) => {
      const terms = total.numbers + total.bigints;
      return (terms === 0 ? undefined : nearestQuotient(total, terms)) as MeanOf<V>;
    },
  });
}

type TallyPart = string | readonly string[] | ReadonlyMap<string, number> | undefined;

/**
 * Counts the objects for each value of a function: `{ Running: 40, Pending: 2 }`.
 *
 * Each changed row costs O(distinct values), because its counts are copied to a new object.
 *
 * @param value returns one value, several, or `undefined` for none
 * @returns an aggregate for {@link groupBy} and {@link rollUp}
 * @example
 * const perNode = derived.groupBy(podInformer, 'node', {
 *   phases: derived.tally((pod) => pod.status?.phase),
 * });
 */
export function tally<T, V extends string>(value: (object: T) => V | readonly V[] | undefined): Aggregate<T, Tally<V>> {
  return aggregate<T, Tally<V>, Map<string, number>, TallyPart>({
    empty: () => new Map(),
    part: (object) => textsOf(value(object)),
    include: (counts, part) => {
      forEachCount(part, (name, times) => counts.set(name, (counts.get(name) ?? 0) + times));
      return counts;
    },
    exclude: (counts, part) => {
      forEachCount(part, (name, times) => {
        const left = (counts.get(name) ?? 0) - times;
        if (left < 0) throw notPure('tally');
        if (left === 0) counts.delete(name);
        else counts.set(name, left);
      });
      return counts;
    },
    total: (counts) => new Map(counts),
    isSame: isSameTally,
    result: (counts, _get, previous) =>
      previous !== undefined && isTally(previous, counts)
        ? previous
        : (Object.freeze(Object.fromEntries(counts)) as Tally<V>),
  });
}

/**
 * Computes the smallest value; `undefined` if no object has one. Numbers come before strings.
 * Strings are compared by UTF-16 code units, which sorts ISO 8601 times correctly.
 *
 * @param value returns a number, a bigint, a string, or `undefined` for nothing
 * @returns an aggregate for {@link groupBy} and {@link rollUp}
 * @example
 * const perNode = derived.groupBy(podInformer, 'node', {
 *   oldest: derived.min((pod) => pod.status?.startTime),
 * });
 */
export function min<T, V extends Sortable | undefined>(value: (object: T) => V): Aggregate<T, V> {
  return extreme('min', 'first', value);
}

/**
 * Computes the greatest value; `undefined` if no object has one. The order of values is the same as
 * for {@link min}.
 *
 * @param value returns a number, a bigint, a string, or `undefined` for nothing
 * @returns an aggregate for {@link groupBy} and {@link rollUp}
 * @example
 * const perNode = derived.groupBy(podInformer, 'node', {
 *   newest: derived.max((pod) => pod.status?.startTime),
 * });
 */
export function max<T, V extends Sortable | undefined>(value: (object: T) => V): Aggregate<T, V> {
  return extreme('max', 'last', value);
}

/** Options of `topK`. */
export interface TopKOptions {
  /** `descending` (default): the greatest values first. `ascending`: the smallest first. */
  readonly order?: 'ascending' | 'descending' | undefined;
}

interface Ranked<T> {
  readonly value: Sortable;
  readonly key: string;
  readonly object: T;
}

/**
 * Lists up to `k` objects with the greatest values, greatest first. The order of values is the
 * reverse of {@link min}. Objects with equal values are ordered by their keys.
 *
 * Each changed row costs O(k).
 *
 * @param k how many objects the list holds at most
 * @param value returns a number, a bigint, a string, or `undefined` for an object that is not
 *   listed
 * @param options the direction of the order
 * @returns an aggregate for {@link groupBy} and {@link rollUp}
 * @throws `RXI_INVALID_OPTION` if `k` is not a positive integer
 * @example
 * const perNode = derived.groupBy(podInformer, 'node', {
 *   newest: derived.topK(3, (pod) => pod.status?.startTime),
 * });
 */
export function topK<T>(
  k: number,
  value: (object: T) => Sortable | undefined,
  { order = 'descending' }: TopKOptions = {},
): Aggregate<T, readonly T[]> {
  if (!Number.isSafeInteger(k) || k < 1) throw invalidOptionError('k of topK', k, 'a whole number of at least 1');
  const end = checkedChoice('order', order, 'ascending', 'descending') === 'ascending' ? 'first' : 'last';
  const ranked = (state: SortedValues, get: (key: string) => T | undefined): Ranked<T>[] => {
    const found: Ranked<T>[] = [];
    state.forEachFrom(end, k, (each, key) => found.push({ value: each, key, object: get(key) as T }));
    return found;
  };
  return aggregate<T, readonly T[], SortedValues, readonly Ranked<T>[]>({
    empty: () => new SortedValues(),
    part: (object, key) => {
      const sortKey = sortable(value(object), 'topK');
      return sortKey === undefined ? [] : [{ value: sortKey, key, object }];
    },
    include: (state, part) => {
      for (const each of part) state.add(each.value, each.key);
      return state;
    },
    exclude: (state, part) => {
      for (const each of part) if (!state.remove(each.value, each.key)) throw notPure('topK');
      return state;
    },
    total: ranked,
    isSame: (part, other) =>
      part.length === other.length && part.every((each, position) => isSameRank(each, other[position])),
    // The state holds keys, so a new version with the same value and key does not change it.
    keepsState: ([one], [other]) => one?.value === other?.value && one?.key === other?.key,
    shows: (state, key) => {
      let isShown = false;
      state.forEachFrom(end, k, (_value, each) => (isShown ||= each === key));
      return isShown;
    },
    result: (state, get, previous) => {
      const objects: T[] = [];
      state.forEachFrom(end, k, (_value, key) => objects.push(get(key) as T));
      // Copy the array, because `push` has reserved memory for sixteen more items.
      return previous !== undefined && areSame(previous, objects) ? previous : Object.freeze(objects.slice());
    },
  });
}

/** A field of the rows: its name and its aggregate. */
export interface RowField<T> {
  readonly name: string;
  readonly aggregate: Aggregate<T, unknown>;
  /** True if `include` and `exclude` call functions of the user, which may throw. */
  readonly isCustom: boolean;
}

/** Returns the fields for aggregates by name. Custom aggregates are wrapped as aggregates. */
export function fieldsOf<T>(
  aggregates: Readonly<Record<string, Aggregate<T, unknown> | CustomAggregate<T, unknown>>>,
): readonly RowField<T>[] {
  return Object.entries(aggregates).map(([name, aggregate]) => {
    const isCustom = !('part' in aggregate);
    return { name, aggregate: isCustom ? aggregateOf(aggregate) : aggregate, isCustom };
  });
}

/** Returns the row; the previous one if it is equal. `stale`: what may differ, by position. */
export function rowOf<T, R extends object>(
  fields: readonly RowField<T>[],
  states: readonly unknown[],
  get: (key: string) => T | undefined,
  previous: R | undefined,
  stale?: ReadonlySet<number>,
): R {
  let isSame = previous !== undefined;
  const row: Record<string, unknown> = {};
  fields.forEach(({ name, aggregate }, position) => {
    const before = (previous as Readonly<Record<string, unknown>> | undefined)?.[name];
    const isKept = previous !== undefined && stale?.has(position) === false;
    const value = isKept ? before : aggregate.result(states[position], get, before);
    isSame &&= Object.is(value, before);
    setField(row, name, value);
  });
  return isSame ? (previous as R) : (row as R);
}

/** Wraps a custom aggregate: only for `groupBy`, as its totals cannot be added up. */
function aggregateOf<T, S>(custom: CustomAggregate<T, S>): Aggregate<T, S> {
  return aggregate<T, S, S, T>({
    empty: () => custom.zero,
    part: (object) => object,
    include: (total, object) => custom.add(total, object),
    exclude: (total, object) => custom.remove(total, object),
    total: () => undefined as never,
    isSame: () => false,
    result: (total, _get, previous) => (previous === undefined ? total : shareStructure(previous, total)),
  });
}

/** An aggregate with typed states and parts, for the code that creates it. */
interface TypedAggregate<T, R, S, P> extends Aggregate<T, R> {
  empty(): S;
  part(object: T, key: string): P;
  include(state: S, part: P, key: string): S;
  exclude(state: S, part: P, key: string): S;
  total(state: S, get: (key: string) => T | undefined): P;
  isSame(part: P, other: P): boolean;
  keepsState?(part: P, other: P): boolean;
  shows?(state: S, key: string): boolean;
  result(state: S, get: (key: string) => T | undefined, previous: R | undefined): R;
}

function aggregate<T, R, S, P>(definition: TypedAggregate<T, R, S, P>): Aggregate<T, R> {
  return Object.freeze(definition);
}

function extreme<T, V extends Sortable | undefined>(
  name: string,
  end: 'first' | 'last',
  value: (object: T) => V,
): Aggregate<T, V> {
  const best = (state: SortedValues): V => {
    let found: Sortable | undefined;
    state.forEachFrom(end, 1, (each) => (found = each));
    return found as V;
  };
  return aggregate<T, V, SortedValues, V>({
    empty: () => new SortedValues(),
    part: (object) => sortable(value(object), name) as V,
    include: (state, part, key) => {
      if (part !== undefined) state.add(part, key);
      return state;
    },
    exclude: (state, part, key) => {
      if (part !== undefined && !state.remove(part, key)) throw notPure(name);
      return state;
    },
    total: best,
    isSame: Object.is,
    result: best,
  });
}

function sumOf(value: unknown, name: string): Sum {
  if (value === undefined) return emptySum;
  if (!Array.isArray(value)) return term(value, name);
  return (value as readonly unknown[]).reduce<Sum>((total, each) => addSums(total, term(each, name)), emptySum);
}

function term(value: unknown, name: string): Sum {
  if (typeof value === 'bigint') return { units: value, scale: 0, numbers: 0, bigints: 1 };
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw new TypeError(`the function of ${name} must return a finite number or a bigint, not ${describeValue(value)}`);
  }
  const { units, scale } = decimalOf(value);
  return { units, scale, numbers: 1, bigints: 0 };
}

function addSums(one: Sum, other: Sum): Sum {
  const { units, scale } = plus(one, other);
  return { units, scale, numbers: one.numbers + other.numbers, bigints: one.bigints + other.bigints };
}

function removeSum(one: Sum, other: Sum): Sum {
  const { units, scale } = minus(one, other);
  return { units, scale, numbers: one.numbers - other.numbers, bigints: one.bigints - other.bigints };
}

function isSameSum(one: Sum, other: Sum): boolean {
  return isSameDecimal(one, other) && one.numbers === other.numbers && one.bigints === other.bigints;
}

function textsOf(value: unknown): string | readonly string[] | undefined {
  const isText = Array.isArray(value)
    ? value.every((each) => typeof each === 'string')
    : value === undefined || typeof value === 'string';
  if (isText) return value as string | readonly string[] | undefined;
  throw new TypeError(
    `the function of tally must return a string, an array of strings or undefined, not ${describeValue(value)}`,
  );
}

function forEachCount(part: TallyPart, visit: (value: string, times: number) => void): void {
  if (part === undefined) return;
  if (typeof part === 'string') visit(part, 1);
  else if (part instanceof Map) part.forEach((times: number, value: string) => visit(value, times));
  else for (const value of part as readonly string[]) visit(value, 1);
}

function isSameTally(part: TallyPart, other: TallyPart): boolean {
  if (part === other) return true;
  if (!(part instanceof Map) || !(other instanceof Map) || part.size !== other.size) return false;
  for (const [value, times] of part) if (other.get(value) !== times) return false;
  return true;
}

function isTally(row: Readonly<Record<string, number | undefined>>, counts: ReadonlyMap<string, number>): boolean {
  for (const [value, times] of counts) if (!Object.hasOwn(row, value) || row[value] !== times) return false;
  return Object.keys(row).length === counts.size;
}

/** Returns a user's result if it can be sorted; otherwise throws a `TypeError`. */
export function sortable(value: unknown, name: string): Sortable | undefined {
  if (value === undefined || typeof value === 'string' || typeof value === 'bigint') return value;
  if (typeof value === 'number' && !Number.isNaN(value)) return value;
  throw new TypeError(
    `the function of ${name} must return a number, a bigint, a string or undefined, not ${describeValue(value)}`,
  );
}

function isSameRank<T>(one: Ranked<T>, other: Ranked<T> | undefined): boolean {
  return one.object === other?.object && one.value === other.value && one.key === other.key;
}

function areSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((each, position) => each === other[position]);
}

function notPure(name: string): Error {
  return new TypeError(`the function of ${name} returned another value for the same object; it must be pure`);
}

function describeValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array of other values';
  return typeof value === 'number' ? String(value) : `a value of type ${typeof value}`;
}
