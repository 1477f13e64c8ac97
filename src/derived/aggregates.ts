import { shareStructure } from '../kubernetes/share-structure.js';
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
 * A value computed from many objects, which follows a change of one of them without a look at the
 * others. `count`, `sum`, `mean`, `tally`, `min`, `max` and `topK` create the common ones.
 *
 * Its members are called by `groupBy` and `rollUp`. Your own is an object with `zero`, `add` and
 * `remove`: see `CustomAggregate`.
 *
 * @typeParam T the objects
 * @typeParam R the value
 */
export interface Aggregate<T, R> {
  /** Creates the state of no objects. */
  empty(): unknown;
  /** Returns what one object adds. Calls functions of the user, and throws what they throw. */
  part(object: T, key: string): unknown;
  /** Adds a part, and returns the state, which may be the same object. Never throws. */
  include(state: unknown, part: unknown, key: string): unknown;
  /** Removes a part that was added under the same key. Throws if there is none, because a function is not pure. */
  exclude(state: unknown, part: unknown, key: string): unknown;
  /** Returns the state as one part of a larger total, to be added under `key`. */
  total(state: unknown, get: (key: string) => T | undefined): unknown;
  isSame(part: unknown, other: unknown): boolean;
  /** Returns true if a state stays the same when one part takes the place of another. Default: `isSame`. */
  keepsState?(part: unknown, other: unknown): boolean;
  /** Returns true if the value of a state shows the object under a key. Default: it may. */
  shows?(state: unknown, key: string): boolean;
  /** Returns the value; the previous one if it is equal. */
  result(state: unknown, get: (key: string) => T | undefined, previous: R | undefined): R;
}

/**
 * An aggregate of your own: the total of no objects, and how one object changes a total.
 *
 * `add` and `remove` must be pure, undo each other, and give the same total in any order of the
 * objects. They are called once for each version of an object.
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

/** The counts of `tally`: only values that occur are in it, in no particular order. */
export type Tally<V extends string> = Readonly<Partial<Record<V, number>>>;

/**
 * Counts the objects, or those for which a function returns true.
 *
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

/** The type of a sum: `number` if there is nothing to add, so the sum of bigints that may be missing is either. */
export type SumOf<V> = V extends bigint ? bigint : V extends readonly bigint[] ? bigint | number : number;

interface Sum extends Decimal {
  readonly numbers: number;
  readonly bigints: number;
}

const emptySum: Sum = Object.freeze({ ...noDecimal, numbers: 0, bigints: 0 });

/**
 * Adds numbers, or bigints.
 *
 * The sum is exact: numbers are added as the decimals that they print as, and the result is the
 * number nearest to their sum. So ten times 0.1 is 1, nothing drifts however long it runs, and the
 * order of the changes makes no difference. Return the terms of one object as an array, such as the
 * requests of its containers; `+` in your own function rounds.
 *
 * @param value returns a finite number, a bigint, an array of them, or `undefined` for nothing
 * @example
 * const perNode = derived.groupBy(podInformer, 'node', {
 *   cpu: derived.sum((pod) => pod.spec?.containers.map(({ resources }) => derived.quantity(resources?.requests?.['cpu'] ?? 0))),
 * });
 */
export function sum<T, V extends number | bigint | readonly number[] | readonly bigint[] | undefined>(
  value: (object: T) => V,
): Aggregate<T, SumOf<V>> {
  return aggregate<T, SumOf<V>, Sum, Sum>({
    empty: () => emptySum,
    part: (object) => sumOf(value(object), 'sum'),
    include: addSums,
    exclude: removeSum,
    total: (total) => total,
    isSame: isSameSum,
    result: (total) => {
      const isWhole = total.numbers === 0 && total.bigints > 0;
      return (isWhole ? total.units : nearestNumber(total)) as SumOf<V>;
    },
  });
}

/** The type of a mean: `undefined` if values may be missing, because there is no mean of nothing. */
export type MeanOf<V> = V extends number | bigint ? number : number | undefined;

