/** The metrics that are counters, increased when something happens. */
export type CountedFact =
  | 'queueAdds'
  | 'queueRetries'
  | 'reconciles'
  | 'reconcileErrors'
  | 'terminalErrors'
  | 'slowPaths'
  | 'shardRenewalFailures'
  | 'lists'
  | 'relists'
  | 'watches'
  | 'shortWatches';

/** The metrics that are histograms. Durations are in seconds. */
export type RecordedFact =
  | 'queueDuration'
  | 'workDuration'
  | 'reconcileDuration'
  | 'observeDuration'
  | 'listDuration'
  | 'listItems'
  | 'watchDuration'
  | 'watchItems'
  | 'announcementDuration'
  | 'announcementDelay';

/** The metrics that are read at collection: gauges, and the counter `informerErrors`. */
export type ReadFact =
  | 'queueDepth'
  | 'heldKeys'
  | 'unfinishedWork'
  | 'longestRunning'
  | 'maxConcurrentReconciles'
  | 'activeWorkers'
  | 'isLeader'
  | 'shardMembers'
  | 'shardSlots'
  | 'lastResourceVersion'
  | 'cacheObjects'
  | 'staleness'
  | 'isSynced'
  | 'informerStatus'
  | 'informerErrors';

/** A measured value. Each adapter defines the name of its metric. */
export type Fact = CountedFact | RecordedFact | ReadFact;

/**
 * The labels of a value.
 *
 * | label | of | values |
 * | --- | --- | --- |
 * | `name` | every metric | the name that was passed to `Metrics` |
 * | `result` | `reconciles` | `success` `requeue_after` `skipped` `error` `aborted` |
 * | `error` | `relists` `informerErrors` | the class of the error, `''` if there was none |
 * | `code` | `relists` `informerErrors` | the HTTP status of the error, `''` if it has none |
 * | `state` | `informerStatus` | the states of `SourceStatus` |
 */
export interface Labels {
  readonly name: string;
  readonly result?: string;
  readonly error?: string;
  readonly code?: string;
  readonly state?: string;
}

/** One value at the moment of collection. */
export interface Sample {
  readonly value: number;
  readonly labels: Labels;
}

/** Records values: the part that differs between adapters. */
export interface Instruments {
  /** Adds to a counter. Adding 0 creates the counter. */
  count(fact: CountedFact, value: number, labels: Labels): void;
  record(fact: RecordedFact, value: number, labels: Labels): void;
  /** Calls `samples` at each collection, and reports only what it returns. */
  read(fact: ReadFact, samples: () => readonly Sample[]): void;
}

/** Powers of ten, as in controller-runtime. The smallest stay empty: the clock counts ms. */
const ofQueue = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10, 100, 1_000];

/** The buckets of controller-runtime for reconciles. */
const ofReconcile = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

/** The buckets for lists, and for writes until the caches show them. */
const ofWaits = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** Seconds: a frame takes 0.016; a subscriber is slow above 0.05. The clock counts ms. */
const ofAnnouncements = [0.001, 0.002, 0.005, 0.01, 0.016, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

const ofItems = [0, 1, 10, 100, 1_000, 10_000, 100_000, 1_000_000];

/** Inclusive upper bounds. client-go has summaries; histograms can be added up over replicas. */
export const buckets: Readonly<Record<RecordedFact, readonly number[]>> = {
  queueDuration: ofQueue,
  workDuration: ofQueue,
  reconcileDuration: ofReconcile,
  observeDuration: ofWaits,
  listDuration: ofWaits,
  listItems: ofItems,
  // By default, the server ends a watch after 5 to 10 minutes.
  watchDuration: [1, 5, 15, 30, 60, 120, 300, 450, 600, 1_200],
  watchItems: ofItems,
  announcementDuration: ofAnnouncements,
  announcementDelay: ofAnnouncements,
};

/** Returns a record with the same keys, and the results of `project` as values. */
export function mapFacts<Fact extends string, From, To>(
  facts: Readonly<Record<Fact, From>>,
  project: (from: From, fact: Fact) => To,
): Readonly<Record<Fact, To>> {
  const result: Partial<Record<Fact, To>> = {};
  for (const fact in facts) result[fact] = project(facts[fact], fact);
  return result as Record<Fact, To>;
}

/** Returns the labels under the names of an adapter; `''` for a label without a value. */
export function labelsOf(names: Readonly<Record<string, keyof Labels>>, labels: Labels): Record<string, string> {
  return Object.fromEntries(Object.entries(names).map(([name, source]) => [name, labels[source] ?? '']));
}

/** Stores one value for each name. The value is created when the name is first used. */
export class ByName<Kept> {
  readonly #kept = new Map<string, Kept>();

  constructor(private readonly create: (name: string) => Kept) {}

  of(name: string): Kept {
    const known = this.#kept.get(name);
    if (known !== undefined) return known;
    const created = this.create(name);
    this.#kept.set(name, created);
    return created;
  }

  forget(name: string): void {
    this.#kept.delete(name);
  }

  map<Result>(project: (kept: Kept, name: string) => Result): readonly Result[] {
    return Array.from(this.#kept, ([name, kept]) => project(kept, name));
  }
}

/**
 * Returns the sum of the numbers that `project` returns for the items.
 *
 * @param items the items
 * @param project returns the number of an item
 * @returns 0 without items
 */
export function sum<Item>(items: Iterable<Item>, project: (item: Item) => number): number {
  let total = 0;
  for (const item of items) total += project(item);
  return total;
}

/** Returns the greatest value that `project` returns for an item, at least 0. */
export function greatest<Item>(items: Iterable<Item>, project: (item: Item) => number): number {
  let found = 0;
  for (const item of items) found = Math.max(found, project(item));
  return found;
}

export function inSeconds(milliseconds: number): number {
  return milliseconds / 1_000;
}

/** Returns an error's class, and its HTTP status if there is one: few distinct values. */
export function classOf(error: Error): { readonly error: string; readonly code: string } {
  const { statusCode } = error as { readonly statusCode?: unknown };
  return { error: error.name, code: typeof statusCode === 'number' ? String(statusCode) : '' };
}
