import { distinctUntilChanged, isObservable, map as mapValues, type Observable } from 'rxjs';
import type { Collection } from '../collections/collection.js';
import { formatLabelSelector, type LabelSelector } from '../kubernetes/selector.js';
import { predicateOf, type ObjectSelection } from '../queries/object-queries.js';
import { type Derivation, ForEachObject } from './core/derivation.js';
import { derivedCollection, type DerivedCollection, type DerivedOptions } from './core/derived-collection.js';

/**
 * Keeps the objects that a label selector or a function selects, under their own keys.
 *
 * | in | out |
 * | --- | --- |
 * | an object is added, and selected | added |
 * | an object changes, and stays selected | updated |
 * | an object changes, and becomes selected | added |
 * | an object changes, and is no longer selected | deleted |
 * | an object is deleted, and was selected | deleted |
 * | the selection changes | newly selected objects are added, objects no longer selected are deleted, in one commit |
 *
 * Each changed object costs one call of the function (J5).
 *
 * If `selection` is an Observable, it is subscribed to while the collection runs, and the
 * collection syncs only after the first value of the Observable. With each new selection, all
 * objects are tested again, at a cost of O(n). The same function or an equivalent selector is no
 * change. For an invalid selector, and if the Observable errors, `errors$` emits a
 * `RXI_DERIVED_ROW` and the previous selection stays. The last selection also stays after the
 * Observable completes.
 *
 * @param collection the collection to read
 * @param selection a label selector, or a pure function that is called once for each version of an
 * object; or an Observable of selectors or functions
 * @param options the indexes and the settings of the result; see {@link DerivedOptions}
 * @returns a collection of the same objects, by identity
 * @throws `RXI_INVALID_SELECTOR` if `selection` is an invalid selector
 * @example
 * const failed = derived.filter(podInformer, (pod) => pod.status?.phase === 'Failed');
 * failed.list$().subscribe((pods) => console.log(pods.length));
 *
 * const shown = derived.filter(podInformer, new BehaviorSubject('app=web'));
 */
export function filter<T, const I extends string = never, S extends LabelSelector = LabelSelector>(
  collection: Collection<T>,
  selection: ObjectSelection<T, S> | Observable<ObjectSelection<T>>,
  options: DerivedOptions<T, I> = {},
): DerivedCollection<T, I> {
  const derivation = isObservable(selection)
    ? selection.pipe(
        distinctUntilChanged(isSameSelection),
        // An invalid selector throws in this function, and the collection then reports the error.
        mapValues((selected) => () => filterBy(predicateOf(selected))()),
      )
    : filterBy(predicateOf(selection));
  return derivedCollection<readonly [T], T, I>(
    {
      operator: 'filter',
      inputs: [collection],
      derivation,
      // Rows are objects of the input, which has shared their structure and frozen them.
      shareStructure: false,
      freeze: false,
    },
    { resource: collection.resource, ...options },
  );
}

function filterBy<T>(isSelected: (object: T) => boolean): () => Derivation<readonly [T], T> {
  return () =>
    new ForEachObject((key, object, rows) => {
      const isRow = object !== undefined && rows.call('selection', [key], () => isSelected(object));
      rows.set(key, isRow ? object : undefined);
    });
}

function isSameSelection<T>(a: ObjectSelection<T>, b: ObjectSelection<T>): boolean {
  if (a === b) return true;
  if (typeof a === 'function' || typeof b === 'function') return false;
  try {
    return formatLabelSelector(a) === formatLabelSelector(b);
  } catch {
    return false;
  }
}
