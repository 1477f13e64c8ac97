import { setImmediate } from 'node:timers/promises';

/**
 * Waits until all promise callbacks that can run now have run, however many follow each other. Node
 * runs all of them, and all callbacks of `process.nextTick`, before the next task of the event
 * loop.
 *
 * Use it only for work that consists of promises, for example to check that something does not
 * happen. For timers, streams, sockets and garbage collection, use `until` or `collectUntil`.
 */
export async function promisesSettled(): Promise<void> {
  await setImmediate();
}
