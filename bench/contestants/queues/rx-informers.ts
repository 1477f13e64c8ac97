import { priorityQueue, workqueue, type KeyRequest } from 'rx-informers/controller';
import { Subject } from 'rxjs';
import type { OpenKeyQueue } from './key-queue.js';

export const workqueueOperator: OpenKeyQueue = ({ concurrency, run }) => {
  const additions = new Subject<KeyRequest>();
  additions.pipe(workqueue(run, { concurrency })).subscribe();
  return {
    add: (key, priority) => {
      additions.next({ key, priority });
    },
  };
};

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
