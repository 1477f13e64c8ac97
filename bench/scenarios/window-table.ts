import { isDeepStrictEqual } from 'node:util';
import { createIndexer } from 'rx-informers';
import {
  comparison,
  RECOMPUTED,
  tables,
  WINDOW,
  type Column,
  type OpenTable,
  type Pods,
  type Table,
  type TableName,
  type TableOptions,
} from '../contestants/tables/table.js';
import { keyOfPod } from '../fixtures/held-pods.js';
import type { BenchPod } from '../fixtures/pod.js';
import { hasText, tablePods, TYPED, type TablePods } from '../fixtures/table-pods.js';
import { microseconds } from '../measure/microseconds.js';
import { processorMilliseconds } from '../measure/processor-milliseconds.js';
import { settledHeap } from '../measure/settled-heap.js';
import type { Figures, Scale, Scenario } from '../scenario.js';

interface Size {
  readonly pods: number;
  readonly milliseconds: number;
}

const SIZES: Readonly<Record<Scale, Size>> = {
  full: { pods: 50_000, milliseconds: 400 },
  quick: { pods: 2000, milliseconds: 20 },
};

/** What the large table is compared with. */
const FEW_PODS = 1000;

/** Enough for the clock, where one of them takes microseconds. */
const UPDATES_PER_SAMPLE = 4;

const FLOOR = 'floor: the change is read';

const byPhase: Column = { value: ({ status }) => status.phase, direction: 'ascending' };
const newestFirst: Column = { value: ({ metadata }) => metadata.creationTimestamp, direction: 'descending' };
const byName: Column = {
  value: ({ metadata }) => metadata.name,
  direction: 'ascending',
  collator: new Intl.Collator('en', { numeric: true }),
};

const asked: TableOptions = {
  where: (pod) => hasText(pod, TYPED),
  sortBy: [byPhase, newestFirst],
  offset: 0,
  limit: 50,
};

export const windowTable: Scenario = {
  name: 'window-table',
  title: 'A table of 50,000 pods, of which 50 are shown',
  description: [
    '50,000 pods, sorted by phase, of which there are four, and then by when they were created; a filter by text lets about half of them through, and the',
    'first 50 of these are shown. One pod after the other is replaced by a newer version. Then the filter, the order and the part that is shown are changed.',
    'All tables follow the same `createIndexer`, whose commit is in every update; the floor subscribes to its changes and does nothing with them. `window$` is given',
    'its options as an Observable. The second contestant is what is written first: `list$()` is filtered, sorted and cut with each commit. The third is what',
    'is written by hand for one table: an array of what the filter lets through, kept sorted by binary search and `splice`. In the end each table must show',
    'what the others show. Medians; what is in milliseconds is processor time, with the collection of garbage. Parsing is not counted. Quick: 2,000 pods.',
  ].join(' '),
  contestants: [...Object.keys(tables), FLOOR],
  metrics: {
    moves: { title: 'one update that moves its row', unit: 'µs', better: 'lower' },
    stays: { title: 'one update that moves no row', unit: 'µs', better: 'lower' },
    hidden: { title: 'one update that the filter hides', unit: 'µs', better: 'lower' },
    movesAmongFew: { title: 'one update that moves its row, among 1,000', unit: 'µs', better: 'lower' },
    scroll: { title: 'the next 50 rows', unit: 'µs', better: 'lower' },
    type: { title: 'a letter typed into the filter', unit: 'ms', better: 'lower' },
    sort: { title: 'another order: by time', unit: 'ms', better: 'lower' },
    collate: { title: 'another order: by name, with numbers in it as numbers', unit: 'ms', better: 'lower' },
    first: { title: 'the first rows', unit: 'ms', better: 'lower' },
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
      factor: 1.5,
      reference: { contestant: RECOMPUTED, metric },
    })),
    { figure: { contestant: WINDOW, metric: 'heap' }, is: 'at most', factor: 300 },
  ],
  run: (name, { scale }) => (name === FLOOR ? floor(SIZES[scale]) : measure(name as TableName, SIZES[scale])),
};

async function measure(name: TableName, { pods: count, milliseconds }: Size): Promise<Figures> {
  const open = await tables[name]();
  const movesAmongFew = movesAmong(FEW_PODS, open, milliseconds);
  const changing = tablePods(count);
  const pods = indexed(changing.pods);

  const before = await settledHeap();
  const table = open(pods, asked);
  const heap = ((await settledHeap()) - before) / count;

  const figures = {
    ...updates(pods, changing, milliseconds),
    ...options(table, milliseconds),
    movesAmongFew,
    first: first(open, pods, milliseconds),
    heap,
  };
  checkRows(table, pods);
  return figures;
}

/** Options change nothing here, and it has no rows. */
async function floor({ pods: count, milliseconds }: Size): Promise<Figures> {
  const { changesRead } = await import('../contestants/tables/changes-read.js');
  const movesAmongFew = movesAmong(FEW_PODS, changesRead, milliseconds);
  const changing = tablePods(count);
  const pods = indexed(changing.pods);
  changesRead(pods, asked);
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
  const table = open(pods, asked);
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

/** How long it takes to show what is asked for after something else. */
function options(table: Table, milliseconds: number) {
  const show = (wanted: TableOptions): void => {
    table.show(wanted);
  };
  const after = (before: Partial<TableOptions>, next: () => Partial<TableOptions>) => (): TableOptions => {
    show({ ...asked, ...before });
    return { ...asked, ...next() };
  };
  let offset = 0;
  const nextPage = (): number => (offset = (offset + asked.limit) % table.shown().total);
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
  show(asked);
  return figures;
}

function first(open: OpenTable, pods: Pods, milliseconds: number): number {
  let table: Table | undefined;
  const time = processorMilliseconds(
    () => table?.close(),
    () => {
      table = open(pods, asked);
    },
    { milliseconds },
  );
  table?.close();
  return time;
}

function checkRows(table: Table, pods: Pods): void {
  const { where, sortBy, limit } = asked;
  const expected = pods.list().filter(where).sort(comparison(sortBy));
  const { rows, total } = table.shown();
  if (total !== expected.length || !isDeepStrictEqual(rows.map(keyOfPod), expected.slice(0, limit).map(keyOfPod))) {
    throw new Error(`${rows.length} of ${total} pods are shown, and they are not the first of ${expected.length}`);
  }
}
