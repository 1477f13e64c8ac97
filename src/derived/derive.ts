import type { Collection } from '../informer/collection.js';
import type { IndexedSnapshot } from '../store/indexed-snapshot.js';
import { forEachInSlices, type Slices } from '../store/slices.js';
import type { Derivation, InputChanges, Rows, Versions } from './core/derivation.js';
import { derivedCollection, type DerivedCollection, type DerivedOptions } from './core/derived-collection.js';
import { ReadTracker, type TrackedReads } from './core/tracked-reads.js';

/** The collections that a function of `derive` may read, by name. */
export type ReadableCollections = Readonly<Record<string, Collection<unknown>>>;

/** What a function of `derive` reads them with: `read.nodes.get('worker-1')`. */
export type ReadsOf<Cs extends ReadableCollections> = {
  readonly [Name in keyof Cs]: Cs[Name] extends Collection<infer T, infer I> ? TrackedReads<T, I> : never;
};

/**
 * Computes one row for each object by a function that may read other collections, under the object's
 * key. It is for what joins and groups cannot say.
 *
 * | in | out |
 * | --- | --- |
 * | an object is added or changes | its row is computed |
 * | an object that a row has read with `get` changes, appears or disappears | that row is computed again |
 * | an object enters, leaves or changes in a bucket that a row has read | that row is computed again |
 * | the answer of a query that a row has read differs | that row is computed again |
 * | the function returns `undefined` | no row; it is called again when something that it has read changes |
 * | an object is deleted | its row is deleted |
 *
 * Only what a call has read counts, so what is read may depend on what was read before. A row that is
 * equal to the one before is no change.
 *
 * The collections to read are given by name, and exist before the result does, so a cycle cannot be
 * written. A function that reads a derived collection through a variable instead of `read` sees some
 * version of it, and is not called when it changes.
 *
 * A commit costs O(changed objects), and a call for each row that is affected, whatever the size of
 * the collections (J5). A query with a footprint of everything is asked again for each commit of its
 * collection. Memory: about 70 bytes for a row that reads one thing, 40 for each further one, and
 * about 100 for each distinct key, bucket or query.
 *
 * If the function throws, or returns a promise, a `DerivedRowError` has the keys of the object and of
 * those that were read with `get`. The row is absent until something that was read changes (J6).
 *
 * @param collection whose objects become rows
 * @param others what may be read, by name
 * @param compute returns the row, `undefined` for none. It must be pure and synchronous, and is called
 * once for each version of the object and of what it has read
 * @returns a collection of the rows
 * @example
 * const zones = derived.derive(podInformer, { nodes: nodeInformer }, (pod, read) => ({
 *   pod: pod.metadata.name,
 *   zone: read.nodes.get(pod.spec?.nodeName ?? '')?.metadata.labels?.['topology.kubernetes.io/zone'],
 * }));
 * zones.list$().subscribe((rows) => console.log(rows));
 */
export function derive<T, const Cs extends ReadableCollections, R, const I extends string = never>(
  collection: Collection<T>,
  others: Cs,
  compute: (object: T, read: ReadsOf<Cs>) => R | undefined,
  options: DerivedOptions<R, I> = {},
): DerivedCollection<R, I> {
  const names = Object.keys(others);
  return derivedCollection<readonly unknown[], R, I>(
    {
      operator: 'derive',
      inputs: [collection, ...Object.values<Collection<unknown>>(others)],
      derivation: () => new Derive<T, R>(names, compute as (object: T, read: unknown) => R | undefined),
    },
    options,
  );
}

class Derive<T, R> implements Derivation<readonly unknown[], R> {
  readonly #tracker: ReadTracker;
  readonly #read: Readonly<Record<string, TrackedReads<unknown>>>;

  constructor(
    names: readonly string[],
    private readonly compute: (object: T, read: unknown) => R | undefined,
  ) {
    this.#tracker = new ReadTracker(names);
    this.#read = Object.fromEntries(this.#tracker.inputs.map((input) => [input.name, input]));
  }

  *fill([objects, ...others]: Versions<readonly unknown[]>, rows: Rows<R>): Slices<void> {
    this.#readFrom(others);
    if (objects !== undefined) yield* this.#setAll(objects.keys(), objects, rows);
  }

  *update([objects, ...others]: InputChanges<readonly unknown[]>, rows: Rows<R>): Slices<void> {
    if (objects === undefined) return;
    const { previous, current, keys } = objects;
    const affected = new Set(keys.filter((key) => previous.get(key) !== current.get(key)));
    // All of them first: computing a row changes what is tracked.
    for (const [position, input] of this.#tracker.inputs.entries()) {
      const change = others[position];
      if (change !== undefined) yield* input.collect(change, affected);
    }
    this.#readFrom(others.map((change) => change.current));
    yield* this.#setAll(affected, current, rows);
  }

  *#setAll(keys: Iterable<string>, objects: IndexedSnapshot<unknown>, rows: Rows<R>): Slices<void> {
    yield* forEachInSlices(keys, (key) => {
      rows.set(key, this.#row(key, objects.get(key) as T | undefined, rows));
    });
  }

  #row(key: string, object: T | undefined, rows: Rows<R>): R | undefined {
    if (object === undefined) {
      this.#tracker.forget(key);
      return undefined;
    }
    const keys = [key];
    return rows.call('compute', keys, () => {
      try {
        return synchronous(this.#tracker.track(key, () => this.compute(object, this.#read)));
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

/** Reads after an `await` would not be tracked, so a promise is no row. */
function synchronous<R>(row: R): R {
  const then: unknown = (row as { readonly then?: unknown } | null | undefined)?.then;
  if (typeof then === 'function') throw new TypeError('it returned a promise; return the row itself');
  return row;
}
