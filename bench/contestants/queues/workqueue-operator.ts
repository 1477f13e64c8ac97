import { Subject } from 'rxjs';
import { workqueue, type KeyRequest } from 'rx-informers/controller';
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
