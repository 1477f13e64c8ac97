import Table from 'cli-table3';
import { enableMapSet, produce, setAutoFreeze } from 'immer';
import { createIndexer } from '../src/informer/indexer.js';
import type { KeyedObject } from '../src/store/delta.js';
import { emptySnapshot } from '../src/store/indexed-snapshot.js';
import { reduce } from '../src/store/reduce.js';
import { benchPod, type BenchPod } from './fixtures/pod.js';
import { measure } from './measure.js';

const keyOf = ({ metadata }: BenchPod): string => `${metadata.namespace}/${metadata.name}`;

const indexers = {
  node: (pod: BenchPod) => pod.spec.nodeName,
  app: (pod: BenchPod) => pod.metadata.labels.app,
  namespace: (pod: BenchPod) => pod.metadata.namespace,
};

/** What production has: nothing is frozen. Unchanged parts are shared with the version before. */
const options = { freeze: false, shareStructure: true } as const;

/** How many different pods are updated in turn: too many for the processor's cache to hold what an update touches. */
const UPDATED_PODS = 2000;

/** Everything is run once at this size and thrown away, so that the first figure is not that of the compiler. */
const WARM_UP_SIZE = 500;

const DELIVERED = 'createIndexer: and delivered to byIndex$';

/** A median in microseconds, and of what. */
type Figure = readonly [name: string, median: number];

/** A new version of one pod after the other, parsed, as it comes from the wire: another resourceVersion, and a probe that was run again. */
function updatesOf(count: number): () => KeyedObject<BenchPod> {
  const texts = Array.from({ length: Math.min(count, UPDATED_PODS) }, (_, position) =>
    JSON.stringify(benchPod((position * 7919) % count)),
  );
  let revision = 0;
  return () => {
    revision++;
    const object = JSON.parse(texts[revision % texts.length] as string) as BenchPod;
    object.metadata.resourceVersion = `update-${revision}`;
    for (const condition of object.status.conditions) condition.lastTransitionTime = `second ${revision}`;
    return { key: keyOf(object), object };
  };
}

function measureStore(items: readonly KeyedObject<BenchPod>[], milliseconds: number): readonly Figure[] {
  const nextUpdate = updatesOf(items.length);
  const list = [{ type: 'ReplacedAll', items, resourceVersion: '1' }] as const;
  let { snapshot } = reduce(emptySnapshot(indexers), list, options);
  const commit = ({ key, object }: KeyedObject<BenchPod>): void => {
    ({ snapshot } = reduce(snapshot, [{ type: 'Updated', key, object }], options));
  };
  const committed = measure(nextUpdate, commit, { milliseconds, operationsPerSample: 4 });
  const read = measure(
    nextUpdate,
    (update) => {
      commit(update);
      snapshot.byIndex('node', update.object.spec.nodeName);
    },
    { milliseconds, operationsPerSample: 4 },
  );
  return [
    ['reduce: committed to three indexes', committed],
    ['reduce: and its bucket read', read],
  ];
}

/** The subscriber watches the node of every update: each one is delivered, none is somebody else's. */
function measureDelivery(items: readonly KeyedObject<BenchPod>[], milliseconds: number): Figure {
  const indexer = createIndexer<BenchPod, keyof typeof indexers>(keyOf, indexers, options);
  indexer.replace(items.map(({ object }) => object));
  let delivered = 0;
  const subscriptions = indexer
    .indexValues('node')
    .map((node) => indexer.byIndex$('node', node).subscribe(() => delivered++));
  const before = delivered;
  let sent = 0;
  const median = measure(
    updatesOf(items.length),
    ({ object }) => {
      sent++;
      indexer.update(object);
    },
    { milliseconds, operationsPerSample: 4 },
  );
  if (delivered - before !== sent) throw new Error(`${sent} updates were sent, ${delivered - before} were delivered`);
  for (const subscription of subscriptions) subscription.unsubscribe();
  return [DELIVERED, median];
}

/** Without indexes, buckets or subscribers: what is left is the cost of one new immutable version. */
function measureImmer(items: readonly KeyedObject<BenchPod>[], milliseconds: number): Figure {
  let state: ReadonlyMap<string, BenchPod> = new Map(items.map(({ key, object }) => [key, object]));
  const median = measure(
    updatesOf(items.length),
    ({ key, object }) => {
      state = produce(state, (draft) => {
        draft.set(key, object);
      });
    },
    { milliseconds },
  );
  return ['immer: produce on a Map, no index', median];
}

function measureMapCopy(items: readonly KeyedObject<BenchPod>[], milliseconds: number): Figure {
  let state: ReadonlyMap<string, BenchPod> = new Map(items.map(({ key, object }) => [key, object]));
  const median = measure(
    updatesOf(items.length),
    ({ key, object }) => {
      state = new Map(state).set(key, object);
    },
    { milliseconds },
  );
  return ['new Map(previous), no index', median];
}

function ratioTo(delivered: number, median: number): string {
  const [digits, decimals] = [median < 100 ? 1 : 0, median < delivered * 10 ? 1 : 0];
  const microseconds = median.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${microseconds} (×${(median / delivered).toFixed(decimals)})`;
}

function figuresOf(size: number, milliseconds: number): ReadonlyMap<string, number> {
  const items = Array.from({ length: size }, (_, number) => {
    const object = benchPod(number);
    return { key: keyOf(object), object };
  });
  return new Map([
    ...measureStore(items, milliseconds),
    measureDelivery(items, milliseconds),
    measureImmer(items, milliseconds),
    measureMapCopy(items, milliseconds),
  ]);
}

/**
 * One update in a store of 4–5 KB pods with three indexes, in microseconds, beside what people write by hand.
 *
 * The rivals are given everything: no index, no bucket to read, no subscriber, and immer's freezing turned off.
 */
export function benchStoreUpdate({
  sizes,
  milliseconds,
}: {
  readonly sizes: readonly number[];
  readonly milliseconds: number;
}): string {
  enableMapSet();
  setAutoFreeze(false);
  figuresOf(WARM_UP_SIZE, milliseconds);
  const columns = sizes.map((size) => figuresOf(size, milliseconds));
  const table = new Table({
    head: [
      'one update, median µs (× the delivered one)',
      ...sizes.map((size) => `${size.toLocaleString('en')} objects`),
    ],
    colAligns: ['left', ...sizes.map(() => 'right' as const)],
    style: { head: [], border: [] },
  });
  for (const [name] of columns[0]?.entries() ?? []) {
    const cells = columns.map((figures) => ratioTo(figures.get(DELIVERED) as number, figures.get(name) as number));
    table.push([name, ...cells]);
  }
  const bytes = JSON.stringify(benchPod(0)).length;
  return `Three indexes (node, app, namespace), pods of ${bytes.toLocaleString('en')} bytes, nothing frozen.\n${table.toString()}`;
}
