import { distinctUntilChanged, isObservable, map as mapValues, type Observable } from 'rxjs';
import type { Collection } from '../collections/collection.js';
import { formatLabelSelector } from '../kubernetes/selector.js';
import { predicateOf, type Selection } from '../queries/object-queries.js';
import { forEachInSlices, type Slices } from '../scheduling/slices.js';
import type { Derivation, InputChanges, Rows, Versions } from './core/derivation.js';
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
 * `DerivedRowError` and the previous selection stays. The last selection also stays after the
 * Observable completes.
 *
 * @param collection the collection to read
 * @param selection a label selector, or a pure function that is called once for each version of an
 * object; or an Observable of selectors or functions
 * @param options the indexes and the settings of the result; see {@link DerivedOptions}
 * @returns a collection of the same objects, by identity
 * @throws `InvalidSelectorError` if `selection` is an invalid selector
 * @example
 * const failed = derived.filter(podInformer, (pod) => pod.status?.phase === 'Failed');
 * failed.list$().subscribe((pods) => console.log(pods.length));
 *
 * const shown = derived.filter(podInformer, new BehaviorSubject('app=web'));
 */
export function filter<T, const I extends string = never>(
  collection: Collection<T>,
  selection: Selection<T> | Observable<Selection<T>>,
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
      // The rows are objects of the input. The input has already shared the structure of these
      // objects and frozen them.
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

function isSameSelection<T>(a: Selection<T>, b: Selection<T>): boolean {
  if (a === b) return true;
  if (typeof a === 'function' || typeof b === 'function') return false;
  try {
    return formatLabelSelector(a) === formatLabelSelector(b);
  } catch {
    return false;
  }
}

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
 * @param project returns the row of an object, or `undefined` for none; it must be pure
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
  project: (object: T, key: string) => R | undefined,
  options: DerivedOptions<R, I> = {},
): DerivedCollection<R, I> {
  const derivation = (): Derivation<readonly [T], R> =>
    new ForEachObject((key, object, rows) => {
      rows.set(key, object === undefined ? undefined : rows.call('project', [key], () => project(object, key)));
    });
  return derivedCollection<readonly [T], R, I>({ operator: 'map', inputs: [collection], derivation }, options);
}

/**
 * The rows of one object as pairs of a name and a row. Arrays of such pairs, a `Map`,
 * `Object.entries(…)` and `array.entries()` all have this type. A row that is `undefined` is left
 * out.
 */
export type NamedRows<R> = Iterable<readonly [name: string | number, row: R | undefined]>;

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
 * result is not iterable, `errors$` emits a `DerivedRowError` and the object has no rows until it
 * changes.
 *
 * @param collection the collection to read
 * @param project returns the rows of an object by name, or `undefined` for none; it must be pure
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
  project: (object: T, key: string) => NamedRows<R> | undefined,
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

function rowsByKey<R>(key: string, named: NamedRows<R> | undefined): ReadonlyMap<string, R> {
  const rows = new Map<string, R>();
  for (const [name, row] of named ?? []) {
    if (typeof name !== 'string' && typeof name !== 'number') {
      throw new TypeError(`the name of a row must be a string or a number, not ${typeof name}`);
    }
    if (row === undefined) continue;
    const rowKey = `${key}/${escaped(String(name))}`;
    if (rows.has(rowKey)) throw new Error(`two rows have the name ${JSON.stringify(name)}; names must be unique`);
    rows.set(rowKey, row);
  }
  return rows;
}

function escaped(name: string): string {
  return /[%/]/.test(name) ? name.replaceAll('%', '%25').replaceAll('/', '%2F') : name;
}

/** Calls a function for each changed object. The function sets only the rows of that object. */
class ForEachObject<T, R> implements Derivation<readonly [T], R> {
  constructor(private readonly setRows: (key: string, object: T | undefined, rows: Rows<R>) => void) {}

  *fill([objects]: Versions<readonly [T]>, rows: Rows<R>): Slices<void> {
    yield* forEachInSlices(objects.keys(), (key) => {
      this.setRows(key, objects.get(key), rows);
    });
  }

  *update([{ current, keys }]: InputChanges<readonly [T]>, rows: Rows<R>): Slices<void> {
    yield* forEachInSlices(keys, (key) => {
      this.setRows(key, current.get(key), rows);
    });
  }
}
