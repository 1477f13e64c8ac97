import { invalidOptionError } from '../kubernetes/errors.js';
import { forEachInSlices, type Slices } from '../scheduling/slices.js';
import { emptySnapshot, type IndexedSnapshot } from '../store/indexed-snapshot.js';
import { fieldsOf, rowOf, type Aggregate, type RowField } from './aggregates.js';
import type { Derivation, InputChanges, Rows, Versions } from './core/derivation.js';
import { derivedCollection, type DerivedCollection, type DerivedOptions } from './core/derived-collection.js';
import type { OwnerNode, OwnerTree } from './owner-tree.js';

/** Functions from which `rollUp` computes the value of a node, instead of aggregates. */
export interface Combination<N, V> {
  /** Returns the node's own contribution, without its children. The function must be pure. */
  readonly own: (node: N) => V;
  /** Returns the value of a node from its children's, by uid. Must be pure. */
  readonly combine: (own: V, children: readonly V[]) => V;
  /**
   * Has no effect at run time. TypeScript tests an object of aggregates against this overload
   * first. Because of this index signature, it infers the type of `node` in the functions of that
   * object.
   */
  readonly [name: string]: Aggregate<N, unknown> | ((...parameters: never[]) => unknown);
}

/**
 * Computes a value for each node of an owner tree, by a function of the values of its children. The
 * rows are the values; their keys are the uids of the nodes.
 *
 * A change costs O(children) for each node on the way up, until a value stays equal. Aggregates
 * cost only O(1) for each of these nodes: use them if nodes have many children.
 *
 * If a function throws for a node, the node has no row, and its owner is computed without it.
 *
 * @param tree the owner tree to read
 * @param combination the functions that compute the value of a node from the values of its children
 * @param options the indexes and the settings of the result; see {@link DerivedOptions}
 * @returns a collection of the values
 * @example
 * const tree = derived.ownerTree({
 *   deployments: informer(client, deployments),
 *   replicaSets: informer(client, replicaSets),
 *   pods: podInformer,
 * });
 * const height = derived.rollUp(tree, {
 *   own: () => 0,
 *   combine: (own, children) => Math.max(own, ...children.map((child) => child + 1)),
 * });
 */
export function rollUp<N extends OwnerNode, V, const I extends string = never>(
  tree: OwnerTree<N>,
  combination: Combination<N, V>,
  options?: DerivedOptions<V, I>,
): DerivedCollection<V, I>;
/**
 * Computes aggregates for each node of an owner tree, over the node and all nodes below it, such as
 * the number of ready pods under each Deployment. The keys of the rows are the uids of the nodes.
 *
 * | in | out |
 * | --- | --- |
 * | the contribution of a node changes | its row, and the rows above it, are updated if they differ |
 * | a node is added, or gets an owner | the rows above it are updated |
 * | a node is deleted, or loses its owner | the rows that were above it are updated |
 *
 * A change costs O(depth), regardless of the number of children: for each node on the way up, the
 * old total of the child is subtracted and the new one is added. The walk ends at the first node
 * whose totals stay equal. A node that moves keeps its totals, and the nodes below it are not read.
 *
 * If a function throws for a node, the node has no row and contributes nothing. The nodes below it
 * count as usual. `errors$` emits an `RXI_DERIVED_ROW` with the key of the node's object.
 *
 * @param tree the owner tree to read
 * @param aggregates the aggregates by the names of their fields, as for `groupBy`: `count`, `sum`,
 * `mean`, `tally`, `min`, `max`, `topK`, over the node and all nodes below it
 * @param options the indexes and the settings of the result; see {@link DerivedOptions}
 * @returns a collection with one row for each node
 * @throws `RXI_INVALID_OPTION` for a custom aggregate, whose totals cannot be added to each other
 * @example
 * const tree = derived.ownerTree({
 *   deployments: informer(client, deployments),
 *   replicaSets: informer(client, replicaSets),
 *   pods: podInformer,
 * });
 * const totals = derived.rollUp(tree, {
 *   pods: derived.count((node) => node.from === 'pods'),
 *   running: derived.count(
 *     (node) => node.from === 'pods' && node.object.status?.phase === 'Running',
 *   ),
 * });
 * totals
 *   .get$('the uid of a deployment')
 *   .subscribe((total) => console.log(total?.running, 'of', total?.pods));
 */
