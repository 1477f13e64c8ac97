import type { OpenTable } from './table.js';

/**
 * Functions that load a table. A table is loaded only when it is measured, so the process contains
 * no other table.
 */
export const tables = {
  'rx-informers, window$': async () => (await import('./window-table.js')).windowTable,
  'list, filter, sort, slice': async () => (await import('./recomputed-table.js')).recomputedTable,
  'sorted array, by hand': async () => (await import('./sorted-array-table.js')).sortedArrayTable,
} as const satisfies Readonly<Record<string, () => Promise<OpenTable>>>;

export type TableName = keyof typeof tables;

export const WINDOW = 'rx-informers, window$' satisfies TableName;
export const RECOMPUTED = 'list, filter, sort, slice' satisfies TableName;

/**
 * The minimum work: it only counts the changes, which every contestant that subscribes to changes
 * must receive.
 */
export const changesRead: OpenTable = (pods) => {
  let read = 0;
  const subscription = pods.changes$.subscribe(({ changes }) => (read += changes.length));
  return {
    shown: () => ({ rows: [], total: read }),
    show: () => undefined,
    close: () => {
      subscription.unsubscribe();
    },
  };
};
