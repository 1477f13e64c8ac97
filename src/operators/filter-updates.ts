import { filter, map, pipe, type MonoTypeOperatorFunction } from 'rxjs';
import type { Change, ChangeSet } from '../store/change.js';
import { isAnotherIncarnation } from '../kubernetes/object.js';
import type { UpdatePredicate } from '../store/update-predicate.js';

/**
 * Lets an update through only where `predicate` says that it matters.
 *
 * | in | out |
 * | --- | --- |
 * | added | added |
 * | updated, predicate true | updated |
 * | updated, predicate false | nothing |
 * | updated, with another uid than before | updated: it is another object |
 * | deleted | deleted |
 *
 * A change set of which nothing is left is not emitted; one that came in empty is (an empty initial state is news).
 * Order within a set is kept.
 *
 * **Guarantees**: a set of which nothing is dropped is passed on as it is; never holds an object longer than the set it
 * came in.
 * **Does not guarantee**: that `previous` is the version that came out last: those between may have been dropped. An
 * update by a resync has the same object twice, so `generationChanged` and its like drop it: put `resync` after this
 * operator.
 * **Errors**: those of the predicate.
 *
 * @example
 * informer.changes$.pipe(filterUpdates(anyOf(generationChanged, labelsChanged)))
 */
export function filterUpdates<T>(predicate: UpdatePredicate<NoInfer<T>>): MonoTypeOperatorFunction<ChangeSet<T>> {
  const matters = (change: Change<T>): boolean =>
    change.type !== 'updated' || isAnotherIncarnation(change.previous, change.object) || predicate(change);
  return pipe(
    map((set: ChangeSet<T>) => keepChanges(set, matters)),
    filter((set) => set !== undefined),
  );
}

function keepChanges<T>(set: ChangeSet<T>, matters: (change: Change<T>) => boolean): ChangeSet<T> | undefined {
  const changes = set.changes.filter(matters);
  if (changes.length === set.changes.length) return set;
  return changes.length === 0 ? undefined : { reason: set.reason, changes };
}
