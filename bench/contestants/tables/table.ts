import type { Indexer } from 'rx-informers';
import type { BenchPod } from '../../fixtures/pod.js';
import { keyOfPod } from '../../fixtures/retained-pods.js';

export type Pods = Indexer<BenchPod>;

/** A column of a table: the value by which pods are sorted, and the direction. */
export interface Column {
  readonly value: (pod: BenchPod) => string;
  readonly direction: 'ascending' | 'descending';
  readonly collator?: Intl.Collator;
}

/**
 * The options that a user chooses in a table. A table compares `where` and `sortBy` by identity: a
 * new filter is a new function, and a new order is a new array.
 */
export interface TableOptions {
  readonly where: (pod: BenchPod) => boolean;
  readonly sortBy: readonly Column[];
  readonly offset: number;
  readonly limit: number;
}

/** The visible rows. */
export interface Shown {
  readonly rows: readonly BenchPod[];
  readonly total: number;
}

/** A table that follows its pods until it is closed. */
export interface Table {
  readonly shown: () => Shown;
  /** Applies new options. The rows are up to date when the call returns. */
  readonly show: (options: TableOptions) => void;
  /** Runs deferred work immediately, if there is any. */
  readonly settle?: () => void;
  readonly close: () => void;
}

/** Opens a table. The table shows the current rows before the call returns. */
export type OpenTable = (pods: Pods, options: TableOptions) => Table;

/**
 * Returns a function that compares two pods by the columns. If all columns are equal, it compares
 * the keys.
 */
export function comparison(columns: readonly Column[]): (a: BenchPod, b: BenchPod) => number {
  return (a, b) => {
    for (const { value, direction, collator } of columns) {
      const difference = collator ? collator.compare(value(a), value(b)) : byCodeUnits(value(a), value(b));
      if (difference !== 0) return direction === 'descending' ? -difference : difference;
    }
    return byCodeUnits(keyOfPod(a), keyOfPod(b));
  };
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
