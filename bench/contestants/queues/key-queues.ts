import type { OpenKeyQueue } from './key-queue.js';

/**
 * Functions that load a queue. A queue is loaded only when it is measured, so the process contains
 * no other queue.
 */
export type KeyQueues = Readonly<Record<string, () => Promise<OpenKeyQueue>>>;

/** The queue of this library as an operator and without runs, and other queues of keys. */
export const keyQueues = {
  'rx-informers, workqueue': async () => (await import('./rx-informers.js')).workqueueOperator,
  'rx-informers, priorityQueue': async () => (await import('./rx-informers.js')).workersOfPriorityQueue,
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
