import { isDeepStrictEqual } from 'node:util';
import { createIndexer } from 'rx-informers';
import {
  comparison,
  type Column,
  type OpenTable,
  type Pods,
  type Table,
  type TableOptions,
} from '../contestants/tables/table.js';
import { changesRead, RECOMPUTED, tables, WINDOW, type TableName } from '../contestants/tables/tables.js';
import type { BenchPod } from '../fixtures/pod.js';
import { keyOfPod } from '../fixtures/retained-pods.js';
import { hasText, tablePods, TYPED, type TablePods } from '../fixtures/table-pods.js';
import { settledHeap } from '../measure/memory.js';
import { microseconds, processorMilliseconds } from '../measure/times.js';
import type { Figures, Scale, Scenario } from '../model/scenario.js';

interface Size {
  readonly pods: number;
  readonly milliseconds: number;
}

const SIZES: Readonly<Record<Scale, Size>> = {
  full: { pods: 50_000, milliseconds: 400 },
  quick: { pods: 2000, milliseconds: 20 },
};

/** The size of the small table. The large table is compared with it. */
const FEW_PODS = 1000;

/**
 * The number of updates in a sample. It is large enough for the resolution of the clock if an
 * update takes microseconds.
 */
const UPDATES_PER_SAMPLE = 4;

const FLOOR = 'floor: the change is read';

const byPhase: Column = { value: ({ status }) => status.phase, direction: 'ascending' };
const newestFirst: Column = { value: ({ metadata }) => metadata.creationTimestamp, direction: 'descending' };
const byName: Column = {
  value: ({ metadata }) => metadata.name,
  direction: 'ascending',
  collator: new Intl.Collator('en', { numeric: true }),
};

const settings: TableOptions = {
  where: (pod) => hasText(pod, TYPED),
  sortBy: [byPhase, newestFirst],
  offset: 0,
  limit: 50,
};

export const windowTable: Scenario = {
  name: 'window-table',
  title: 'A table of 50,000 pods, of which 50 are shown',
  description: [
    '50,000 pods are sorted by phase, of which there are four, and then by creation time. A text filter passes about',
    'half of them, and the first 50 of these are shown. One pod after the other is replaced by a newer version. Then',
    'the filter, the order and the visible part are changed. All tables follow the same `createIndexer`, whose commit',
    'is part of every update; the floor subscribes to its changes and does nothing with them. `window$` receives its',
    'options as an Observable. The second contestant is the simplest code: `list$()` is filtered, sorted and cut with',
    'each commit. The third one is written by hand for one table: an array of the filtered rows, kept sorted by',
    'binary search and `splice`. In the end, all tables must show the same rows. At first, `window$` sorts only the',
    'visible rows, and then the others in slices while the event loop is free. So the time of the first rows, and',
    'that of a new order, ends when the rows are shown; `settled` is the time of the first rows with all sorting',
    'after them. For updates, scrolling and typing, all rows are already sorted. Figures are medians. Those in',
    'milliseconds are processor time, including garbage collection. Parsing is not counted.',
  ].join(' '),
  contestants: [...Object.keys(tables), FLOOR],
  metrics: {
    moves: { title: 'one update that moves its row', unit: 'µs', better: 'lower' },
    stays: { title: 'one update that moves no row', unit: 'µs', better: 'lower' },
    hidden: { title: 'one update that the filter hides', unit: 'µs', better: 'lower' },
    movesAmongFew: { title: 'one update that moves its row, among 1,000', unit: 'µs', better: 'lower' },
    scroll: { title: 'scrolling by 50 rows', unit: 'µs', better: 'lower' },
    type: { title: 'a letter typed into the filter', unit: 'ms', better: 'lower' },
    sort: { title: 'another order: by time', unit: 'ms', better: 'lower' },
    collate: { title: 'another order: by name, with numbers ordered as numbers', unit: 'ms', better: 'lower' },
    first: { title: 'the first rows', unit: 'ms', better: 'lower' },
    settled: { title: 'the first rows, and sorting all others', unit: 'ms', better: 'lower' },
    heap: { title: 'heap per pod, besides the cache', unit: 'bytes', better: 'lower' },
  },
  targets: [
    ...['moves', 'stays', 'hidden', 'scroll'].map((metric) => ({
      figure: { contestant: WINDOW, metric },
      is: 'at most' as const,
      factor: 0.01,
      reference: { contestant: RECOMPUTED, metric },
    })),
    {
      figure: { contestant: WINDOW, metric: 'moves' },
      is: 'at most',
      factor: 4,
      reference: { contestant: WINDOW, metric: 'movesAmongFew' },
    },
    {
      figure: { contestant: WINDOW, metric: 'type' },
      is: 'at most',
      factor: 0.5,
      reference: { contestant: RECOMPUTED, metric: 'type' },
    },
    ...['sort', 'collate', 'first'].map((metric) => ({
      figure: { contestant: WINDOW, metric },
      is: 'at most' as const,
      factor: 1,
      reference: { contestant: RECOMPUTED, metric },
    })),
    { figure: { contestant: WINDOW, metric: 'heap' }, is: 'at most', factor: 300 },
  ],
  run: (name, { scale }) =>
    name === FLOOR ? Promise.resolve(floor(SIZES[scale])) : measure(name as TableName, SIZES[scale]),
};

