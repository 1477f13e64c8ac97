import type { Collection } from '../informer/collection.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { matcherOf, type Labels, type SelectorRequirement } from '../kubernetes/parse-label-selector.js';
import { requirementsOf, type LabelSelector } from '../kubernetes/selector.js';
import { IndexerConflictError } from '../store/errors.js';
import type { Indexers } from '../store/index-functions.js';
import type { IndexedSnapshot } from '../store/indexed-snapshot.js';
import { forEachInSlices, type Slices } from '../store/slices.js';
import type { Derivation, InputChanges, Rows, Versions } from './core/derivation.js';
import { derivedCollection, type DerivedCollection, type DerivedOptions } from './core/derived-collection.js';
import { KeysByValue } from './core/keys-by-value.js';

/** What `selectorJoin` joins by, and what it makes of an object and those that select it. */
export interface SelectorJoin<L, R, V> {
  /**
   * Returns the label selector of an object. `undefined` selects nothing, an empty selector selects
   * everything. A map, as the `spec.selector` of a Service, is not a selector: see `serviceSelector`.
   */
  readonly selector: (selecting: L) => LabelSelector | null | undefined;
  /** Where a selector selects: in the namespace of the object that has it, or everywhere. */
  readonly within: 'namespace' | 'cluster';
  /**
   * Returns the fields of the row, or `undefined` for no row. `selecting` is in key order, and empty
   * if nothing selects the object. Default: `{ object }` for an object that something selects.
   *
   * With it, a change of a selecting object affects the rows of all that it selects; without it, only
   * a change of its selector does.
   */
  readonly select?: ((object: R, selecting: readonly L[]) => V | undefined) | undefined;
}

/** What each row of `selectorJoin` has: the index `selectedBy` is by it. */
export interface Selected {
  /** The keys of the objects that select this one, in order. */
  readonly selectedBy: readonly string[];
}

/**
 * Finds for each object those that select it by its labels, and with that for each selector what it
 * selects: Services, NetworkPolicies or PodDisruptionBudgets, and pods. Rows stand under the keys of
 * the selected objects, and the index `selectedBy` answers the other direction:
 *
 * | question | answer |
 * | --- | --- |
 * | the services of this pod | `get$('web/a')`, field `selectedBy` |
 * | the pods of this service | `byIndex$('selectedBy', 'web/api')`, field `object` of each row |
 * | one row for each service | `groupJoin(services, selected, { on: 'selectedBy', … })`, or `groupBy` |
 *
 * | in | out |
 * | --- | --- |
 * | an object comes to be selected by a first selector | added |
 * | a selected object changes, or others select it now | updated |
 * | an object is selected by none any more, or is deleted | deleted |
 * | a selecting object is added or deleted, or its selector changes | the rows of what it selects, and has selected |
 * | another part of a selecting object changes | nothing; with `select`, the rows of what it selects, if they differ |
 *
 * Each selector is filed under the rarest label that it requires, so an object that changes is
 * compared only with the selectors filed under its own labels. A selector that changes is compared
 * with the objects that have that label; one that requires no label with all objects of its namespace.
 * Which label is the rarest is decided when the selector is read. For each label name that occurs in a
 * selector, the objects are filed by their values, at about 30 bytes an object: the first selector with
 * a new name costs a pass over all objects. A row costs about 340 bytes in all, most of it for the
 * index.
 *
 * If a selector is malformed, a `DerivedRowError` names its object, which selects nothing until it
 * changes.
 *
 * @param selecting the objects that have selectors
 * @param objects the objects that have labels
 * @param join the selector and its scope
 * @throws `IndexerConflictError` if `indexers` have the name `selectedBy`
 * @example
 * const endpoints = derived.selectorJoin(serviceInformer, podInformer, { selector: derived.serviceSelector, within: 'namespace' });
 * endpoints.byIndex$('selectedBy', 'web/api').subscribe((rows) => console.log(rows.map(({ object }) => object.status?.podIP)));
 * endpoints.get$('web/a').subscribe((row) => console.log(row?.selectedBy ?? 'no service'));
 */
export function selectorJoin<
  L extends KubernetesObject,
  R extends KubernetesObject,
  V extends object = { readonly object: R },
  const I extends string = never,
