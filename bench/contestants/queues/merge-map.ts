import { mergeMap, Subject } from 'rxjs';
import type { OpenKeyQueue } from './key-queue.js';

/**
 * The code that a developer usually writes by hand: a waiting key is not added again.
 *
 * The code does not know which keys are running, so a key may run twice at once. It has no
 * priorities, retries or delays.
 */
export const mergeMapWithSet: OpenKeyQueue = ({ concurrency, run }) => {
  const additions = new Subject<string>();
  const waiting = new Set<string>();
  const start = (key: string): Promise<void> => {
    waiting.delete(key);
    return run(key);
  };
  additions.pipe(mergeMap(start, concurrency)).subscribe();
  return {
    add: (key) => {
      if (waiting.has(key)) return;
      waiting.add(key);
      additions.next(key);
    },
  };
};

/** The simplest code: every addition causes a run. */
export const plainMergeMap: OpenKeyQueue = ({ concurrency, run }) => {
  const additions = new Subject<string>();
  additions.pipe(mergeMap(run, concurrency)).subscribe();
  return {
    add: (key) => {
      additions.next(key);
    },
  };
};