/**
 * Returns the arithmetic mean of numbers: their exact sum, divided and rounded once. `undefined` if
 * there are none.
 *
 * @param value returns a finite number, a bigint, an array of them, or `undefined` for nothing
 * @example
 * const perNode = derived.groupBy(podInformer, 'node', {
 *   restarts: derived.mean((pod) => pod.status?.containerStatuses?.[0]?.restartCount),
 * });
 */
export function mean<T, V extends number | bigint | readonly number[] | readonly bigint[] | undefined>(
  value: (object: T) => V,
): Aggregate<T, MeanOf<V>> {
  return aggregate<T, MeanOf<V>, Sum, Sum>({
    empty: () => emptySum,
    part: (object) => sumOf(value(object), 'mean'),
    include: addSums,
    exclude: removeSum,
    total: (total) => total,
    isSame: isSameSum,
    result: (total) => {
      const terms = total.numbers + total.bigints;
      return (terms === 0 ? undefined : nearestQuotient(total, terms)) as MeanOf<V>;
    },
  });
}

type TallyPart = string | readonly string[] | ReadonlyMap<string, number> | undefined;

/**
 * Counts the objects by a value: `{ Running: 40, Pending: 2 }`.
 *
 * A row that changes costs O(values), because it is a new object.
 *
 * @param value returns one value, several, or `undefined` for none
 * @example
 * const perNode = derived.groupBy(podInformer, 'node', { phases: derived.tally((pod) => pod.status?.phase) });
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
 * Returns the smallest value, `undefined` if no object has one. Numbers come before strings, and
 * strings are compared by UTF-16 code units, which puts times in ISO 8601 in order.
 *
 * @param value returns a number, a bigint, a string, or `undefined` for nothing
 * @example
 * const perNode = derived.groupBy(podInformer, 'node', { oldest: derived.min((pod) => pod.status?.startTime) });
 */
export function min<T, V extends Sortable | undefined>(value: (object: T) => V): Aggregate<T, V> {
  return extreme('min', 'first', value);
}

/**
 * Returns the greatest value, `undefined` if no object has one; in the order of `min`.
 *
 * @param value returns a number, a bigint, a string, or `undefined` for nothing
 * @example
 * const perNode = derived.groupBy(podInformer, 'node', { newest: derived.max((pod) => pod.status?.startTime) });
 */
export function max<T, V extends Sortable | undefined>(value: (object: T) => V): Aggregate<T, V> {
  return extreme('max', 'last', value);
}

/** Options of `topK`. */
export interface TopKOptions {
  /** `descending` (default): the greatest values, greatest first. `ascending`: the smallest, smallest first. */
  readonly order?: 'ascending' | 'descending' | undefined;
}

interface Ranked<T> {
  readonly value: Sortable;
  readonly key: string;
  readonly object: T;
}

/**
 * Lists the objects with the greatest values, at most `k` of them, in the order of `min` reversed.
 * Where values are equal, the keys decide.
 *
 * A row that changes costs O(k).
 *
 * @param value returns a number, a bigint, a string, or `undefined` for an object that is not listed
 * @throws `RangeError` if `k` is not a positive integer
 * @example
 * const perNode = derived.groupBy(podInformer, 'node', { newest: derived.topK(3, (pod) => pod.status?.startTime) });
 */
