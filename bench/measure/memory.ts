import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapSpaceStatistics } from 'node:v8';

/**
 * The heap spaces for compiled code. They do not count, because V8 fills and frees them by itself.
 */
const COMPILED_CODE = ['code_space', 'code_large_object_space'];

/**
 * Returns the bytes of objects that are still in use after a garbage collection. Needs
 * `--expose-gc`.
 */
export function heapInUse(): number {
  if (!globalThis.gc) throw new Error('the heap can only be measured by a Node with --expose-gc');
  // The second call collects the objects that finalizers of the first call released.
  globalThis.gc();
  globalThis.gc();
  return getHeapSpaceStatistics()
    .filter(({ space_name: name }) => !COMPILED_CODE.includes(name))
    .reduce((sum, { space_used_size: used }) => sum + used, 0);
}

const MILLISECONDS_TO_SETTLE = 200;

/** Returns the bytes of the heap in use, once all pending work has ended. */
export async function settledHeap(): Promise<number> {
  heapInUse();
  await sleep(MILLISECONDS_TO_SETTLE);
  return heapInUse();
}

/** Returns the peak memory of this process, in megabytes, as the operating system counts it. */
export function peakMemory(): number {
  return process.resourceUsage().maxRSS / 1024;
}
