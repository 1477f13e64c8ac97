import type { OpenKeyQueue } from './key-queue.js';

/** The smallest possible queue of keys: an array of waiting keys, and a Set to find them. */
export const arrayAndSet: OpenKeyQueue = ({ concurrency, run }) => {
  const keys: string[] = [];
  const waiting = new Set<string>();
  let next = 0;
  let workers = 0;
  const work = async (): Promise<void> => {
    workers++;
    for (let key = keys[next++]; key !== undefined; key = keys[next++]) {
      waiting.delete(key);
      await run(key);
    }
    next = keys.length;
    workers--;
  };
  return {
    add: (key) => {
      if (waiting.has(key)) return;
      waiting.add(key);
      keys.push(key);
      if (workers < concurrency) void work();
    },
  };
};
