import type { Observable } from 'rxjs';
import type { Collection } from '../collections/collection.js';
import { invalidOptionError } from '../kubernetes/errors.js';
import { partitionPrefix } from '../kubernetes/keys.js';
import { forEachInSlices, type Slices } from '../scheduling/slices.js';
import type { ChangeSet } from '../store/change.js';
import type { IndexedSnapshot } from '../store/indexed-snapshot.js';
import type { Derivation, InputChanges, Rows, Versions } from './core/derivation.js';
import { derivedCollection, type DerivedCollection, type DerivedOptions } from './core/derived-collection.js';
import { isInside } from './core/partitions.js';

/** The objects of a collection. */
export type ObjectOf<C> = C extends { readonly changes$: Observable<ChangeSet<infer T>> } ? T : never;

/** An object of one of several collections, and where it comes from. */
export interface Member<T = unknown, F extends string = string> {
  /** The name of its collection, which narrows the type of the object. */
  readonly from: F;
  /** The key of the object in its collection. */
  readonly key: string;
  readonly object: T;
}

/** The names of collections; for a list, its positions (`'0'`). */
export type NameIn<C> = Extract<
  C extends readonly unknown[] ? Exclude<keyof C, keyof (readonly unknown[])> : keyof C,
  string
>;

/** The members of several collections, as a union discriminated by `from`. */
export type MemberOf<C> = { readonly [K in NameIn<C>]: Member<ObjectOf<C[K]>, K> }[NameIn<C>];

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
 * Collections of different kinds often share keys. Pass them by name, so that no object hides
 * another one.
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
  options?: DerivedOptions<Ts[number], I>,
): DerivedCollection<Ts[number], I>;
/**
 * Holds the objects of several collections, each in a row of its own, even if they share keys: a
 * Service does not hide the Deployment of the same name. The key of a row begins with the name of
 * its collection, such as `deployments/web/api`, or `eu:deployments/web/api` over several clusters.
 *
 * | in | out |
 * | --- | --- |
 * | an object is added | its row is added |
 * | an object changes, or another object with the same key replaces it | its row is updated |
 * | an object is deleted | its row is deleted |
 *
 * Each changed object costs O(log n) (J5).
 *
 * @param collections the collections to read, by name
 * @param options the indexes and the settings of the result; see {@link DerivedOptions}
 * @returns a collection with one {@link Member} for each object
 * @throws `RXI_INVALID_OPTION` if there is no collection, or a name contains `/`
 * @example
 * const deploymentInformer = informer(client, deployments);
 * const all = derived.union({ deployments: deploymentInformer, pods: podInformer });
 * all.list$().subscribe((members) => {
 *   for (const { from, object } of members)
 *     if (from === 'pods') console.log(object.status?.phase);
 * });
 */
export function union<const C extends Readonly<Record<string, Collection<unknown>>>, const I extends string = never>(
  collections: C,
  options?: DerivedOptions<MemberOf<C>, I>,
): DerivedCollection<MemberOf<C>, I>;
export function union(collections: object, options: object = {}): DerivedCollection<unknown> {
  return Array.isArray(collections)
    ? firstOf(collections as readonly Collection<unknown>[], options)
    : membersOf(collections as Readonly<Record<string, Collection<unknown>>>, options);
}

function membersOf(
  collections: Readonly<Record<string, Collection<unknown>>>,
  options: DerivedOptions<Member, string>,
): DerivedCollection<Member> {
  const names = Object.keys(collections);
  const inputs = Object.values(collections);
  const wrong = names.find((name) => name.includes('/'));
  if (wrong !== undefined) throw invalidOptionError('a name in union', wrong, 'a name without "/"');
  const isPartitioned = inputs.length > 0 && isInside({}, ...inputs);
  return derivedCollection<readonly unknown[], Member, string>(
    {
      operator: 'union',
      inputs,
      inputNames: names,
      isPartitioned,
      derivation: () => new Members(names, isPartitioned),
      // The rows hold objects of the inputs, as below.
      shareStructure: false,
      freeze: false,
    },
    options,
  );
}

/** One row for each object of each input, with a key that begins with the name of the input. */
class Members implements Derivation<readonly unknown[], Member> {
  constructor(
    private readonly names: readonly string[],
    private readonly isPartitioned: boolean,
  ) {}

  *fill(versions: Versions<readonly unknown[]>, rows: Rows<Member>): Slices<void> {
    for (const [input, version] of versions.entries()) yield* this.#setAll(input, version.keysOnce(), version, rows);
  }

  *update(changes: InputChanges<readonly unknown[]>, rows: Rows<Member>): Slices<void> {
    for (const [input, { keys, current }] of changes.entries()) yield* this.#setAll(input, keys, current, rows);
  }

  *#setAll(
    input: number,
    keys: readonly string[],
    objects: IndexedSnapshot<unknown>,
    rows: Rows<Member>,
  ): Slices<void> {
    const from = this.names[input] as string;
    yield* forEachInSlices(keys, (key) => {
      const object = objects.get(key);
      const partition = this.isPartitioned ? partitionPrefix(key) : '';
      const row = `${partition}${from}/${key.slice(partition.length)}`;
      const member = object === undefined ? undefined : Object.freeze({ from, key, object });
      rows.set(row, member);
    });
  }
}

function firstOf<Ts extends readonly unknown[], I extends string>(
  collections: { readonly [K in keyof Ts]: Collection<Ts[K]> },
  options: DerivedOptions<Ts[number], I>,
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
    for (const version of versions) yield* this.#setAll(version.keysOnce(), versions, rows);
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
