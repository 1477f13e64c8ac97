/** Facts that are counted as they happen. */
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

/** Facts of which the distribution matters; durations are in seconds. */
export type RecordedFact =
  | 'queueDuration'
  | 'workDuration'
  | 'reconcileDuration'
  | 'listDuration'
  | 'listItems'
  | 'watchDuration'
  | 'watchItems'
  | 'announcementDuration';

/** Facts that are read when somebody collects; `informerErrors` only grow. */
export type ReadFact =
  | 'queueDepth'
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

export type Fact = CountedFact | RecordedFact | ReadFact;

/**
 * What a figure belongs to.
 *
 * | label | of | values |
 * | --- | --- | --- |
 * | `name` | every fact | what was given to `Metrics` |
 * | `result` | `reconciles` | `success` `requeue_after` `skipped` `error` `aborted` |
 * | `error` | `relists` `informerErrors` | the class of an error, `''` where there was none |
 * | `code` | `relists` `informerErrors` | its HTTP status, `''` where it has none |
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

/** Where facts are recorded: the part of an adapter that differs from adapter to adapter. */
export interface Instruments {
  /** Adds to a counter; adding 0 makes it exist. */
  count(fact: CountedFact, value: number, labels: Labels): void;
  record(fact: RecordedFact, value: number, labels: Labels): void;
  /** Has `samples` called at each collection; what it does not give any more is not reported any more. */
  read(fact: ReadFact, samples: () => readonly Sample[]): void;
}