export function rollUp<N extends OwnerNode, R extends object, const I extends string = never>(
  tree: OwnerTree<N>,
  aggregates: { readonly [K in keyof R]: Aggregate<N, R[K]> },
  options?: DerivedOptions<Readonly<R>, I>,
): DerivedCollection<Readonly<R>, I>;
export function rollUp<N extends OwnerNode, R extends object, I extends string>(
  tree: OwnerTree<N>,
  how: Readonly<Record<string, Aggregate<N, unknown>>> | Combination<N, R>,
  options: DerivedOptions<R, I> = {},
): DerivedCollection<R, I> {
  const create = isCombination(how) ? () => new Combine<N, R>(how) : rollUpOf<N, R>(fieldsOf<N>(how));
  return derivedCollection<readonly [N], R, I>(
    {
      operator: 'rollUp',
      inputs: [tree],
      derivation: create,
      // Sharing is not needed. If the new value of an aggregate equals the previous value, the
      // aggregate returns the previous value. The nodes in `topK` are nodes of the tree.
      ...(isCombination(how) ? {} : { shareStructure: false }),
    },
    options,
  );
}

function isCombination<N, V>(
  how: Readonly<Record<string, Aggregate<N, unknown>>> | Combination<N, V>,
): how is Combination<N, V> {
  return 'combine' in how && typeof how.combine === 'function';
}

function rollUpOf<N extends OwnerNode, R extends object>(fields: readonly RowField<N>[]): () => RollUp<N, R> {
  for (const { name, isCustom } of fields) {
    if (isCustom)
      throw invalidOptionError('an aggregate of rollUp', name, 'one whose totals can be added, or { own, combine }');
  }
  return () => new RollUp<N, R>(fields);
}

/** The totals of a node with children. States and parts are in the order of the fields. */
interface Total {
  /** The states of the aggregates over the node and all nodes below it. */
  readonly states: unknown[];
  /** The parts of this node that the states of its owner presently include. */
  partsInOwner: readonly unknown[] | undefined;
}

/**
 * Keeps the totals of an owner tree. Most nodes have no children. For these, only their own parts
 * are kept, and the states of the owner include these parts.
 */
class RollUp<N extends OwnerNode, R extends object> implements Derivation<readonly [N], R> {
  /** The own parts of each node. A node for which a function failed has no entry. */
  readonly #own = new Map<string, readonly unknown[]>();
  readonly #totals = new Map<string, Total>();
  /** The own parts of the node computed last. Many nodes have equal parts, and then share them. */
  #lastOwn: readonly unknown[] | undefined;
  /** The last row of a node without children: nodes with the same parts share the row. */
  #lastLeaf: { readonly own: readonly unknown[]; readonly row: R } | undefined;

  constructor(private readonly fields: readonly RowField<N>[]) {}

  *fill([nodes]: Versions<readonly [N]>, rows: Rows<R>): Slices<void> {
    const previous = emptySnapshot<N, string>({});
    yield* this.update([{ previous, current: nodes, keys: nodes.keysOnce() }], rows);
  }

