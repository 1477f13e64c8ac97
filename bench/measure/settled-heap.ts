import { setTimeout as sleep } from 'node:timers/promises';
import { heapInUse } from './heap.js';

const MILLISECONDS_TO_SETTLE = 200;

/** The bytes of the heap in use, once whatever was about to end has ended. */
export async function settledHeap(): Promise<number> {
  heapInUse();
  await sleep(MILLISECONDS_TO_SETTLE);
  return heapInUse();
}
