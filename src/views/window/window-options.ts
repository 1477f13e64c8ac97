import { type LabelSelector, formatLabelSelector, matchesLabelSelector } from '../../kubernetes/selector.js';
import type { SortColumn } from './sort-order.js';
import type { KubernetesObject } from '../../kubernetes/object.js';

/** Which objects a window looks at, in what order, and which part of them it shows. */
export interface WindowOptions<T, I extends string = string> {
  /** Only the objects of one bucket: the name of an index, and a value. Default: all objects. If it changes, all rows are read again. */
  readonly index?: readonly [name: I, value: string] | undefined;
  /** Only objects with these labels. Default: all. Another one filters once more. */
  readonly selector?: LabelSelector | undefined;
  /**
   * Only objects that this says yes to, for what a user types. Default: all. It is asked once for each version of an object, so it must depend
   * on the object alone. Another function filters once more, and does not sort.
   */
  readonly where?: ((object: T) => boolean) | undefined;
  /** By which columns, the first one first. Default: by key, which is also what decides where all columns are equal. Others sort once more. */
  readonly sortBy?: readonly SortColumn<T>[] | undefined;
  /** How many rows to leave out at the beginning. Default 0. A whole number. Another one costs what the window costs. */
  readonly offset?: number | undefined;
  /** How many rows to show at most. Default `Infinity`, which costs O(n) whenever any of them changes. A whole number, or `Infinity`. */
  readonly limit?: number | undefined;
}

/** Options with nothing left open, in a form in which those that ask for the same can be told. */
export interface WindowSettings<T> {
  readonly index: readonly [name: string, value: string] | undefined;
  /** In its canonical form, '' for everything. */
  readonly selector: string;
  readonly where: ((object: T) => boolean) | undefined;
  readonly sortBy: readonly SortColumn<T>[];
  readonly offset: number;
  readonly limit: number;
}

/** Throws `RangeError` or `InvalidSelectorError` where the options make no sense. */
export function windowSettings<T, I extends string>(options: WindowOptions<T, I>): WindowSettings<T> {
  const { index, selector = '', where, sortBy = [], offset = 0, limit = Infinity } = options;
  if (!isCount(offset)) throw new RangeError(`offset must be a whole number and not negative, not ${offset}`);
  if (!isCount(limit) && limit !== Infinity) {
    throw new RangeError(`limit must be Infinity or a whole number and not negative, not ${limit}`);
  }
  return { index, selector: formatLabelSelector(selector), where, sortBy, offset, limit };
}

export function isSameIndex(a: WindowSettings<never>['index'], b: WindowSettings<never>['index']): boolean {
  return a?.[0] === b?.[0] && a?.[1] === b?.[1];
}

/** Selector and `where` as one predicate. */
export function filterOf<T>({ selector, where }: WindowSettings<T>): (object: T) => boolean {
  const isWanted = where ?? everything;
  if (selector === '') return isWanted;
  const matches = matchesLabelSelector(selector);
  return (object) => matches((object as KubernetesObject | undefined)?.metadata?.labels) && isWanted(object);
}

function everything(): boolean {
  return true;
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