  *update([{ previous, current, keys }]: InputChanges<readonly [N]>, rows: Rows<R>): Slices<void> {
    const get = reader(current);
    const dirty = new Set<string>();
    yield* forEachInSlices(keys, (uid) => {
      const before = previous.get(uid);
      const node = current.get(uid);
      if (before?.owner !== node?.owner) this.#takeBack(uid, before?.owner, dirty);
      if (node === undefined) this.#delete(uid, rows);
      else this.#set(node, before, dirty, rows);
    });
    const climb = new Climb(current);
    yield* forEachInSlices(dirty, (uid) => {
      if (this.#totals.has(uid)) climb.add(uid);
      else if (current.has(uid)) rows.set(uid, this.#leafRow(uid, get, rows));
    });
    yield* climb.run((node) => {
      const { uid } = node;
      const total = this.#totals.get(uid) as Total;
      rows.set(uid, this.#own.has(uid) ? rowOf(this.fields, total.states, get, rows.get(uid)) : undefined);
      return this.#give(node, total, get);
    });
  }

  #delete(uid: string, rows: Rows<R>): void {
    this.#own.delete(uid);
    this.#totals.delete(uid);
    rows.delete(uid);
  }

  #set(node: N, before: N | undefined, dirty: Set<string>, rows: Rows<R>): void {
    const { uid, owner } = node;
    const old = this.#own.get(uid);
    const own = this.#parts(node, old, rows);
    if (own === undefined) this.#own.delete(uid);
    else this.#own.set(uid, own);
    const total = this.#totals.get(uid);
    const hasOwner = before !== undefined && before.owner === owner;
    if (total !== undefined) {
      this.#exchange(total.states, old, own, uid);
    } else if (owner !== undefined) {
      const partsInOwner = hasOwner ? old : undefined;
      if (partsInOwner !== own) {
        this.#exchange(this.#totalOf(owner).states, partsInOwner, own, uid);
        dirty.add(owner);
      }
    }
    if (total !== undefined || own === undefined || own !== old) dirty.add(uid);
  }

  /**
   * Returns the own parts of a node; `undefined` if a function fails. If they equal its previous
   * parts, or the parts of the node computed last, returns the existing array.
   */
  #parts(node: N, old: readonly unknown[] | undefined, rows: Rows<R>): readonly unknown[] | undefined {
    const parts: unknown[] = [];
    const keys = [node.key];
    for (const { name, aggregate } of this.fields) {
      const isDone = rows.call(name, keys, () => parts.push(aggregate.part(node, node.uid)));
      if (isDone === undefined) return undefined;
    }
    if (this.#areSame(old, parts)) return old;
    // Copy the array, because `push` has reserved memory for more items, and each node may have
    // such an array.
    if (!this.#areSame(this.#lastOwn, parts)) this.#lastOwn = parts.slice();
    return this.#lastOwn;
  }

  /** Removes the parts of a node from its former owner. */
  #takeBack(uid: string, owner: string | undefined, dirty: Set<string>): void {
    const total = this.#totals.get(uid);
    const partsInOwner = total === undefined ? this.#own.get(uid) : total.partsInOwner;
    if (total !== undefined) total.partsInOwner = undefined;
    // The owner may already have been deleted in the same commit.
    const states = owner === undefined ? undefined : this.#totals.get(owner)?.states;
    if (owner === undefined || states === undefined || partsInOwner === undefined) return;
    this.#exclude(states, partsInOwner, uid);
    dirty.add(owner);
  }

  /** Adds the totals to the owner. False if there is none, or it includes them already. */
  #give({ uid, owner }: N, total: Total, get: (uid: string) => N | undefined): boolean {
    if (owner === undefined) return false;
    const parts = total.states.map((state, position) => this.#aggregate(position).total(state, get));
    if (this.#areSame(total.partsInOwner, parts)) return false;
    this.#exchange(this.#totalOf(owner).states, total.partsInOwner, parts, uid);
    total.partsInOwner = parts;
    return true;
  }

  /** Created for the first child; until then, the owner includes only the node's parts. */
  #totalOf(uid: string): Total {
    let total = this.#totals.get(uid);
    if (total === undefined) {
      const own = this.#own.get(uid);
      this.#totals.set(uid, (total = { states: this.#statesOf(uid, own), partsInOwner: own }));
    }
    return total;
  }

  #leafRow(uid: string, get: (uid: string) => N | undefined, rows: Rows<R>): R | undefined {
    const own = this.#own.get(uid);
    const previous = rows.get(uid);
    if (own === undefined) return undefined;
    if (previous === undefined && this.#lastLeaf?.own === own) return this.#lastLeaf.row;
    const row = rowOf<N, R>(this.fields, this.#statesOf(uid, own), get, previous);
    this.#lastLeaf = { own, row };
    return row;
  }

  #statesOf(uid: string, own: readonly unknown[] | undefined): unknown[] {
    const states = this.fields.map(({ aggregate }) => aggregate.empty());
    if (own !== undefined) this.#include(states, own, uid);
    return states;
  }

  #include(states: unknown[], parts: readonly unknown[], uid: string): void {
    parts.forEach((part, position) => {
      states[position] = this.#aggregate(position).include(states[position], part, uid);
    });
  }

