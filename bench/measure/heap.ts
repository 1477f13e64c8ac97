import { getHeapSpaceStatistics } from 'node:v8';

/** What V8 compiles comes and goes as it likes, and is nothing that a program holds. */
const COMPILED_CODE = ['code_space', 'code_large_object_space'];

/** The bytes of objects that are still in use after everything unreachable was collected; needs `--expose-gc`. */
export function heapInUse(): number {
  if (!globalThis.gc) throw new Error('the heap can only be measured by a Node with --expose-gc');
  // What finalizers let go of is collected the second time.
  globalThis.gc();
  globalThis.gc();
  return getHeapSpaceStatistics()
    .filter(({ space_name: name }) => !COMPILED_CODE.includes(name))
    .reduce((sum, { space_used_size: used }) => sum + used, 0);
}
