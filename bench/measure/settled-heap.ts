import { setTimeout as sleep } from 'node:timers/promises';
import { heapInUse } from './heap.js';

const MILLISECONDS_TO_SETTLE = 200;

/** Returns the bytes of the heap in use, once all pending work has ended. */
export async function settledHeap(): Promise<number> {
  heapInUse();
  await sleep(MILLISECONDS_TO_SETTLE);
  return heapInUse();
}
