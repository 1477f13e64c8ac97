import { isObservable, map, type Observable } from 'rxjs';
import type { Collection } from '../informer/collection.js';
import { predicateOf, type Selection } from '../queries/object-queries.js';
import { forEachInSlices, type Slices } from '../store/slices.js';
import type { Derivation, InputChanges, Rows, Versions } from './core/derivation.js';
import { derivedCollection, type DerivedCollection, type DerivedOptions } from './core/derived-collection.js';

/**
 * Keeps the objects that a label selector or a function selects, under their own keys.
 *
 * | in | out |
 * | --- | --- |
 * | an object is added, and selected | added |
 * | it changes, and stays selected | updated |
 * | it changes, and is no longer selected | deleted |
 * | it is deleted, and was selected | deleted |
 * | the selection changes | what enters is added, what leaves is deleted |
 *
 * @param collection what to read
 * @param selection a label selector, or a pure function that is called once for each version of an
 * object; as an Observable, all objects are selected again for each value, at a cost of O(n)
 * @returns a collection of the same objects, by identity
 * @throws `InvalidSelectorError`
 * @example
 * const failed = filter(podInformer, (pod) => pod.status?.phase === 'Failed');
 * failed.list$().subscribe((pods) => console.log(pods.length));
 */
export function filter<T, const I extends string = never>(
  collection: Collection<T>,
  selection: Selection<T> | Observable<Selection<T>>,
  options: DerivedOptions<T, I> = {},
): DerivedCollection<T, I> {
  const derivation = (by: Selection<T>): (() => Derivation<readonly [T], T>) => {
    const isSelected = predicateOf(by);
    return () => new Filter(isSelected);
  };
  return derivedCollection<readonly [T], T, I>(
    {
      operator: 'filter',
      inputs: [collection],
      derivation: isObservable(selection) ? selection.pipe(map(derivation)) : derivation(selection),
      // The rows are the objects of the input, which has done both.
      shareStructure: false,
      freeze: false,
    },
    { resource: collection.resource, ...options },
  );
}

class Filter<T> implements Derivation<readonly [T], T> {
  constructor(private readonly isSelected: (object: T) => boolean) {}

  *fill([objects]: Versions<readonly [T]>, rows: Rows<T>): Slices<void> {
    yield* forEachInSlices(objects.keys(), (key) => {
      this.#set(key, objects.get(key), rows);
    });
  }

  *update([{ current, keys }]: InputChanges<readonly [T]>, rows: Rows<T>): Slices<void> {
    yield* forEachInSlices(keys, (key) => {
      this.#set(key, current.get(key), rows);
    });
  }

  #set(key: string, object: T | undefined, rows: Rows<T>): void {
    const isRow = object !== undefined && rows.call('selection', [key], () => this.isSelected(object)) === true;
    rows.set(key, isRow ? object : undefined);
  }
}
