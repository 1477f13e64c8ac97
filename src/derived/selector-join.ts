import type { Collection } from '../collections/collection.js';
import { partitionPrefix } from '../kubernetes/keys.js';
import type { AnyKubernetesObject } from '../kubernetes/object.js';
import { matcherOf, type Labels, type SelectorRequirement } from '../kubernetes/selector-requirement.js';
import { requirementsOf, type CheckedSelector, type LabelSelector } from '../kubernetes/selector.js';
import { forEachInSlices, objectsPerSlice, type Slices } from '../scheduling/slices.js';
import { checkedChoice } from '../sources/model/checked-options.js';
import { indexerConflictError } from '../store/errors.js';
import type { Indexers } from '../store/index-functions.js';
import type { IndexedSnapshot } from '../store/indexed-snapshot.js';
import type { Derivation, InputChanges, Rows, Versions } from './core/derivation.js';
import { derivedCollection, type DerivedCollection, type DerivedOptions } from './core/derived-collection.js';
import { KeysByValue } from './core/keys-by-value.js';
import { isInside, selectedByOf, type PartitionOptions } from './core/partitions.js';

/** The selectors of a `selectorJoin`, their scope, and the function that makes the rows. */
export interface SelectorJoin<
  L,
  R,
  V,
  S extends LabelSelector | null | undefined = LabelSelector | null | undefined,
> extends PartitionOptions {
  /**
   * Returns the label selector of an object. `undefined` selects nothing, an empty selector selects
   * everything. A plain map of labels, such as the `spec.selector` of a Service, is not a label
   * selector: see `serviceSelector`. `key` is the key of `selecting`.
   */
  readonly selector: (selecting: L, key: string) => CheckedSelector<S>;
  /**
   * The scope of each selector: the namespace of the selecting object, or its whole cluster. Over
   * several clusters, `across: true` extends both scopes to all clusters.
   */
  readonly within: 'namespace' | 'cluster';
  /**
   * Returns the fields of the row, or `undefined` or `null` for no row. `selecting` holds the
   * selecting objects in key order; it is empty if nothing selects the object. So `select` decides
   * whether such an object has a row. `key` is the key of the row. Default: `{ object }` for
   * each selected object.
   *
   * With `select`, each change of a selecting object recomputes the rows of the objects that it
   * selects. Without `select`, only a change of its selector recomputes these rows.
   */
  readonly select?: ((object: R, selecting: readonly L[], key: string) => V | null | undefined) | undefined;
}

/** The field that each row of `selectorJoin` has. The index `selectedBy` is built from it. */
export interface SelectedRow {
  /**
   * The keys of the objects that select this one, in order. Over several clusters, they contain the
   * cluster. So to join or group by them, use the index `selectedBy`; a function that returns them
   * needs `across: true`.
   */
  readonly selectedBy: readonly string[];
}

