import type { ChangeSet } from './change.js';
import { ChangeAccumulator } from './change-accumulator.js';

/**
 * The net effect of change sets that follow each other, as one change set. Pure.
 *
 * | first | then | together |
 * | --- | --- | --- |
 * | added | updated | added, with the newest object |
 * | added | deleted | nothing |
 * | updated | updated | updated, with the oldest `previous` and the newest object |
 * | updated | deleted | deleted |
 * | deleted | added, same uid or none | updated, with what was known first as `previous` |
 * | deleted | added, another uid | deleted, then added |
 * | deleted, then added with another uid | deleted | deleted, with the first object |
 * | updated by a resync | updated | updated |
 *
 * Keys stand in the order of their first change. The reason is the weightiest: `initial`, then `relist`, `watch`,
 * `resync`; so `initial` together with later changes is the state as it is after them.
 *
 * **Guarantees**: applying the result gives what applying the sets one after the other gives; a key appears once, or
 * twice where one object took another one's place.
 * **Does not guarantee**: that the steps between are seen; that `previous` is what a consumer saw last where an object
 * left and came back (it is the state in which it left): compare (`whereChanged`) before merging, not after.
 *
 * @example
 * mergeChangeSets(
 *   { reason: 'watch', changes: [{ type: 'added', key: 'web/a', object: pod }] },
 *   { reason: 'watch', changes: [{ type: 'deleted', key: 'web/a', object: pod, finalStateUnknown: false }] },
 * ) // { reason: 'watch', changes: [] }
 */
export function mergeChangeSets<T>(first: ChangeSet<T>, ...later: readonly ChangeSet<T>[]): ChangeSet<T> {
  const accumulator = new ChangeAccumulator<T>();
  for (const set of [first, ...later]) accumulator.add(set);
  return accumulator.take();
}