>(
  selecting: Collection<L>,
  objects: Collection<R>,
  join: SelectorJoin<L, R, V>,
  options: DerivedOptions<V & Selected, I> = {},
): DerivedCollection<V & Selected, I | 'selectedBy'> {
  type Row = V & Selected;
  if (Object.hasOwn(options.indexers ?? {}, 'selectedBy')) throw new IndexerConflictError(['selectedBy']);
  const indexers = { ...options.indexers, selectedBy: (row: Row) => row.selectedBy };
  return derivedCollection<readonly [L, R], Row, I | 'selectedBy'>(
    {
      operator: 'selectorJoin',
      inputs: [selecting, objects],
      derivation: () => new SelectorJoinDerivation<L, R, V>(join),
    },
    { ...options, indexers: indexers as unknown as Indexers<Row, I | 'selectedBy'> },
  );
}

/**
 * Returns the selector of a Service or a ReplicationController, whose `spec.selector` is a map of
 * labels: without one, or with an empty one, it selects nothing.
 */
export function serviceSelector(service: {
  readonly spec?: { readonly selector?: Labels | undefined } | undefined;
}): LabelSelector | undefined {
  const matchLabels = service.spec?.selector ?? {};
  return Object.keys(matchLabels).length === 0 ? undefined : { matchLabels };
}

/** The labels of an object, and the namespace in which selectors see it. */
interface Labelled {
  readonly scope: string;
  readonly labels: Labels;
}

/**
 * The objects and the selectors that have a label of one name in common, by place: `namespace/value`
 * for a value of the label, `namespace` where only its name counts.
 */
class Shelf {
  readonly objects = new KeysByValue();
  readonly selectors = new KeysByValue();
}

/** Where a selector can stand: any object that it selects stands in one of the places. */
interface Spot {
  readonly shelf: Shelf;
  readonly places: readonly string[];
  /** What remains to be tested of the objects there. */
  readonly remaining: readonly SelectorRequirement[];
}

/** A selector as it was read. */
interface Reading {
  readonly scope: string;
  /** The same text for the same selector. */
  readonly text: string;
  readonly spots: readonly Spot[];
}

/** A selector in its place. */
interface Filed extends Omit<Spot, 'remaining'>, Omit<Reading, 'spots'> {
  /** Tests the labels of an object that stands in one of the places. */
  readonly matches: (labels: Labels) => boolean;
  /** `selectedBy` of the objects that nothing else selects. */
  readonly alone: readonly string[];
}

class SelectorJoinDerivation<
  L extends KubernetesObject,
  R extends KubernetesObject,
  V extends object,
