import { distinctUntilChanged, isObservable, map as mapValues, type Observable } from 'rxjs';
import type { Collection } from '../informer/collection.js';
import { formatLabelSelector } from '../kubernetes/selector.js';
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
 * | it changes, and is selected now | added |
 * | it changes, and is no longer selected | deleted |
 * | it is deleted, and was selected | deleted |
 * | the selection changes | what enters is added, what leaves is deleted, in one commit |
 *
 * Costs one call of the function for each object that changed (J5).
 *
 * An Observable is subscribed while the collection runs. The collection syncs when it has emitted.
 * Each value selects among all objects again, at a cost of O(n); the same function, or a selector
 * that means the same, is no change. If it emits an invalid selector, `errors$` emits a
 * `DerivedRowError` and the selection before stays. If it errors, `errors$` emits a
 * `DerivedRowError`; after that, and after it completes, the last selection stays.
 *
 * @param collection what to read
 * @param selection a label selector, or a pure function that is called once for each version of an
 * object; or an Observable of either
 * @returns a collection of the same objects, by identity
 * @throws `InvalidSelectorError`
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
        // A selector that is invalid is thrown by the function, which the collection reports.
        mapValues((selected) => () => filterBy(predicateOf(selected))()),
      )
    : filterBy(predicateOf(selection));
  return derivedCollection<readonly [T], T, I>(
    {
      operator: 'filter',
      inputs: [collection],
      derivation,
      // The rows are the objects of the input, which has done both.
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
 * Makes one row of each object, under the key of the object.
 *
 * | in | out |
 * | --- | --- |
 * | an object is added | added, if `project` returns a row |
 * | it changes | updated, if the row differs; added or deleted if there is a row now, or none any more |
 * | it is deleted | deleted |
 *
 * Rows are compared deeply, and the parts of a row that are equal stay the same objects (J3): an
 * update of a pod that changes nothing of its row is no change.
 *
 * Costs one call of `project` for each object that changed (J5).
 *
 * @param collection what to read
 * @param project returns the row of an object, or `undefined` for none; it must be pure
 * @example
 * const phases = derived.map(podInformer, (pod, key) => ({ key, phase: pod.status?.phase ?? 'Unknown' }));
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
 * The rows of one object, each with its name: what `map` of an array, a `Map`, `Object.entries` and
 * `array.entries()` return. A row that is `undefined` is left out.
 */
export type NamedRows<R> = Iterable<readonly [name: string | number, row: R | undefined]>;

/**
 * Makes any number of rows of each object: the containers of pods, their images, their volumes.
 *
 * | in | out |
 * | --- | --- |
 * | an object is added | its rows are added |
 * | it changes | rows with new names are added, those that differ are updated, those whose name is gone are deleted |
 * | it is deleted | its rows are deleted |
 *
 * Each row has a name, which is unique in its object. Its key is that of the object, a slash and the
 * name: `web/a/nginx`. A slash in the name is written `%2F` and a percent sign `%25`, so what
 * precedes the last slash of a key is always the key of the object.
 *
 * Choose names that stay with what they name. With positions, `containers.entries()`, a container
 * that is inserted first changes all rows behind it.
 *
 * Costs one call of `project` for each object that changed, and the rows of that object (J5).
 *
 * Two rows of one name, a name that is neither a string nor a number, and a result that is not
 * iterable are a `DerivedRowError`: the object has no rows until it changes.
 *
 * @param collection what to read
 * @param project returns the rows of an object by name, or `undefined` for none; it must be pure
 * @example
 * const containers = derived.flatMap(
 *   podInformer,
 *   (pod) => pod.spec?.containers.map((container) => [container.name, { pod, image: container.image }]),
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
      const named = object && rows.call('project', [key], () => rowsByKey(key, project(object, key)));
      for (const row of before) if (named?.has(row) !== true) rows.delete(row);
      if (named === undefined || named.size === 0) {
        keysOf.delete(key);
        return;
      }
      for (const [row, value] of named) rows.set(row, value);
      // The array before is kept if it says the same, because most changes leave the names alone.
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

/** Computes what each object that changed contributes to the rows, by itself. */
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
