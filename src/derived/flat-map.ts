import type { Collection } from '../collections/collection.js';
import { type Derivation, ForEachObject } from './core/derivation.js';
import { derivedCollection, type DerivedCollection, type DerivedOptions } from './core/derived-collection.js';

/**
 * The rows of one object as pairs of a name and a row. Arrays of such pairs, a `Map`,
 * `Object.entries(…)` and `array.entries()` all have this type. A row that is `undefined` or `null`
 * is left out.
 */
export type NamedRows<R> = Iterable<readonly [name: string | number, row: R | null | undefined]>;

/**
 * Makes any number of rows from each object, such as the containers of pods, their images or their
 * volumes.
 *
 * | in | out |
 * | --- | --- |
 * | an object is added | its rows are added |
 * | an object changes | rows with new names are added, rows that differ are updated, rows whose names are gone are deleted |
 * | an object is deleted | its rows are deleted |
 *
 * Each row has a name that is unique in its object. The key of the row is the key of the object, a
 * slash and the name: `web/a/nginx`. In the name, a slash is written `%2F` and a percent sign
 * `%25`, so the part before the last slash is always the key of the object.
 *
 * Choose names that stay the same for the same thing. Positions, as in `containers.entries()`, do
 * not stay the same: a container inserted at the beginning changes all rows after it.
 *
 * Each changed object costs one call of `project`, and O(rows of that object) (J5).
 *
 * If two rows of an object have the same name, a name is neither a string nor a number, or the
 * result is not iterable, `errors$` emits an `RXI_DERIVED_ROW` and the object has no rows until it
 * changes.
 *
 * @param collection the collection to read
 * @param project returns the rows of an object by name, or `undefined` or `null` for none; it must
 *   be pure
 * @param options the indexes and the settings of the result; see {@link DerivedOptions}
 * @returns a collection of the rows
 * @example
 * const containers = derived.flatMap(
 *   podInformer,
 *   (pod) =>
 *     pod.spec?.containers.map((container) => [container.name, { pod, image: container.image }]),
 *   { indexers: { image: (row) => row.image } },
 * );
 * containers.byIndex$('image', 'nginx:1.27').subscribe((rows) => console.log(rows.length));
 */
export function flatMap<T, R, const I extends string = never>(
  collection: Collection<T>,
  project: (object: T, key: string) => NamedRows<R> | null | undefined,
  options: DerivedOptions<R, I> = {},
): DerivedCollection<R, I> {
  const derivation = (): Derivation<readonly [T], R> => {
    const keysOf = new Map<string, readonly string[]>();
    return new ForEachObject((key, object, rows) => {
      const before = keysOf.get(key) ?? noKeys;
      const named =
        object === undefined ? undefined : rows.call('project', [key], () => rowsByKey(key, project(object, key)));
      for (const row of before) if (named?.has(row) !== true) rows.delete(row);
      if (named === undefined || named.size === 0) {
        keysOf.delete(key);
        return;
      }
      for (const [row, value] of named) rows.set(row, value);
      // An equal array is not replaced, because most changes leave the names as they are.
      if (before.length !== named.size || before.some((row) => !named.has(row))) keysOf.set(key, [...named.keys()]);
    });
  };
  return derivedCollection<readonly [T], R, I>({ operator: 'flatMap', inputs: [collection], derivation }, options);
}

const noKeys: readonly string[] = [];

function rowsByKey<R>(key: string, named: NamedRows<R> | null | undefined): ReadonlyMap<string, R> {
  const rows = new Map<string, R>();
  for (const [name, row] of named ?? []) {
    if (typeof name !== 'string' && typeof name !== 'number') {
      throw new TypeError(`the name of a row must be a string or a number, not ${typeof name}`);
    }
    if (row === undefined || row === null) continue;
    const rowKey = `${key}/${escaped(String(name))}`;
    if (rows.has(rowKey)) throw new Error(`two rows have the name ${JSON.stringify(name)}; names must be unique`);
    rows.set(rowKey, row);
  }
  return rows;
}

function escaped(name: string): string {
  return /[%/]/.test(name) ? name.replaceAll('%', '%25').replaceAll('/', '%2F') : name;
}
