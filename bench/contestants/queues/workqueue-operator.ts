import { Subject } from 'rxjs';
import { workqueue } from '../../../src/controller/workqueue/workqueue.js';
import type { KeyRequest } from '../../../src/controller/workqueue/queue-input.js';
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
