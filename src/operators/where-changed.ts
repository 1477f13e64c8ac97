import type { MonoTypeOperatorFunction } from 'rxjs';
import { changed } from '../store/change-predicates.js';
import { type ChangeSet } from '../store/change.js';
import { filterUpdates } from './filter-updates.js';

/**
 * Emits only the updates for which `project` returns a different value for the new object than for
 * the old one.
 *
 * | in | out |
 * | --- | --- |
 * | added | added |
 * | updated, projection differs | updated |
 * | updated, projection equal | nothing |
 * | updated, with another uid than before | updated, because it is another object |
 * | deleted | deleted |
 *
 * It is short for `filterUpdates(changed(project, isEqual))`. For ready-made predicates
 * (`generationChanged`, `labelsChanged`, …) and their combinations (`anyOf`, `allOf`, `noneOf`),
 * use `filterUpdates`.
 *
 * **Guarantees**: the operator holds no objects between two sets.
 * **Does not guarantee**: that the subscriber sees a value which changed and changed back between
 * two sets.
 *
 * @param project returns the value to compare
 * @param isEqual compares two values; default `Object.is`, because parts of an object keep their
 *   identity while they do not change
 * @returns an operator on change sets
 * @example
 * informer.changes$.pipe(whereChanged((pod) => pod.spec?.nodeName))
 */
export function whereChanged<T, P>(
  project: (object: NoInfer<T>) => P,
  isEqual?: (previous: P, next: P) => boolean,
): MonoTypeOperatorFunction<ChangeSet<T>> {
  return filterUpdates<T>(changed<T, P>(project, isEqual));
}
