import PQueue from 'p-queue';
import type { OpenKeyQueue } from './key-queue.js';

/**
 * p-queue knows functions, not keys; the Set keeps a key that waits already from being added again.
 *
 * A key may run twice at once, and keeps the priority that it was added with first.
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
