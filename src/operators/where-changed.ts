import type { MonoTypeOperatorFunction } from 'rxjs';
import type { ChangeSet } from '../store/change.js';
import { changed } from '../store/update-predicate.js';
import { filterUpdates } from './filter-updates.js';

/**
 * Lets an update through only where `project` gives something else for the new object than for the old one.
 *
 * | in | out |
 * | --- | --- |
 * | added | added |
 * | updated, projection differs | updated |
 * | updated, projection equal | nothing |
 * | updated, with another uid than before | updated: it is another object |
 * | deleted | deleted |
 *
 * It is `filterUpdates(changed(project, isEqual))`; ready-made predicates (`generationChanged`, `labelsChanged`, …) and
 * their combinations (`anyOf`, `allOf`, `noneOf`) go to `filterUpdates`.
 *
 * **Guarantees**: never holds an object longer than the set it came in.
 * **Does not guarantee**: that a value which changed and changed back between two sets is seen.
 *
 * @param project what to compare
 * @param isEqual how to compare it (default `Object.is`: parts of an object keep their identity while they do not change)
 * @example
 * informer.changes$.pipe(whereChanged((pod) => pod.spec?.nodeName))
 */
export function whereChanged<T, P>(
  project: (object: NoInfer<T>) => P,
  isEqual?: (previous: P, next: P) => boolean,
): MonoTypeOperatorFunction<ChangeSet<T>> {
  return filterUpdates<T>(changed<T, P>(project, isEqual));
}
