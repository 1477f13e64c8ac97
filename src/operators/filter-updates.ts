import { filter, map, type MonoTypeOperatorFunction, pipe } from 'rxjs';
import { isSameIncarnation } from '../kubernetes/object.js';
import type { Change, ChangeSet } from '../store/change.js';
import type { UpdatePredicate } from '../store/update-predicates.js';

/**
 * Emits only the updates for which `predicate` returns true. Additions and deletions pass.
 *
 * | in | out |
 * | --- | --- |
 * | added | added |
 * | updated, predicate true | updated |
 * | updated, predicate false | nothing |
 * | updated, with another uid than before | updated, because it is another object |
 * | deleted | deleted |
 *
 * A change set that becomes empty is not emitted. A set that arrives empty is emitted, because an
 * empty initial state is information. Order within a set is kept.
 *
 * **Guarantees**: a set from which nothing is dropped is passed on unchanged; the operator holds no
 * objects between two sets.
 * **Does not guarantee**: that `previous` is the version that was emitted last, because the
 * operator may have dropped versions in between. An update by a resync has the same object twice,
 * so predicates such as `generationChanged` drop it. Place `resync` after this operator.
 * **Errors**: errors of the predicate end the stream.
 *
 * @param predicate a pure function, such as {@link generationChanged} or {@link anyOf} of several
 * @returns an operator on change sets
 * @example
 * informer.changes$.pipe(filterUpdates(anyOf(generationChanged, labelsChanged)))
 */
export function filterUpdates<T>(predicate: UpdatePredicate<NoInfer<T>>): MonoTypeOperatorFunction<ChangeSet<T>> {
  const matters = (change: Change<T>): boolean =>
    change.type !== 'updated' || isSameIncarnation(change.previous, change.object) === false || predicate(change);
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
