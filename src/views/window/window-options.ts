import { invalidOptionError } from '../../kubernetes/errors.js';
import type { KubernetesObject } from '../../kubernetes/object.js';
import { type LabelSelector, formatLabelSelector, matchesLabelSelector } from '../../kubernetes/selector.js';
import { checkedChoice } from '../../sources/model/checked-options.js';
import type { SortColumn } from './sort-order.js';

/** The objects of a window, their order, and the part that is shown. */
export interface WindowOptions<T, I extends string = string> {
  /**
   * Shows only the objects of one bucket: the name of an index, and a value. Default: all objects.
   * If the bucket changes, all rows are read again.
   */
  readonly index?: readonly [name: I, value: string] | undefined;
  /** Only objects with these labels. Default: all. A new selector filters all again. */
  readonly selector?: LabelSelector | undefined;
  /**
   * Shows only objects for which the function returns true, for example for text that a user types.
   * Default: all objects. The function is called once for each version of an object, so it must
   * depend on the object alone. Passing another function filters again, but does not sort.
   */
  readonly where?: ((object: T) => boolean) | undefined;
  /**
   * The columns to sort by, the most important column first. Default: none. Rows that are equal in
   * all columns are sorted by key. New columns sort all rows again: the rows up to the end of the
   * window at once, the other rows later in slices.
   */
  readonly sortBy?: readonly SortColumn<T>[] | undefined;
  /** Rows to skip, a whole number. Default 0. A new offset costs O(log n + w) for w rows. */
  readonly offset?: number | undefined;
  /** Rows to show, a whole number. Default `Infinity`: O(n) whenever one of the rows changes. */
  readonly limit?: number | undefined;
}

/** Normalized options, comparable for equality. */
export interface WindowSettings<T> {
  readonly index: readonly [name: string, value: string] | undefined;
  /** The selector in its canonical form; `''` selects everything. */
  readonly selector: string;
  readonly where: ((object: T) => boolean) | undefined;
  readonly sortBy: readonly SortColumn<T>[];
  readonly offset: number;
  readonly limit: number;
}

/** Normalizes. Throws `RXI_INVALID_OPTION` or `RXI_INVALID_SELECTOR` for invalid options. */
export function windowSettings<T, I extends string>(options: WindowOptions<T, I>): WindowSettings<T> {
  const { index, selector = '', where, sortBy = [], offset = 0, limit = Infinity } = options;
  if (!isCount(offset)) throw invalidOptionError('offset', offset, 'a whole number of at least 0');
  if (!isCount(limit) && limit !== Infinity) {
    throw invalidOptionError('limit', limit, 'a whole number of at least 0, or Infinity');
  }
  for (const { direction = 'ascending' } of sortBy) checkedChoice('direction', direction, 'ascending', 'descending');
  return { index, selector: formatLabelSelector(selector), where, sortBy, offset, limit };
}

export function isSameIndex(a: WindowSettings<never>['index'], b: WindowSettings<never>['index']): boolean {
  return a?.[0] === b?.[0] && a?.[1] === b?.[1];
}

/** Returns selector and `where` as one predicate. */
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