/**
 * Joins objects with the objects that select them by labels, such as pods with Services,
 * NetworkPolicies or PodDisruptionBudgets. The keys of the rows are those of the selected objects.
 * The index `selectedBy` finds the objects that one object selects. So the result answers these
 * questions:
 *
 * | question | answer |
 * | --- | --- |
 * | the services of this pod | `get$('web/a')`, field `selectedBy` |
 * | the pods of this service | `byIndex$('selectedBy', 'web/api')`, field `object` of each row |
 * | one row for each service | `groupJoin(services, selected, { on: 'selectedBy', … })`, or `groupBy` |
 *
 * | in | out |
 * | --- | --- |
 * | an object becomes selected | added; with `select`, updated if it already has a row |
 * | a selected object changes, or is selected by other objects | updated |
 * | an object is no longer selected by any object | deleted; with `select`, updated if `select` returns fields |
 * | a selected object is deleted | deleted |
 * | a selecting object is added or deleted, or its selector changes | the rows of the objects that it selects now, or selected before, are computed again |
 * | another part of a selecting object changes | nothing; with `select`, the rows of the objects that it selects are updated if they differ |
 *
 * Each selector is filed under the rarest label that it requires. So a changed object is compared
 * only with the selectors that are filed under its own labels, and a changed selector only with the
 * objects that have its rarest label. A selector that requires no label is compared with all
 * objects in its scope. The rarest label is determined when the selector is read. For each label
 * name that occurs in a selector, the objects are filed by the values of this label. This takes
 * about 30 bytes for each object, and the first selector with a new label name costs a pass over
 * all objects. A row takes about 200 bytes in all.
 *
 * If a selector is malformed, `errors$` emits an `RXI_DERIVED_ROW` that names the object with this
 * selector. That object selects nothing until it changes.
 *
 * @param selecting the objects that have selectors
 * @param objects the objects that have labels
 * @param join the selector and its scope
 * @param options the indexes and the settings of the result; see {@link DerivedOptions}
 * @returns a collection of the selected objects, with the index `selectedBy`
 * @throws `RXI_INDEXER_CONFLICT` if `indexers` have the name `selectedBy`
 * @example
 * const endpoints = derived.selectorJoin(serviceInformer, podInformer, {
 *   selector: derived.serviceSelector,
 *   within: 'namespace',
 * });
 * endpoints
 *   .byIndex$('selectedBy', 'web/api')
 *   .subscribe((rows) => console.log(rows.map(({ object }) => object.status?.podIP)));
 * endpoints.get$('web/a').subscribe((row) => console.log(row?.selectedBy ?? 'no service'));
 */
export function selectorJoin<
  L extends AnyKubernetesObject,
  R extends AnyKubernetesObject,
  V extends object = { readonly object: R },
  const I extends string = never,
  S extends LabelSelector | null | undefined = LabelSelector | null | undefined,
>(
  selecting: Collection<L>,
  objects: Collection<R>,
  join: SelectorJoin<L, R, V, S>,
  options: DerivedOptions<V & SelectedRow, I> = {},
): DerivedCollection<V & SelectedRow, I | 'selectedBy'> {
  type Row = V & SelectedRow;
  checkedChoice('within', join.within, 'namespace', 'cluster');
  if (Object.hasOwn(options.indexers ?? {}, 'selectedBy')) throw indexerConflictError(['selectedBy']);
  const indexers = { ...options.indexers, selectedBy: selectedByOf };
  return derivedCollection<readonly [L, R], Row, I | 'selectedBy'>(
    {
      operator: 'selectorJoin',
      inputs: [selecting, objects],
      inputNames: ['selecting', 'objects'],
      isPartitioned: isInside({}, objects),
      derivation: () =>
        new SelectorJoinDerivation<L, R, V>(join, scopesOf(join.within, isInside(join, selecting, objects))),
    },
    { ...options, indexers: indexers as unknown as Indexers<Row, I | 'selectedBy'> },
  );
}

/**
 * Returns the label selector of a Service or a ReplicationController, whose `spec.selector` is a
 * map of labels. If the map is missing or empty, the object selects nothing.
 *
 * @param service a Service, a ReplicationController, or any object with such a field
 * @returns the selector for {@link selectorJoin}; `undefined` selects nothing
 */
export function serviceSelector(service: {
  readonly spec?: { readonly selector?: Labels | undefined } | undefined;
}): LabelSelector | undefined {
  const matchLabels = service.spec?.selector ?? {};
  return Object.keys(matchLabels).length === 0 ? undefined : { matchLabels };
}

/** Labels, and scope: the partition, and the namespace unless selectors are cluster-wide. */
interface Labelled {
  readonly scope: string;
  readonly labels: Labels;
}

/**
 * The objects and the selectors for one label name, each filed by place. The place is `scope/value`
 * if the value of the label counts, and `scope` if only its name counts.
 */
class Shelf {
  readonly objects = new KeysByValue();
  readonly selectors = new KeysByValue();
}

/** A shelf and the places on it that contain each object that the selector selects. */
interface Spot {
  readonly shelf: Shelf;
  readonly places: readonly string[];
  /** The requirements that must still be tested for the objects in these places. */
  readonly remaining: readonly SelectorRequirement[];
}

