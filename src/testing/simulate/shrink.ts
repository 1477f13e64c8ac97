import type { Choice } from './choices.js';

/**
 * Returns a schedule with fewer and smaller choices that still fails. Without any one of its
 * choices, it does not fail.
 *
 * @param fails runs a schedule, and returns true if it fails in the same way
 * @param maxRuns the number of runs after which the smallest schedule so far is returned
 */
export async function shrink(
  schedule: readonly Choice[],
  fails: (schedule: readonly Choice[]) => Promise<boolean>,
  maxRuns = 300,
): Promise<readonly Choice[]> {
  let smallest = schedule;
  let left = maxRuns;
  const keepIf = async (candidate: readonly Choice[]): Promise<boolean> => {
    if (left === 0) return false;
    left -= 1;
    if (!(await fails(candidate))) return false;
    smallest = candidate;
    return true;
  };
  const removeChoices = async (): Promise<boolean> => {
    const before = smallest.length;
    for (let size = Math.ceil(before / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
      for (let start = smallest.length - size; start > -size; start -= size) {
        const [from, to] = [Math.max(0, start), start + size];
        await keepIf(smallest.filter((_, index) => index < from || index >= to));
      }
    }
    return smallest.length < before;
  };
  const reduceValues = async (): Promise<void> => {
    for (const { key, value } of smallest) {
      for (let smaller = 1; smaller < value; smaller++) {
        const candidate = smallest.map((each) => (each.key === key ? { key, value: smaller } : each));
        if (await keepIf(candidate)) break;
      }
    }
  };
  // A choice may become needless when another one is gone, or when another one is smaller.
  while (await removeChoices());
  await reduceValues();
  while (await removeChoices());
  return smallest;
}
