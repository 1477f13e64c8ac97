import type { SortKey } from './sort-order.js';

/**
 * One object of a sorted window, with what it is sorted by, and its place in the tree of rows: the row is the node, so that leaving costs
 * no search.
 */
export interface Row<T> {
  readonly key: string;
  object: T;
  /** Computed when the object came in, and remembered: where a row stands never depends on what a getter says later. */
  sortKeys: readonly SortKey[];
  /** Whether the filter lets it through. */
  isShown: boolean;

  parent: Row<T> | undefined;
  left: Row<T> | undefined;
  right: Row<T> | undefined;
  /** How many rows there are from here down. */
  size: number;
  /** How many of them are shown. */
  shown: number;
}

export function aRow<T>(key: string, object: T, sortKeys: readonly SortKey[], isShown: boolean): Row<T> {
  return {
    key,
    object,
    sortKeys,
    isShown,
    parent: undefined,
    left: undefined,
    right: undefined,
    size: 1,
    shown: isShown ? 1 : 0,
  };
}