/** A parsed selector, with all its possible positions. */
interface Reading {
  readonly scope: string;
  /** The requirements as JSON, to detect an unchanged selector. */
  readonly text: string;
  readonly spots: readonly Spot[];
}

/** A selector that was filed in its position. */
interface Filed extends Omit<Spot, 'remaining'>, Omit<Reading, 'spots'> {
  /** Tests the remaining requirements against the labels of an object in one of the places. */
  readonly matches: (labels: Labels) => boolean;
  /** The value of `selectedBy` that is shared by all objects that only this selector selects. */
  readonly alone: readonly string[];
}

class SelectorJoinDerivation<
  L extends AnyKubernetesObject,
  R extends AnyKubernetesObject,
  V extends object,
> implements Derivation<readonly [L, R], V & SelectedRow> {
  /**
   * The shelves by label name, for selectors that require values of the label (`#byValue`) or only
   * the label (`#byName`). A shelf is created when a selector first requires the label.
   */
  readonly #byValue = new Map<string, Shelf>();
  readonly #byName = new Map<string, Shelf>();
  /** The shelf for selectors that require no label. */
  #everything: Shelf | undefined;
  readonly #filed = new Map<string, Filed>();

  constructor(
    private readonly join: SelectorJoin<L, R, V>,
    private readonly scopeOf: ScopeOf,
  ) {}

  *fill([selecting, objects]: Versions<readonly [L, R]>, rows: Rows<V & SelectedRow>): Slices<void> {
    yield* this.#file(selecting.keysOnce(), selecting, objects, rows, undefined);
    yield* forEachInSlices(objects.keysOnce(), (key) => this.#set(key, selecting, objects, rows));
  }

  *update([selecting, objects]: InputChanges<readonly [L, R]>, rows: Rows<V & SelectedRow>): Slices<void> {
    const set = (key: string): void => this.#set(key, selecting.current, objects.current, rows);
    yield* forEachInSlices(objects.keys, (key) => {
      this.#move(key, objects.previous.get(key), objects.current.get(key));
      if (selecting.keys.length === 0) set(key);
    });
    if (selecting.keys.length === 0) return;
    const affected = new Set(objects.keys);
    yield* this.#file(selecting.keys, selecting.current, objects.current, rows, affected);
    yield* forEachInSlices(affected, set);
  }

  /** Files selectors again. Adds to `affected` the keys that they select now, or did before. */
  *#file(
    keys: readonly string[],
    selecting: IndexedSnapshot<L>,
    objects: IndexedSnapshot<R>,
    rows: Rows<V & SelectedRow>,
    affected: Set<string> | undefined,
  ): Slices<void> {
    const readings = new Map<string, Reading | undefined>();
    const added = new Set<Shelf>();
    yield* forEachInSlices(keys, (key) => {
      readings.set(key, this.#read(key, selecting.get(key), added, rows));
    });
    // New shelves are filled with all objects before any selector is filed, because the rarest
    // label is found by counting.
    if (added.size > 0) {
      yield* forEachInSlices(objects.keysOnce(), (key) =>
        this.#forEachPlace(labelledOrNone(objects.get(key), key, this.scopeOf), (shelf, place) => {
          if (added.has(shelf)) shelf.objects.add(place, key);
        }),
      );
    }
    let count = 0;
    for (const [key, reading] of readings) {
      if (++count % objectsPerSlice === 0) yield;
      const filed = this.#filed.get(key);
      const isSame = filed?.text === reading?.text && filed?.scope === reading?.scope;
      if (isSame && this.join.select === undefined) continue;
      if (filed !== undefined && affected !== undefined) yield* addSelected(filed, objects, affected);
      if (isSame) continue;
      if (filed !== undefined) for (const place of filed.places) filed.shelf.selectors.delete(place, key);
      this.#filed.delete(key);
      if (reading === undefined) continue;
      const next = filedOf(key, reading);
      for (const place of next.places) next.shelf.selectors.add(place, key);
      this.#filed.set(key, next);
      if (affected !== undefined) yield* addSelected(next, objects, affected);
    }
  }

  #read(key: string, object: L | undefined, added: Set<Shelf>, rows: Rows<V & SelectedRow>): Reading | undefined {
    if (object === undefined) return undefined;
    return rows.call('selector', [key], () => {
      const selector = this.join.selector(object, key);
      if (selector === undefined || selector === null) return undefined;
      const requirements = requirementsOf(selector);
      const scope = this.scopeOf(object, key);
      return { scope, text: JSON.stringify(requirements), spots: this.#spotsOf(scope, requirements, added) };
    });
  }

  /**
   * Returns the possible positions of a selector: one for each label whose value it requires;
   * otherwise one for each label that must exist; otherwise the shelf for all objects.
   */
  #spotsOf(scope: string, requirements: readonly SelectorRequirement[], added: Set<Shelf>): readonly Spot[] {
    const others = (required: SelectorRequirement): SelectorRequirement[] =>
      requirements.filter((requirement) => requirement !== required);
    const byValue = requirements.filter(({ operator }) => operator === 'In');
    if (byValue.length > 0) {
      return byValue.map((required) => ({
        shelf: shelfOf(this.#byValue, required.key, added),
        places: [...new Set(required.values)].map((value) => `${scope}/${value}`),
        remaining: others(required),
      }));
    }
    const byName = requirements.filter(({ operator }) => operator !== 'NotIn' && operator !== 'DoesNotExist');
    if (byName.length > 0) {
      return byName.map((required) => ({
        shelf: shelfOf(this.#byName, required.key, added),
        places: [scope],
        remaining: required.operator === 'Exists' ? others(required) : requirements,
      }));
    }
    if (this.#everything === undefined) added.add((this.#everything = new Shelf()));
    return [{ shelf: this.#everything, places: [scope], remaining: requirements }];
  }

  /** Files an object by its present labels. */
  #move(key: string, before: R | undefined, after: R | undefined): void {
    const from = labelledOrNone(before, key, this.scopeOf);
    const to = labelledOrNone(after, key, this.scopeOf);
    if (from?.labels === to?.labels && from?.scope === to?.scope) return;
    this.#forEachPlace(from, (shelf, place) => shelf.objects.delete(place, key));
    this.#forEachPlace(to, (shelf, place) => shelf.objects.add(place, key));
  }

  #forEachPlace(labelled: Labelled | undefined, visit: (shelf: Shelf, place: string) => void): void {
    if (labelled === undefined) return;
    const { scope, labels } = labelled;
    for (const name in labels) {
      const byValue = this.#byValue.get(name);
      if (byValue !== undefined) visit(byValue, `${scope}/${String(labels[name])}`);
      const byName = this.#byName.get(name);
      if (byName !== undefined) visit(byName, scope);
    }
    if (this.#everything !== undefined) visit(this.#everything, scope);
  }

  #set(key: string, selecting: IndexedSnapshot<L>, objects: IndexedSnapshot<R>, rows: Rows<V & SelectedRow>): void {
    const object = objects.get(key);
    rows.set(key, object === undefined ? undefined : this.#row(key, object, selecting, rows));
  }

  #row(
    key: string,
    object: R,
    selecting: IndexedSnapshot<L>,
    rows: Rows<V & SelectedRow>,
  ): (V & SelectedRow) | undefined {
    const { select } = this.join;
    const labelled = rows.call('labels', [key], () => labelledOf(object, key, this.scopeOf));
    if (labelled === undefined) return undefined;
    const selectedBy = this.#selectorsOf(labelled);
    if (select === undefined) {
      return selectedBy.length === 0 ? undefined : ({ object, selectedBy } as unknown as V & SelectedRow);
    }
    const fields = rows.call('select', [key, ...selectedBy], () =>
      checkedFields(
        select(
          object,
          selectedBy.map((selector) => selecting.get(selector) as L),
          key,
        ),
      ),
    );
    if (fields === undefined || Object.hasOwn(fields, '__proto__')) return fields && { ...fields, selectedBy };
    // In V8, `{ ...fields, selectedBy }` would take 220 bytes more for each row.
    return Object.assign({}, fields, { selectedBy });
  }

  /** Returns the keys of the objects that select an object, in order. */
  #selectorsOf(labelled: Labelled): readonly string[] {
    let first: Filed | undefined;
    let several: string[] | undefined;
    this.#forEachPlace(labelled, (shelf, place) => {
      for (const key of shelf.selectors.keys(place)) {
        const filed = this.#filed.get(key);
        if (filed?.matches(labelled.labels) !== true) continue;
        if (first === undefined) first = filed;
        else (several ??= [...first.alone]).push(key);
      }
    });
    return several?.sort() ?? first?.alone ?? none;
  }
}

