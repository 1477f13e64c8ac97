import { mergeMap, Subject } from 'rxjs';
import type { OpenKeyQueue } from './key-queue.js';

/**
 * What is written by hand: a key that waits already is not added again.
 *
 * It does not know which keys are running, so that one may run twice at once; nor priorities, retries, or delays.
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

/** What is written first: every addition is a run. */
export const plainMergeMap: OpenKeyQueue = ({ concurrency, run }) => {
  const additions = new Subject<string>();
  additions.pipe(mergeMap(run, concurrency)).subscribe();
  return {
    add: (key) => {
      additions.next(key);
    },
  };
};
