import { priorityQueue } from 'rx-informers/controller';
import type { OpenKeyQueue } from './key-queue.js';

export const workersOfPriorityQueue: OpenKeyQueue = ({ concurrency, run }) => {
  const queue = priorityQueue();
  const work = async (): Promise<void> => {
    for (let item = await queue.get(); item; item = await queue.get()) {
      await run(item.key);
      queue.forget(item.key);
      queue.done(item.key);
    }
  };
  for (let workers = 0; workers < concurrency; workers++) void work();
  return {
    add: (key, priority) => {
      queue.add(key, { priority });
    },
  };
};