export function topK<T>(
  k: number,
  value: (object: T) => Sortable | undefined,
  { order = 'descending' }: TopKOptions = {},
): Aggregate<T, readonly T[]> {
  if (!Number.isSafeInteger(k) || k < 1) throw new RangeError(`topK needs a positive integer, not ${k}`);
  const end = order === 'ascending' ? 'first' : 'last';
  const ranked = (state: SortedValues, get: (key: string) => T | undefined): Ranked<T>[] => {
    const found: Ranked<T>[] = [];
    state.forEachFrom(end, k, (each, key) => found.push({ value: each, key, object: get(key) as T }));
    return found;
  };
  return aggregate<T, readonly T[], SortedValues, readonly Ranked<T>[]>({
    empty: () => new SortedValues(),
    part: (object, key) => {
      const given = sortable(value(object), 'topK');
      return given === undefined ? [] : [{ value: given, key, object }];
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
    // The state knows the objects by their keys.
    keepsState: ([one], [other]) => one?.value === other?.value && one?.key === other?.key,
    shows: (state, key) => {
      let isShown = false;
      state.forEachFrom(end, k, (_value, each) => (isShown ||= each === key));
      return isShown;
    },
    result: (state, get, previous) => {
      const objects: T[] = [];
      state.forEachFrom(end, k, (_value, key) => objects.push(get(key) as T));
      return previous !== undefined && areSame(previous, objects) ? previous : Object.freeze(objects);
    },
  });
}

/** An aggregate under its name in the rows. */
export interface Field<T> {
  readonly name: string;
  readonly aggregate: Aggregate<T, unknown>;
  /** True if `add` calls a function of the user, which may throw. */
  readonly isCustom: boolean;
}

/** Returns the aggregates by name as a list; custom ones become aggregates. */
export function fieldsOf<T>(
  aggregates: Readonly<Record<string, Aggregate<T, unknown> | CustomAggregate<T, unknown>>>,
): readonly Field<T>[] {
  return Object.entries(aggregates).map(([name, given]) => {
    const isCustom = !('part' in given);
    return { name, aggregate: isCustom ? aggregateOf(given) : given, isCustom };
  });
}

/**
 * Returns the row of some states; the previous one, if all its values are equal.
 *
 * @param stale the positions of the values that may differ from the previous row. Default: all
 */
export function rowOf<T, R extends object>(
  fields: readonly Field<T>[],
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
    row[name] = value;
  });
  return isSame ? (previous as R) : (row as R);
}

/** Totals of a custom aggregate cannot be added to each other, so it is for `groupBy` only. */
function aggregateOf<T, S>(given: CustomAggregate<T, S>): Aggregate<T, S> {
  return aggregate<T, S, S, T>({
    empty: () => given.zero,
    part: (object) => object,
    include: (total, object) => given.add(total, object),
    exclude: (total, object) => given.remove(total, object),
    total: () => undefined as never,
    isSame: () => false,
    result: (total, _get, previous) => (previous === undefined ? total : shareStructure(previous, total)),
  });
}

/** What an aggregate is to its author: its states and parts have types. */
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

function aggregate<T, R, S, P>(given: TypedAggregate<T, R, S, P>): Aggregate<T, R> {
  return Object.freeze(given);
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

function sumOf(given: unknown, name: string): Sum {
  if (given === undefined) return emptySum;
  if (!Array.isArray(given)) return term(given, name);
  return (given as readonly unknown[]).reduce<Sum>((total, each) => addSums(total, term(each, name)), emptySum);
}

function term(given: unknown, name: string): Sum {
  if (typeof given === 'bigint') return { units: given, scale: 0, numbers: 0, bigints: 1 };
  if (typeof given !== 'number' || !Number.isFinite(given)) {
    throw new TypeError(`${name} needs a finite number or a bigint, not ${describe(given)}`);
  }
  const { units, scale } = decimalOf(given);
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

function textsOf(given: unknown): string | readonly string[] | undefined {
  const isText = Array.isArray(given)
    ? given.every((each) => typeof each === 'string')
    : given === undefined || typeof given === 'string';
  if (isText) return given as string | readonly string[] | undefined;
  throw new TypeError(`tally needs a string, an array of strings or undefined, not ${describe(given)}`);
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

/** Returns what a function returned, if it can be put in order; throws for anything else. */
export function sortable(given: unknown, name: string): Sortable | undefined {
  if (given === undefined || typeof given === 'string' || typeof given === 'bigint') return given;
  if (typeof given === 'number' && !Number.isNaN(given)) return given;
  throw new TypeError(`${name} needs a number, a bigint, a string or undefined, not ${describe(given)}`);
}

function isSameRank<T>(one: Ranked<T>, other: Ranked<T> | undefined): boolean {
  return one.object === other?.object && one.value === other.value && one.key === other.key;
}

function areSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((each, position) => each === other[position]);
}

function notPure(name: string): Error {
  return new TypeError(`the function of ${name} returned another value for the same object: it has to be pure`);
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array of something else';
  return typeof value === 'number' ? String(value) : `a value of type ${typeof value}`;
}
