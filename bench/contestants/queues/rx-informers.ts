import { workqueue, type KeyRequest } from 'rx-informers/controller';
import { Subject } from 'rxjs';
import { PriorityQueue } from '../../../src/controller/queue/priority-queue.js';
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
  const queue = new PriorityQueue();
  let free = concurrency;
  const work = async (key: string): Promise<void> => {
    await run(key);
    queue.forget(key);
    queue.done(key);
    free++;
    takeMore();
  };
  const takeMore = (): void => {
    while (free > 0) {
      const item = queue.tryGet();
      if (!item) return;
      free--;
      void work(item.key);
    }
  };
  queue.ready$.subscribe(takeMore);
  return {
    add: (key, priority) => {
      queue.add(key, { priority });
    },
  };
};
