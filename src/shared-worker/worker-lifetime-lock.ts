import { Subscription } from 'rxjs';

/*
 * A browser reports the end of a SharedWorker to no page. But it releases the locks of a worker
 * that ends, also of one that crashes, within milliseconds. So the worker holds a lock until it
 * ends, and each page waits for this lock. Only pages with https: and of localhost have locks.
 */

/** Holds a lock until this worker ends. Resolves with its name, or `undefined` without locks. */
export function holdLifetimeLock(): Promise<string | undefined> {
  const locks = locksOf();
  if (locks === undefined) return Promise.resolve(undefined);
  const name = `rx-informers ${crypto.randomUUID()}`;
  return new Promise((resolve) => {
    const granted = locks.request(name, () => {
      resolve(name);
      return new Promise(() => undefined);
    });
    granted.catch(() => resolve(undefined));
  });
}

/** Calls `ended` when the worker that holds the lock `name` has ended. */
export function whenLockReleased(name: string, ended: () => void): Subscription {
  const waiting = new AbortController();
  const released = locksOf()?.request(name, { mode: 'shared', signal: waiting.signal }, () => {
    if (!waiting.signal.aborted) ended();
  });
  released?.catch(() => undefined);
  return new Subscription(() => waiting.abort());
}

function locksOf(): LockManager | undefined {
  return (globalThis as { readonly navigator?: { readonly locks?: LockManager } }).navigator?.locks;
}