const none: readonly never[] = Object.freeze([]);

/** The test of a selector whose requirements are all fulfilled by its place. */
const always = (): boolean => true;

const noLabels: Labels = Object.freeze({});

function shelfOf(shelves: Map<string, Shelf>, name: string, added: Set<Shelf>): Shelf {
  let shelf = shelves.get(name);
  if (shelf === undefined) {
    shelves.set(name, (shelf = new Shelf()));
    added.add(shelf);
  }
  return shelf;
}

/** Chooses the position with the fewest objects for a selector. */
function filedOf(key: string, { scope, text, spots }: Reading): Filed {
  let rarest: Spot | undefined;
  let fewest = Infinity;
  for (const spot of spots) {
    let count = 0;
    for (const place of spot.places) count += spot.shelf.objects.count(place);
    if (count < fewest) [rarest, fewest] = [spot, count];
  }
  const { shelf, places, remaining } = rarest as Spot;
  const matchers = remaining.map(matcherOf);
  const matchesAll = (labels: Labels): boolean => matchers.every((matcher) => matcher(labels));
  return {
    scope,
    text,
    shelf,
    places,
    matches: matchers.length === 0 ? always : matchesAll,
    alone: Object.freeze([key]),
  };
}

function* addSelected<R extends AnyKubernetesObject>(
  { shelf, places, matches }: Filed,
  objects: IndexedSnapshot<R>,
  selected: Set<string>,
): Slices<void> {
  for (const place of places) {
    yield* forEachInSlices(shelf.objects.keys(place), (key) => {
      if (matches(objects.get(key)?.metadata?.labels ?? noLabels)) selected.add(key);
    });
  }
}