> implements Derivation<readonly [L, R], V & Selected> {
  /** By the name of a label; there are only shelves that a selector could stand on. */
  readonly #byValue = new Map<string, Shelf>();
  readonly #byName = new Map<string, Shelf>();
  /** One shelf, for selectors that require no label. */
  #everything: Shelf | undefined;
  readonly #filed = new Map<string, Filed>();

  constructor(private readonly join: SelectorJoin<L, R, V>) {}

  *fill([selecting, objects]: Versions<readonly [L, R]>, rows: Rows<V & Selected>): Slices<void> {
    yield* this.#file(selecting.keys(), selecting, objects, rows, undefined);
    yield* forEachInSlices(objects.keys(), (key) => {
      this.#set(key, selecting, objects, rows);
    });
  }

  *update([selecting, objects]: InputChanges<readonly [L, R]>, rows: Rows<V & Selected>): Slices<void> {
    const set = (key: string): void => {
      this.#set(key, selecting.current, objects.current, rows);
    };
    yield* forEachInSlices(objects.keys, (key) => {
      this.#move(key, objects.previous.get(key), objects.current.get(key));
      if (selecting.keys.length === 0) set(key);
    });
    if (selecting.keys.length === 0) return;
    const affected = new Set(objects.keys);
    yield* this.#file(selecting.keys, selecting.current, objects.current, rows, affected);
    yield* forEachInSlices(affected, set);
  }

  /** Files selectors where they belong now, and adds the keys of what they select, or did, to `affected`. */
  *#file(
    keys: readonly string[],
    selecting: IndexedSnapshot<L>,
    objects: IndexedSnapshot<R>,
    rows: Rows<V & Selected>,
    affected: Set<string> | undefined,
  ): Slices<void> {
    const readings = new Map<string, Reading | undefined>();
    const added = new Set<Shelf>();
    yield* forEachInSlices(keys, (key) => {
      readings.set(key, this.#read(key, selecting.get(key), added, rows));
    });
    // All shelves are filled before a selector is filed, so that the rarest label is known.
    if (added.size > 0) {
      yield* forEachInSlices(objects.keys(), (key) => {
        this.#forEachPlace(labelledOrNone(objects.get(key), this.join.within), (shelf, place) => {
          if (added.has(shelf)) shelf.objects.add(place, key);
        });
      });
    }
    for (const [key, reading] of readings) {
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

  #read(key: string, object: L | undefined, added: Set<Shelf>, rows: Rows<V & Selected>): Reading | undefined {
    if (object === undefined) return undefined;
    return rows.call('selector', [key], () => {
      const selector = this.join.selector(object);
      if (selector === undefined || selector === null) return undefined;
      const requirements = requirementsOf(selector);
      const scope = scopeOf(object, this.join.within);
      return { scope, text: JSON.stringify(requirements), spots: this.#spotsOf(scope, requirements, added) };
    });
  }

  /** Returns a spot for each label that is required; without any, one for each name; without any, that of everything. */
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

  /** Puts an object where its labels belong now. */
  #move(key: string, before: R | undefined, after: R | undefined): void {
    const from = labelledOrNone(before, this.join.within);
    const to = labelledOrNone(after, this.join.within);
    if (from?.labels === to?.labels && from?.scope === to?.scope) return;
    this.#forEachPlace(from, (shelf, place) => {
      shelf.objects.delete(place, key);
    });
    this.#forEachPlace(to, (shelf, place) => {
      shelf.objects.add(place, key);
    });
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

  #set(key: string, selecting: IndexedSnapshot<L>, objects: IndexedSnapshot<R>, rows: Rows<V & Selected>): void {
    const object = objects.get(key);
    rows.set(key, object === undefined ? undefined : this.#row(key, object, selecting, rows));
  }

  #row(key: string, object: R, selecting: IndexedSnapshot<L>, rows: Rows<V & Selected>): (V & Selected) | undefined {
    const { select, within } = this.join;
    const labelled = rows.call('labels', [key], () => labelledOf(object, within));
    if (labelled === undefined) return undefined;
    const selectedBy = this.#selectorsOf(labelled);
    if (select === undefined) {
      return selectedBy.length === 0 ? undefined : ({ object, selectedBy } as unknown as V & Selected);
    }
    const fields = rows.call('select', [key, ...selectedBy], () =>
      checkedFields(
        select(
          object,
          selectedBy.map((selector) => selecting.get(selector) as L),
        ),
      ),
    );
    // `{ ...fields, selectedBy }` takes 220 bytes more in V8, for each row.
    return fields && Object.assign({}, fields, { selectedBy });
  }

  /** Returns the keys of the objects that select, in order. */
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

const noLabels: Labels = Object.freeze({});

function shelfOf(shelves: Map<string, Shelf>, name: string, added: Set<Shelf>): Shelf {
  let shelf = shelves.get(name);
  if (shelf === undefined) {
    shelves.set(name, (shelf = new Shelf()));
    added.add(shelf);
  }
  return shelf;
}

/** Files a selector in the spot where the fewest objects stand. */
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
  const matches = (labels: Labels): boolean => matchers.every((matcher) => matcher(labels));
  return { scope, text, shelf, places, matches, alone: Object.freeze([key]) };
}

function* addSelected<R extends KubernetesObject>(
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

function scopeOf(object: KubernetesObject, within: 'namespace' | 'cluster'): string {
  return within === 'cluster' ? '' : (object.metadata?.namespace ?? '');
}

function labelledOf(object: KubernetesObject, within: 'namespace' | 'cluster'): Labelled {
  const labels: unknown = object.metadata?.labels ?? noLabels;
  if (typeof labels !== 'object') throw new TypeError(`metadata.labels is not an object: ${JSON.stringify(labels)}`);
  return { scope: scopeOf(object, within), labels: labels as Labels };
}

/** Returns `undefined` also for an object that cannot be read, which has no row. */
function labelledOrNone(object: KubernetesObject | undefined, within: 'namespace' | 'cluster'): Labelled | undefined {
  if (object === undefined) return undefined;
  try {
    return labelledOf(object, within);
  } catch {
    return undefined;
  }
}

function checkedFields<V extends object>(fields: V | undefined): V | undefined {
  if (fields === undefined || (typeof fields === 'object' && (fields as unknown) !== null && !Array.isArray(fields))) {
    return fields;
  }
  throw new TypeError(`select must return an object or undefined, not ${JSON.stringify(fields)}`);
}
