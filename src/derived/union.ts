import type { Collection } from '../collections/collection.js';
import { forEachInSlices, type Slices } from '../scheduling/slices.js';
import type { IndexedSnapshot } from '../store/indexed-snapshot.js';
import type { Derivation, InputChanges, Rows, Versions } from './core/derivation.js';
import { derivedCollection, type DerivedCollection, type DerivedOptions } from './core/derived-collection.js';
import { isInside } from './core/partitions.js';

/**
 * Holds the objects of several collections, under their own keys. If several collections have an
 * object with the same key, the union shows the object of the first of them.
 *
 * | in | out |
 * | --- | --- |
 * | an object is added, and no earlier collection has its key | added; updated, if a later collection has it |
 * | an object changes, and is shown | updated |
 * | an object is deleted, and was shown | deleted; updated, if a later collection has its key |
 * | an object changes, and an earlier collection has its key | nothing |
 *
 * If the next object under a key has another uid, the update becomes a deletion and an addition, as
 * in an informer. If the next object equals the previous one, there is no change (J3). The
 * collections may hold objects of different types. If all collections have the same `resource`, the
 * result has it too.
 *
 * Each changed key costs at most one lookup in each collection (J5).
 *
 * @param collections the collections to read, in order of precedence
 * @param options the indexes and the settings of the result; see {@link DerivedOptions}
 * @returns a collection of the same objects, by identity
 * @throws `RXI_INVALID_OPTION` if there is no collection
 * @example
 * const settings = informer(client, configMaps, { namespace: 'settings' });
 * const defaults = createIndexer((configMap: ConfigMap) => metaNamespaceKey(configMap));
 * derived
 *   .union([settings, defaults])
 *   .get$('settings/theme')
 *   .subscribe((theme) => console.log(theme?.data));
 */
export function union<const Ts extends readonly unknown[], const I extends string = never>(
  collections: { readonly [K in keyof Ts]: Collection<Ts[K]> },
  options: DerivedOptions<Ts[number], I> = {},
): DerivedCollection<Ts[number], I> {
  const [resource, ...others] = new Set((collections as readonly Collection<unknown>[]).map((each) => each.resource));
  return derivedCollection<Ts, Ts[number], I>(
    {
      operator: 'union',
      inputs: collections,
      isPartitioned: isInside({}, ...(collections as readonly Collection<unknown>[])),
      derivation: () => new Union<Ts>(),
      // The rows are objects of the inputs. The inputs have already shared the structure of these
      // objects and frozen them.
      shareStructure: false,
      freeze: false,
    },
    { resource: others.length === 0 ? resource : undefined, ...options },
  );
}

class Union<Ts extends readonly unknown[]> implements Derivation<Ts, Ts[number]> {
  *fill(versions: Versions<Ts>, rows: Rows<Ts[number]>): Slices<void> {
    for (const version of versions) yield* this.#setAll(version.keys(), versions, rows);
  }

  *update(changes: InputChanges<Ts>, rows: Rows<Ts[number]>): Slices<void> {
    const versions = changes.map(({ current }) => current);
    // A key that changed in several inputs is computed once for each of them. The second time there
    // is no change.
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
