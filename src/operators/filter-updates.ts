import { defer, filter, map, pipe, type MonoTypeOperatorFunction } from 'rxjs';
import { predicateOf, type Selection } from '../queries/object-queries.js';
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

/**
 * Emits only the changes of the objects that a label selector matches, or for which a function
 * returns true: client-go's FilteringResourceEventHandler.
 *
 * | in | out |
 * | --- | --- |
 * | added or updated, enters the selection | added |
 * | updated, stays in it | updated |
 * | updated, leaves it | deleted, with the object as it was in the selection |
 * | deleted, was in it | deleted, with its final state |
 * | anything else | nothing |
 *
 * A change set of which nothing is left is not emitted, except for the first one: an empty initial
 * state is news. Order within a set is kept.
 *
 * **Guarantees**: applying what comes out leaves exactly the objects of the selection. Holds the key
 * of each of them, and no object.
 * **Errors**: what the function throws.
 *
 * @throws `InvalidSelectorError`
 * @example
 * podInformer.changes$.pipe(filterObjects('app=web'));
 * podInformer.byIndexChanges$('node', 'n1').pipe(filterObjects((pod) => pod.status?.phase === 'Failed'));
 */
export function filterObjects<T>(selection: Selection<NoInfer<T>>): MonoTypeOperatorFunction<ChangeSet<T>> {
  const isSelected = predicateOf<T>(selection);
  return (set$) =>
    defer(() => {
      const selected = new Set<string>();
      return set$.pipe(
        map(({ reason, changes }) => ({ reason, changes: changes.flatMap((change) => selectedChange(change)) })),
        filter(({ reason, changes }) => changes.length > 0 || reason === 'initial'),
      );

      function selectedChange(change: Change<T>): readonly Change<T>[] {
        const { key, object } = change;
        const isIn = change.type !== 'deleted' && isSelected(object);
        const wasIn = isIn ? selected.has(key) : selected.delete(key);
        if (isIn) selected.add(key);
        if (isIn) return wasIn ? [change] : [{ type: 'added', key, object }];
        if (!wasIn) return [];
        if (change.type !== 'updated') return [change];
        return [{ type: 'deleted', key, object: change.previous, finalStateUnknown: false }];
      }
    });
}

function keepChanges<T>(set: ChangeSet<T>, matters: (change: Change<T>) => boolean): ChangeSet<T> | undefined {
  const changes = set.changes.filter(matters);
  if (changes.length === set.changes.length) return set;
  return changes.length === 0 ? undefined : { reason: set.reason, changes };
}