async function measure(name: TableName, { pods: count, milliseconds }: Size): Promise<Figures> {
  const open = await tables[name]();
  const openSettled: OpenTable = (objects, wanted) => {
    const opened = open(objects, wanted);
    opened.settle?.();
    return opened;
  };
  const movesAmongFew = movesAmong(FEW_PODS, open, milliseconds);
  const changing = tablePods(count);
  const pods = indexed(changing.pods);

  const before = await settledHeap();
  const table = open(pods, settings);
  table.settle?.();
  const heap = ((await settledHeap()) - before) / count;

  const figures = {
    ...updates(pods, changing, milliseconds),
    ...options(table, milliseconds),
    movesAmongFew,
    first: first(open, pods, milliseconds),
    settled: first(openSettled, pods, milliseconds),
    heap,
  };
  checkRows(table, pods);
  return figures;
}

/** Measures the table without rows, which ignores its options. No table can need less time. */
function floor({ pods: count, milliseconds }: Size): Figures {
  const movesAmongFew = movesAmong(FEW_PODS, changesRead, milliseconds);
  const changing = tablePods(count);
  const pods = indexed(changing.pods);
  changesRead(pods, settings);
  return { ...updates(pods, changing, milliseconds), movesAmongFew };
}

function indexed(pods: readonly BenchPod[]): Pods {
  const indexer = createIndexer(keyOfPod);
  indexer.replace(pods);
  return indexer;
}

function movesAmong(count: number, open: OpenTable, milliseconds: number): number {
  const changing = tablePods(count);
  const pods = indexed(changing.pods);
  const table = open(pods, settings);
  table.settle?.();
  const moves = oneUpdate(pods, changing.moving, milliseconds);
  table.close();
  return moves;
}

function updates(pods: Pods, { moving, staying, hidden }: TablePods, milliseconds: number) {
  return {
    moves: oneUpdate(pods, moving, milliseconds),
    stays: oneUpdate(pods, staying, milliseconds),
    hidden: oneUpdate(pods, hidden, milliseconds),
  };
}

function oneUpdate(pods: Pods, next: () => BenchPod, milliseconds: number): number {
  return microseconds(
    next,
    (pod) => {
      pods.update(pod);
    },
    { milliseconds, operationsPerSample: UPDATES_PER_SAMPLE },
  );
}

/** Measures the time until a table shows its rows for new options. */
function options(table: Table, milliseconds: number) {
  const show = (wanted: TableOptions): void => {
    table.show(wanted);
  };
  const after = (before: Partial<TableOptions>, next: () => Partial<TableOptions>) => (): TableOptions => {
    show({ ...settings, ...before });
    table.settle?.();
    return { ...settings, ...next() };
  };
  let offset = 0;
  const nextPage = (): number => (offset = (offset + settings.limit) % table.shown().total);
  const figures = {
    scroll: microseconds(
      after({}, () => ({ offset: nextPage() })),
      show,
      { milliseconds },
    ),
    type: processorMilliseconds(
      after({ where: () => true }, () => ({})),
      show,
      { milliseconds },
    ),
    sort: processorMilliseconds(
      after({}, () => ({ sortBy: [newestFirst] })),
      show,
      { milliseconds },
    ),
    collate: processorMilliseconds(
      after({}, () => ({ sortBy: [byName] })),
      show,
      { milliseconds },
    ),
  };
  show(settings);
  table.settle?.();
  return figures;
}

function first(open: OpenTable, pods: Pods, milliseconds: number): number {
  let table: Table | undefined;
  const time = processorMilliseconds(
    () => table?.close(),
    () => {
      table = open(pods, settings);
    },
    { milliseconds },
  );
  table?.close();
  return time;
}

function checkRows(table: Table, pods: Pods): void {
  const { where, sortBy, limit } = settings;
  const expected = pods.list().filter(where).sort(comparison(sortBy));
  const { rows, total } = table.shown();
  if (total !== expected.length || !isDeepStrictEqual(rows.map(keyOfPod), expected.slice(0, limit).map(keyOfPod))) {
    throw new Error(`${rows.length} of ${total} pods are shown, and they are not the first of ${expected.length}`);
  }
}