type ScopeOf = (object: AnyKubernetesObject, key: string) => string;

function scopesOf(within: 'namespace' | 'cluster', isInside: boolean): ScopeOf {
  return ({ metadata }, key) =>
    (isInside ? partitionPrefix(key) : '') + (within === 'cluster' ? '' : (metadata?.namespace ?? ''));
}

function labelledOf(object: AnyKubernetesObject, key: string, scopeOf: ScopeOf): Labelled {
  const labels: unknown = object.metadata?.labels ?? noLabels;
  if (typeof labels !== 'object') throw new TypeError(`metadata.labels is not an object: ${JSON.stringify(labels)}`);
  return { scope: scopeOf(object, key), labels: labels as Labels };
}

/** Returns the labels of an object; `undefined` if it is missing or malformed. */
function labelledOrNone(object: AnyKubernetesObject | undefined, key: string, scopeOf: ScopeOf): Labelled | undefined {
  if (object === undefined) return undefined;
  try {
    return labelledOf(object, key, scopeOf);
  } catch {
    return undefined;
  }
}

function checkedFields<V extends object>(fields: V | null | undefined): V | undefined {
  if (fields === undefined || fields === null) return undefined;
  if (typeof fields === 'object' && Object.hasOwn(fields, 'selectedBy')) {
    throw new TypeError('select must not return the field selectedBy, which each row has anyway');
  }
  if (typeof fields === 'object' && !Array.isArray(fields)) return fields;
  throw new TypeError(`select must return an object or undefined, not ${JSON.stringify(fields)}`);
}
