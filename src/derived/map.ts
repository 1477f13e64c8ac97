import type { Collection } from '../collections/collection.js';
import { type Derivation, ForEachObject } from './core/derivation.js';
import { derivedCollection, type DerivedCollection, type DerivedOptions } from './core/derived-collection.js';

/**
 * Makes one row from each object. The key of the row is the key of the object.
 *
 * | in | out |
 * | --- | --- |
 * | an object is added | added, if `project` returns a row |
 * | an object changes | updated, if the row differs; added if `project` returns a row only now; deleted if it no longer does |
 * | an object is deleted | deleted |
 *
 * Rows are compared deeply, and equal parts of a row stay the same objects (J3). If an update of a
 * pod leaves its row equal, there is no change.
 *
 * Costs one call of `project` for each object that changed (J5).
 *
 * @param collection the collection to read
 * @param project returns the row of an object, or `undefined` or `null` for none; it must be pure
 * @param options the indexes and the settings of the result; see {@link DerivedOptions}
 * @returns a collection of the rows
 * @example
 * const phases = derived.map(podInformer, (pod, key) => ({
 *   key,
 *   phase: pod.status?.phase ?? 'Unknown',
 * }));
 * phases.get$('web/a').subscribe((row) => console.log(row?.phase));
 */
export function map<T, R, const I extends string = never>(
  collection: Collection<T>,
  project: (object: T, key: string) => R | null | undefined,
  options: DerivedOptions<R, I> = {},
): DerivedCollection<R, I> {
  const derivation = (): Derivation<readonly [T], R> =>
    new ForEachObject((key, object, rows) =>
      rows.set(key, object === undefined ? undefined : rows.call('project', [key], () => project(object, key))),
    );
  return derivedCollection<readonly [T], R, I>({ operator: 'map', inputs: [collection], derivation }, options);
}
