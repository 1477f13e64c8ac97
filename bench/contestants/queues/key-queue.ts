/** Accepts keys, and runs each of them. */
export interface KeyQueue {
  /**
   * Requests a run of `key`. A queue with priorities runs keys with a higher priority first
   * (default priority 0).
   */
  readonly add: (key: string, priority?: number) => void;
}

export interface KeyQueueOptions {
  /** The maximum number of concurrent runs. */
  readonly concurrency: number;
  readonly run: (key: string) => Promise<void>;
}

export type OpenKeyQueue = (options: KeyQueueOptions) => KeyQueue;

/**
 * Functions that load a queue. A queue is loaded only when it is measured, so the process contains
 * no other queue.
 */
export type KeyQueues = Readonly<Record<string, () => Promise<OpenKeyQueue>>>;

/** The queues of this library in both forms, and other queues of keys. */
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