  #exclude(states: unknown[], parts: readonly unknown[], uid: string): void {
    parts.forEach((part, position) => {
      states[position] = this.#aggregate(position).exclude(states[position], part, uid);
    });
  }

  #exchange(
    states: unknown[],
    before: readonly unknown[] | undefined,
    after: readonly unknown[] | undefined,
    uid: string,
  ): void {
    if (before === after) return;
    if (before !== undefined) this.#exclude(states, before, uid);
    if (after !== undefined) this.#include(states, after, uid);
  }

  #areSame(partsInOwner: readonly unknown[] | undefined, parts: readonly unknown[] | undefined): boolean {
    if (partsInOwner === parts) return true;
    if (partsInOwner === undefined || parts === undefined) return false;
    return partsInOwner.every((part, position) => this.#aggregate(position).isSame(part, parts[position]));
  }

  #aggregate(position: number): Aggregate<N, unknown> {
    return (this.fields[position] as RowField<N>).aggregate;
  }
}

/** Computes a combination. It keeps no state: it reads the values of the children from the rows. */
class Combine<N extends OwnerNode, V> implements Derivation<readonly [N], V> {
  constructor(private readonly combination: Combination<N, V>) {}

  *fill([nodes]: Versions<readonly [N]>, rows: Rows<V>): Slices<void> {
    const climb = new Climb(nodes);
    yield* forEachInSlices(nodes.keysOnce(), (uid) => climb.add(uid));
    yield* this.#combine(nodes, climb, rows);
  }

  *update([{ previous, current, keys }]: InputChanges<readonly [N]>, rows: Rows<V>): Slices<void> {
    const climb = new Climb(current);
    yield* forEachInSlices(keys, (uid) => {
      const before = previous.get(uid)?.owner;
      const node = current.get(uid);
      if (before !== node?.owner) {
        if (before !== undefined) climb.add(before);
        if (node?.owner !== undefined) climb.add(node.owner);
      }
      if (node === undefined) rows.delete(uid);
      else climb.add(uid);
    });
    yield* this.#combine(current, climb, rows);
  }

  *#combine(nodes: IndexedSnapshot<N>, climb: Climb<N>, rows: Rows<V>): Slices<void> {
    const { own, combine } = this.combination;
    yield* climb.run((node) => {
      const { uid } = node;
      const before = rows.get(uid);
      const mine = rows.call('own', [node.key], () => own(node));
      const children: V[] = [];
      nodes.bucket('owner', uid)?.forEach(({ key }) => {
        const value = rows.get(key);
        if (value !== undefined) children.push(value);
      });
      rows.set(uid, mine === undefined ? undefined : rows.call('combine', [node.key], () => combine(mine, children)));
      return !Object.is(rows.get(uid), before);
    });
  }
}

/** Visits nodes from the lowest level up, each once. */
class Climb<N extends OwnerNode> {
  readonly #levels: Set<string>[] = [];

  constructor(private readonly nodes: IndexedSnapshot<N>) {}

  /** Adds a node to visit. A node that no longer exists is ignored. */
  add(uid: string): void {
    const node = this.nodes.get(uid);
    if (node === undefined) return;
    let level = 0;
    for (let { owner } = node; owner !== undefined; level++) owner = this.nodes.get(owner)?.owner;
    this.#addTo(level, uid);
  }

  /** Visits the added nodes. If `visit` returns true for a node, its owner is visited too. */
  *run(visit: (node: N) => boolean): Slices<void> {
    for (let level = this.#levels.length - 1; level >= 0; level--) {
      yield* forEachInSlices(this.#levels[level] as Set<string>, (uid) => {
        const node = this.nodes.get(uid) as N;
        if (visit(node) && node.owner !== undefined) this.#addTo(level - 1, node.owner);
      });
    }
  }

  #addTo(level: number, uid: string): void {
    while (this.#levels.length <= level) this.#levels.push(new Set());
    this.#levels[level]?.add(uid);
  }
}

function reader<N>(nodes: IndexedSnapshot<N>): (uid: string) => N | undefined {
  return (uid) => nodes.get(uid);
}
