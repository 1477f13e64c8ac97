import type { Indexer } from 'rx-informers';
import { keyOfPod } from '../../fixtures/held-pods.js';
import type { BenchPod } from '../../fixtures/pod.js';

export type Pods = Indexer<BenchPod>;

/** A column of a table: what a pod is sorted by, and how. */
export interface Column {
  readonly value: (pod: BenchPod) => string;
  readonly direction: 'ascending' | 'descending';
  readonly collator?: Intl.Collator;
}

/** What a user asks of a table. Another filter or order is another function or array. */
export interface TableOptions {
  readonly where: (pod: BenchPod) => boolean;
  readonly sortBy: readonly Column[];
  readonly offset: number;
  readonly limit: number;
}

/** What it shows. */
export interface Shown {
  readonly rows: readonly BenchPod[];
  readonly total: number;
}

/** A table that follows its pods until it is closed. */
export interface Table {
  readonly shown: () => Shown;
  /** Shows what is asked for now; it is there when this returns. */
  readonly show: (options: TableOptions) => void;
  readonly close: () => void;
}

/** Shows what there is before it returns. */
export type OpenTable = (pods: Pods, options: TableOptions) => Table;

/** Loads a table when it is its turn: a process has in memory what it measures, and nothing else. */
export const tables = {
  'rx-informers, window$': async () => (await import('./window-table.js')).windowTable,
  'list, filter, sort, slice': async () => (await import('./recomputed-table.js')).recomputedTable,
  'sorted array, by hand': async () => (await import('./sorted-array-table.js')).sortedArrayTable,
} as const satisfies Readonly<Record<string, () => Promise<OpenTable>>>;

export type TableName = keyof typeof tables;

export const WINDOW = 'rx-informers, window$' satisfies TableName;
export const RECOMPUTED = 'list, filter, sort, slice' satisfies TableName;

/** By the columns, and where those are equal by key. */
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
