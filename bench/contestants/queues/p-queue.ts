import PQueue from 'p-queue';
import type { OpenKeyQueue } from './key-queue.js';

/**
 * A queue based on p-queue, which queues functions, not keys. The Set prevents a waiting key from
 * being added again.
 *
 * A key may run twice at once, and keeps the priority of its first addition.
 */
export const pQueueWithSet: OpenKeyQueue = ({ concurrency, run }) => {
  const queue = new PQueue({ concurrency });
  const waiting = new Set<string>();
  return {
    add: (key, priority = 0) => {
      if (waiting.has(key)) return;
      waiting.add(key);
      const start = (): Promise<void> => {
        waiting.delete(key);
        return run(key);
      };
      void queue.add(start, { priority });
    },
  };
};
