/** Takes keys, and has each of them run. */
export interface KeyQueue {
  /** Asks for a run of `key`; those who know priorities let a higher one go first (default 0). */
  readonly add: (key: string, priority?: number) => void;
}

export interface KeyQueueOptions {
  /** How many runs may be under way at once. */
  readonly concurrency: number;
  readonly run: (key: string) => Promise<void>;
}

export type OpenKeyQueue = (options: KeyQueueOptions) => KeyQueue;

/** Loads a queue when it is its turn: a process has in memory what it measures, and nothing else. */
export type KeyQueues = Readonly<Record<string, () => Promise<OpenKeyQueue>>>;

/** This library in both of its forms, and what else would be taken for a queue of keys. */
export const keyQueues = {
  'rx-informers, workqueue': async () => (await import('./workqueue-operator.js')).workqueueOperator,
  'rx-informers, priorityQueue': async () => (await import('./priority-queue.js')).workersOfPriorityQueue,
  'mergeMap + Set': async () => (await import('./merge-map.js')).mergeMapWithSet,
  'p-queue + Set': async () => (await import('./p-queue.js')).pQueueWithSet,
} as const satisfies KeyQueues;

export const OPERATOR = 'rx-informers, workqueue' satisfies keyof typeof keyQueues;
export const QUEUE = 'rx-informers, priorityQueue' satisfies keyof typeof keyQueues;
export const MERGE_MAP = 'mergeMap + Set' satisfies keyof typeof keyQueues;

export async function loadKeyQueue(queues: KeyQueues, contestant: string): Promise<OpenKeyQueue> {
  const load = queues[contestant];
  if (load === undefined) throw new Error(`there is no queue ${contestant}`);
  return load();
}
