import { defer, filter, map, type MonoTypeOperatorFunction } from 'rxjs';
import type { LabelSelector } from '../kubernetes/selector.js';
import { predicateOf, type ObjectSelection } from '../queries/object-queries.js';
import type { Change, ChangeSet } from '../store/change.js';

/**
 * Emits only the changes of the objects that a label selector matches, or for which a function
 * returns true: client-go's FilteringResourceEventHandler.
 *
 * | in | out |
 * | --- | --- |
 * | added or updated, enters the selection | added |
 * | updated, stays in the selection | updated |
 * | updated, leaves the selection | deleted, with the last version that was in the selection |
 * | deleted, was in the selection | deleted, with its final state |
 * | any other change | nothing |
 *
 * A change set that becomes empty is not emitted. The first change set is emitted even if it is
 * empty, because an empty initial state is information. Order within a set is kept.
 *
 * **Guarantees**: applying the emitted changes results in exactly the objects of the selection.
 * Holds the keys of these objects, but not the objects.
 * **Errors**: errors of the function end the stream.
 *
 * @param selection a label selector, or a pure function of an object
 * @returns an operator on change sets
 * @throws `RXI_INVALID_SELECTOR` if a label selector is invalid
 * @example
 * podInformer.changes$.pipe(filterObjects('app=web'));
 * podInformer
 *   .byIndexChanges$('node', 'n1')
 *   .pipe(filterObjects((pod) => pod.status?.phase === 'Failed'));
 */
export function filterObjects<T, S extends LabelSelector = LabelSelector>(
  selection: ObjectSelection<NoInfer<T>, S>,
): MonoTypeOperatorFunction<ChangeSet<T>> {
  const isSelected = predicateOf<T, S>(selection);
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
