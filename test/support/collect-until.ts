import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { until, type UntilOptions } from './until.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/**
 * Collects garbage until a condition is true. Rejects if it does not become true in time.
 *
 * One collection may not be enough: a `WeakRef` keeps its object until the end of the task that
 * created or read it, and the callbacks of a `FinalizationRegistry` run in a later task.
 */
export async function collectUntil(
  condition: () => boolean,
  { what = String(condition), ...options }: UntilOptions = {},
): Promise<void> {
  const isTrueAfterCollection = (): boolean => {
    collectGarbage();
    return condition();
  };
  await until(isTrueAfterCollection, { what, ...options });
}
