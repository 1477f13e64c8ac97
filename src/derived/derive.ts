import type { Collection } from '../collections/collection.js';
import { forEachInSlices, type Slices } from '../scheduling/slices.js';
import type { IndexedSnapshot } from '../store/indexed-snapshot.js';
import type { Derivation, InputChanges, Rows, Versions } from './core/derivation.js';
import { derivedCollection, type DerivedCollection, type DerivedOptions } from './core/derived-collection.js';
import { ReadTracker, type TrackedReads } from './core/tracked-reads.js';

/** The collections that a function of `derive` may read, by name. */
export type ReadableCollections = Readonly<Record<string, Collection<unknown>>>;

/** The parameter `read` of `derive`, by collection: `read.nodes.get('worker-1')`. */
export type ReadsOf<Cs extends ReadableCollections> = {
  readonly [Name in keyof Cs]: Cs[Name] extends Collection<infer T, infer I> ? TrackedReads<T, I> : never;
};

/**
 * Computes one row for each object, by a function that may read other collections. The key of the
 * row is the key of the object. Use it for relations that joins and groups cannot express.
 *
 * | in | out |
 * | --- | --- |
 * | an object is added or changes | its row is computed |
 * | an object that a row has read with `get` changes, appears or disappears | that row is computed again |
 * | an object enters, leaves or changes in a bucket that a row has read | that row is computed again |
 * | the answer of a query that a row has read differs | that row is computed again |
 * | the function returns `undefined` or `null` | no row; it is called again when something that it has read changes |
 * | an object is deleted | its row is deleted |
 *
 * The reads of the latest call decide when a row is computed again, so each call may read different
 * objects, buckets and queries. A row that equals the previous one is no change.
 *
 * The collections to read must exist before the result is created, so cycles are impossible. Read
 * them only through `read`. A collection that is read through a variable may be in any version, and
 * its changes do not cause a new call; in development, this is reported on the console. Snapshots
 * that were taken before cannot be recognised. Over several clusters, `read` reads all of them,
 * with complete keys: the last parameter of the function is the key of its object, which contains
 * the cluster.
 *
 * A commit costs O(changed objects) and one call for each affected row, regardless of the size of
 * the collections (J5). A query with a footprint of everything runs again for each commit of its
 * collection. Memory: about 70 bytes for a row with one read, 40 bytes for each further read, and
 * about 100 bytes for each distinct key, bucket or query.
 *
 * If the function throws or returns a promise, `errors$` emits an `RXI_DERIVED_ROW` with the key of
 * the object and the keys that were read with `get`. The row is absent until the object, or
 * something that the call read, changes (J6).
 *
 * @param collection the objects that become rows
 * @param others the collections that the function may read, by name
 * @param compute returns the row, or `undefined` or `null` for none. It must be pure and
 *   synchronous. It is called once for each version of the object and of everything that it has
 *   read
 * @param options the indexes and the settings of the result; see {@link DerivedOptions}
 * @returns a collection of the rows
 * @example
 * const zones = derived.derive(podInformer, { nodes: nodeInformer }, (pod, read) => ({
 *   pod: pod.metadata.name,
 *   zone: read.nodes.get(pod.spec?.nodeName ?? '')?.metadata.labels?.[
 *     'topology.kubernetes.io/zone'
 *   ],
 * }));
 * zones.list$().subscribe((rows) => console.log(rows));
 */
export function derive<T, const Cs extends ReadableCollections, R, const I extends string = never>(
  collection: Collection<T>,
  others: Cs,
  compute: (
    object: T,
    read: ReadsOf<Cs>,
    key: string,
  ) => (R extends PromiseLike<unknown> ? never : R) | null | undefined,
  options: DerivedOptions<R, I> = {},
): DerivedCollection<R, I> {
  const names = Object.keys(others);
  return derivedCollection<readonly unknown[], R, I>(
    {
      operator: 'derive',
      inputs: [collection, ...Object.values<Collection<unknown>>(others)],
      inputNames: ['collection', ...names],
      derivation: () => new Derive<T, R>(names, compute as Compute<T, R>),
    },
    options,
  );
}

type Compute<T, R> = (object: T, read: unknown, key: string) => R | null | undefined;

class Derive<T, R> implements Derivation<readonly unknown[], R> {
  readonly #tracker: ReadTracker;
  readonly #read: Readonly<Record<string, TrackedReads<unknown>>>;

  constructor(
    names: readonly string[],
    private readonly compute: Compute<T, R>,
  ) {
    this.#tracker = new ReadTracker(names);
    this.#read = Object.fromEntries(this.#tracker.inputs.map((input) => [input.name, input]));
  }

  *fill([objects, ...others]: Versions<readonly unknown[]>, rows: Rows<R>): Slices<void> {
    this.#readFrom(others);
    if (objects !== undefined) yield* this.#setAll(objects.keysOnce(), objects, rows);
  }

  *update([objects, ...others]: InputChanges<readonly unknown[]>, rows: Rows<R>): Slices<void> {
    if (objects === undefined) return;
    const { previous, current, keys } = objects;
    const affected = new Set(keys.filter((key) => previous.get(key) !== current.get(key)));
    // Collect affected rows before any is computed, which changes the tracked reads.
    for (const [position, input] of this.#tracker.inputs.entries()) {
      const change = others[position];
      if (change !== undefined) yield* input.collect(change, affected);
    }
    this.#readFrom(others.map((change) => change.current));
    yield* this.#setAll(affected, current, rows);
  }

  *#setAll(keys: Iterable<string>, objects: IndexedSnapshot<unknown>, rows: Rows<R>): Slices<void> {
    yield* forEachInSlices(keys, (key) => rows.set(key, this.#row(key, objects.get(key) as T | undefined, rows)));
  }

  #row(key: string, object: T | undefined, rows: Rows<R>): R | null | undefined {
    if (object === undefined) {
      this.#tracker.forget(key);
      return undefined;
    }
    const keys = [key];
    return rows.call('compute', keys, () => {
      try {
        return synchronous(this.#tracker.track(key, () => this.compute(object, this.#read, key)));
      } catch (cause) {
        keys.push(...this.#tracker.keysReadBy(key));
        throw cause;
      }
    });
  }

  #readFrom(versions: readonly IndexedSnapshot<unknown>[]): void {
    this.#tracker.inputs.forEach((input, position) => {
      const version = versions[position];
      if (version !== undefined) input.version = version;
    });
  }
}

/** Throws for a promise, because reads after an `await` would not be tracked. */
function synchronous<R>(row: R): R {
  const then: unknown = (row as { readonly then?: unknown } | null | undefined)?.then;
  if (typeof then === 'function') throw new TypeError('it returned a promise; return the row itself');
  return row;
}
