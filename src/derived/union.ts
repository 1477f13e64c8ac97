import type { Collection } from '../informer/collection.js';
import { internalsOf } from '../informer/log-collection.js';
import type { IndexFunction } from '../store/index-functions.js';
import type { IndexedSnapshot } from '../store/indexed-snapshot.js';
import { forEachInSlices, type Slices } from '../store/slices.js';
import type { Derivation, InputChanges, Rows, Versions } from './core/derivation.js';
import { derivedCollection, type DerivedCollection, type DerivedOptions } from './core/derived-collection.js';
import { ComputedGroups, IndexedGroups, type Groups } from './core/keys-by-value.js';

/**
 * Holds the objects of several collections, under their own keys. Of objects that have the same key,
 * it shows the one of the collection that comes first.
 *
 * | in | out |
 * | --- | --- |
 * | an object is added, and no earlier collection has its key | added; updated, if a later collection has it |
 * | it changes, and is shown | updated |
 * | it is deleted, and is shown | deleted; updated, if a later collection has the key |
 * | it changes, and an earlier collection has its key | nothing |
 *
 * Where the object that is shown next has another uid, the update is a deletion and an addition, as
 * in an informer. One that equals the object before is no change (J3). The collections may hold
 * objects of different types; if all have the same `resource`, so has the result.
 *
 * Costs one lookup in each collection for each key that changed (J5).
 *
 * @param collections what to read, in order of precedence
 * @throws TypeError if there is no collection
 * @example
 * const settings = informer(client, configMaps, { namespace: 'settings' });
 * const defaults = createIndexer((configMap: ConfigMap) => metaNamespaceKey(configMap));
 * derived.union([settings, defaults]).get$('settings/theme').subscribe((theme) => console.log(theme?.data));
 */
export function union<const Ts extends readonly unknown[], const I extends string = never>(
  collections: { readonly [K in keyof Ts]: Collection<Ts[K]> },
  options: DerivedOptions<Ts[number], I> = {},
): DerivedCollection<Ts[number], I> {
  const [resource, ...others] = new Set((collections as readonly Collection<unknown>[]).map((each) => each.resource));
  return derivedCollection<Ts, Ts[number], I>(
    { operator: 'union', inputs: collections, derivation: () => new Union<Ts>() },
    { resource: others.length === 0 ? resource : undefined, ...options },
  );
}

class Union<Ts extends readonly unknown[]> implements Derivation<Ts, Ts[number]> {
  *fill(versions: Versions<Ts>, rows: Rows<Ts[number]>): Slices<void> {
    for (const version of versions) yield* this.#setAll(version.keys(), versions, rows);
  }

  *update(changes: InputChanges<Ts>, rows: Rows<Ts[number]>): Slices<void> {
    const versions = changes.map(({ current }) => current);
    // A key that changed in several inputs is computed again for each, and is no change the second time.
    for (const { keys } of changes) yield* this.#setAll(keys, versions, rows);
  }

  *#setAll(
    keys: readonly string[],
    versions: readonly IndexedSnapshot<unknown>[],
    rows: Rows<Ts[number]>,
  ): Slices<void> {
    yield* forEachInSlices(keys, (key) => {
      let row: Ts[number] | undefined;
      for (let position = 0; row === undefined && position < versions.length; position++) {
        row = versions[position]?.get(key);
      }
      rows.set(key, row);
    });
  }
}

/** A row of `distinct`. */
export interface Distinct<T> {
  readonly value: string;
  /** Of the objects with this value, the one with the smallest key. */
  readonly object: T;
}

/**
 * Makes one row of each different value that objects have: the images in use, the nodes with pods.
 * The row holds the value and, of the objects that have it, the one with the smallest key. Its key
 * is the value.
 *
 * | in | out |
 * | --- | --- |
 * | the first object with a value | added |
 * | one with a smaller key, or the object in the row changes | updated |
 * | the object in the row leaves, and others have the value | updated |
 * | the last object with a value leaves | deleted |
 * | any other object is added, changed or deleted | nothing |
 *
 * An object with several values is in the rows of all of them. To count objects by value, use
 * `groupBy`; for the values alone, `indexValues$` of an index costs less.
 *
 * Costs O(log n) for each value of an object that changed, whatever the number of objects that have
 * the value (J5). A function costs memory for an index of its own; the name of an index does not.
 *
 * @param collection what to read
 * @param by the name of an index of the collection, or a pure function that returns one value,
 * several, or `undefined`
 * @throws `UnknownIndexError`
 * @example
 * const images = derived.distinct(podInformer, (pod) => pod.spec?.containers.map(({ image }) => image ?? ''));
 * images.list$().subscribe((rows) => console.log(rows.map(({ value }) => value)));
 */
export function distinct<T, G extends string, const I extends string = never>(
  collection: Collection<T, G>,
  by: NoInfer<G> | IndexFunction<T>,
  options: DerivedOptions<Distinct<T>, I> = {},
): DerivedCollection<Distinct<T>, I> {
  if (typeof by === 'string') internalsOf(collection).log.latest.parts.schema.position(by);
  return derivedCollection<readonly [T], Distinct<T>, I>(
    { operator: 'distinct', inputs: [collection], derivation: () => new DistinctBy(by) },
    options,
  );
}

class DistinctBy<T> implements Derivation<readonly [T], Distinct<T>> {
  readonly #groups: Groups<T>;

  constructor(by: string | IndexFunction<T>) {
    this.#groups = typeof by === 'string' ? new IndexedGroups(by) : new ComputedGroups('by', by);
  }

  *fill([objects]: Versions<readonly [T]>, rows: Rows<Distinct<T>>): Slices<void> {
    yield* this.#groups.fill(objects, rows);
    yield* this.#setAll(this.#groups.values(objects), objects, rows);
  }

  *update([change]: InputChanges<readonly [T]>, rows: Rows<Distinct<T>>): Slices<void> {
    yield* this.#setAll(yield* this.#groups.update(change, rows), change.current, rows);
  }

  *#setAll(values: Iterable<string>, objects: IndexedSnapshot<T>, rows: Rows<Distinct<T>>): Slices<void> {
    yield* forEachInSlices(values, (value) => {
      const first = this.#groups.bucket(objects, value)?.first();
      rows.set(value, first && { value, object: first.object });
    });
  }
}
