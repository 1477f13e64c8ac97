import type { Observable } from 'rxjs';
import type { Collection } from '../collections/collection.js';
import { uidOf, type AnyKubernetesObject, type KubernetesObject, type OwnerReference } from '../kubernetes/object.js';
import type { Resource } from '../kubernetes/resource.js';
import { idOf, isSameValue, type Query, type TrackedRead } from '../queries/query.js';
import { forEachInSlices, type Slices } from '../scheduling/slices.js';
import { indexerConflictError } from '../store/errors.js';
import type { Indexers } from '../store/index-functions.js';
import type { Snapshot } from '../store/snapshot.js';
import type { Derivation, InputChange, InputChanges, Rows, Versions } from './core/derivation.js';
import { derivedCollection, type DerivedCollection, type DerivedOptions } from './core/derived-collection.js';
import { KeysByValue } from './core/keys-by-value.js';
import type { Member, MemberOf, NameIn, ObjectOf } from './union.js';

/** One object of an owner tree, and its place in the tree. */
export interface OwnerNode<T = unknown, F extends string = string> {
  /** The uid of the object, and the key of the row. */
  readonly uid: string;
  /** Its name, or its position in the list (`'0'`), which narrows the type of the node. */
  readonly from: F;
  /** The key of the object in its collection. */
  readonly key: string;
  readonly object: T;
  /** The resource of the object's collection. */
  readonly resource: Resource<unknown> | undefined;
  /** The uid of the owner, if the owner is in the tree. */
  readonly owner: string | undefined;
  /**
   * The owner reference with `controller: true`, otherwise the first owner reference. For a parent
   * that `parentOf` returns, only its uid.
   */
  readonly reference: (Partial<OwnerReference> & Pick<OwnerReference, 'uid'>) | undefined;
  /**
   * - `none`: the object refers to no owner.
   * - `owner`: the owner is in the tree.
   * - `pending`: the owner is not in the tree (yet).
   * - `cycle`: the references lead back to the object, so they are ignored.
   */
  readonly edge: 'none' | 'owner' | 'pending' | 'cycle';
}

/** The nodes of an owner tree over collections, as a union discriminated by `from`. */
export type OwnerNodeOf<C> = { readonly [K in NameIn<C>]: OwnerNode<ObjectOf<C[K]>, K> }[NameIn<C>];

/** Options of {@link ownerTree}. */
export interface OwnerTreeOptions<C, I extends string = never> extends DerivedOptions<OwnerNodeOf<C>, I> {
  /**
   * Returns the uid of the parent of an object, for relations without owner references, such as the
   * Helm release of a Deployment. `undefined`: the parent is the owner, by the owner references.
   * `null`: the object has no parent. Must be pure, and depend only on the object. Default: every
   * parent is the owner.
   *
   * Parents need not come from the API server: a collection made by `map` with a `metadata.uid` of
   * your own in each row is an input like any other.
   */
  readonly parentOf?: ((member: MemberOf<C>) => string | null | undefined) | undefined;
}

/**
 * The objects of several collections by uid, each with the edge to its owner. The index `owner`
 * holds the children of each node under its uid, and the roots under `''`.
 *
 * The methods read the current version. The streams emit when the tree has synced, and again
 * whenever their nodes differ. Each array belongs to one version of the tree.
 */
export interface OwnerTree<N extends OwnerNode, I extends string = string> extends DerivedCollection<N, I | 'owner'> {
  /** The nodes without an owner in the tree, by uid. */
  readonly roots$: Observable<readonly N[]>;
  roots(): readonly N[];
  /** The direct children by uid. A commit that changes none of them costs nothing. */
  children$(uid: string): Observable<readonly N[]>;
  children(uid: string): readonly N[];
  /**
   * All nodes below a node, level by level. A commit costs O(depth) for each changed node, and
   * O(descendants) if a changed node is, or was, below this one.
   */
  descendants$(uid: string): Observable<readonly N[]>;
  descendants(uid: string): readonly N[];
  /** The owner of a node, the owner of that owner, and so on up to the root. */
  ancestors$(uid: string): Observable<readonly N[]>;
  ancestors(uid: string): readonly N[];
  addIndexers<J extends string>(indexers: Indexers<N, J>): OwnerTree<N, I | J>;
}

/**
 * Joins the objects of any number of collections into a forest by their owner references:
 * Deployment → ReplicaSet → Pod. Each row is a node, and its key is the uid of its object.
 *
 * | in | out |
 * | --- | --- |
 * | an object is added | its node is added; nodes that wait for it are updated: `pending` becomes `owner` |
 * | an object changes | its node is updated |
 * | an object refers to another owner | its node is updated, and is a child of the new owner |
 * | an object is deleted | its node is deleted; its children are updated: `owner` becomes `pending` |
 * | another object with the same name replaces an object | deleted and added |
 *
 * An object belongs to the owner in its reference with `controller: true`. If it has no such
 * reference, it belongs to the owner in its first reference. Owners and dependents may arrive in
 * any order, in any collection. An object without a uid has no node, and `errors$` emits a
 * `RXI_DERIVED_ROW`. If several objects have the same uid, the node holds the object of the first
 * of their collections. If several of them are in this collection, it holds the object with the
 * smallest key. Keys of nodes are uids without a partition. Over several clusters, the field `key`
 * of a node contains the cluster.
 *
 * **Guarantees**: following `owner` always ends at a root. Objects that own each other in a cycle
 * are roots, with the edge `cycle`. When the owner of one of them changes, the other objects of the
 * cycle get their real edges.
 *
 * An update that leaves the owner unchanged costs O(1). A new object or a new owner costs O(depth).
 * An object that appears or disappears also costs O(children), because the nodes of its children
 * change.
 *
 * @param collections the collections, by name or as a list; `from` of a node has the name or the
 * position
 * @param options `parentOf`, the indexes and the settings of the result; see
 *   {@link OwnerTreeOptions}
 * @returns a collection of the nodes, with queries for roots, children, descendants and ancestors
 * @throws `RXI_INDEXER_CONFLICT` if `indexers` have the name `owner`
 * @example
 * const tree = derived.ownerTree({
 *   deployments: informer(client, deployments),
 *   replicaSets: informer(client, replicaSets),
 *   pods: podInformer,
 * });
 * tree.descendants$('the uid of a deployment').subscribe((nodes) => {
 *   for (const node of nodes)
 *     if (node.from === 'pods') console.log(node.key, node.object.status?.phase);
 * });
 */
export function ownerTree<
  const C extends Readonly<Record<string, Collection<unknown>>> | readonly Collection<unknown>[],
  const I extends string = never,
>(collections: C, options: OwnerTreeOptions<C, I> = {}): OwnerTree<OwnerNodeOf<C>, I> {
  type N = OwnerNodeOf<C>;
  if (Object.hasOwn(options.indexers ?? {}, 'owner')) throw indexerConflictError(['owner']);
  const sources = Object.entries<Collection<unknown>>(collections).map(([from, { resource }]) => ({ from, resource }));
  const owner = (node: OwnerNode): string => node.owner ?? '';
  const indexers = { ...options.indexers, owner } as Indexers<N, I | 'owner'>;
  const tree = derivedCollection<readonly unknown[], N, I | 'owner'>(
    {
      operator: 'ownerTree',
      inputs: Object.values<Collection<unknown>>(collections),
      inputNames: sources.map(({ from }) => from),
      isPartitioned: false,
      derivation: () => new Forest(sources, options.parentOf as ParentOf | undefined),
      // The rows hold objects of the inputs. The inputs have already shared the structure of these
      // objects and frozen them.
      shareStructure: false,
      freeze: false,
    },
    { ...options, indexers },
  );
  return Object.assign(tree, {
    roots$: tree.byIndex$('owner', ''),
    roots: () => tree.byIndex('owner', ''),
    children$: (uid: string) => tree.byIndex$('owner', uid),
    children: (uid: string) => tree.byIndex('owner', uid),
    descendants$: (uid: string) => tree.query$(descendantsOf<N>(uid)) as Observable<readonly N[]>,
    descendants: (uid: string) => below<N>(tree.snapshot, uid),
    ancestors$: (uid: string) => tree.query$(ancestorsOf<N>(uid)) as Observable<readonly N[]>,
    ancestors: (uid: string) => above<N>(tree.snapshot, uid),
  }) as unknown as OwnerTree<N, I>;
}

/** The place of an object that has a certain uid. */
interface Holder {
  /** The position of the input. */
  readonly input: number;
  readonly key: string;
}

interface Source {
  readonly from: string;
  readonly resource: Resource<unknown> | undefined;
}

type ParentOf = (member: Member) => unknown;

/**
 * Computes the edges of an owner tree. The rows are the nodes, and the index `owner` holds the
 * children of each. Besides these, it keeps the nodes that wait for an owner, and the uids that
 * several objects have.
 */
class Forest implements Derivation<readonly unknown[], OwnerNode> {
  /** The uids of the pending nodes, by the uid of the owner that they wait for. */
  readonly #waiting = new KeysByValue();
  /** The places of the objects by uid, for uids that several objects have. */
  readonly #shared = new Map<string, readonly Holder[]>();
  readonly #positions: ReadonlyMap<string, number>;

  constructor(
    private readonly sources: readonly Source[],
    private readonly parentOf: ParentOf | undefined,
  ) {
    this.#positions = new Map(sources.map(({ from }, position) => [from, position]));
  }

  *fill(versions: Versions<readonly unknown[]>, rows: Rows<OwnerNode>): Slices<void> {
    // The rows may be those of an earlier derivation, so they are not read.
    const edges = new Edges(undefined);
    for (const [input, objects] of versions.entries()) {
      yield* forEachInSlices(objects.keysOnce(), (key) => {
        const node = this.#node(input, key, objects.get(key), rows);
        if (node === undefined) return;
        const first = edges.changed.get(node.uid);
        if (first === undefined) edges.changed.set(node.uid, node);
        // The objects are visited in the order of `inOrder`, so the list stays sorted.
        else this.#shared.set(node.uid, [...this.#holdersBefore(node.uid, first), { input, key }]);
      });
    }
    yield* edges.resolve(edges.changed.keys());
    yield* this.#setRows(edges, rows);
  }

  *update(changes: InputChanges<readonly unknown[]>, rows: Rows<OwnerNode>): Slices<void> {
    const edges = new Edges(rows);
    const holders = new Map<string, Holder[]>();
    for (let input = 0; input < changes.length; input++) {
      const { previous, current, keys } = changes[input] as InputChange<unknown>;
      if (keys.length === 0) continue;
      yield* forEachInSlices(keys, (key) => {
        const old = previous.get(key);
        const object = current.get(key);
        const node = object === undefined ? undefined : this.#node(input, key, object, rows);
        if (!this.#staysInPlace(old, node, edges, rows)) this.#move(input, key, uidOf(old), node?.uid, holders, rows);
      });
    }
    yield* forEachInSlices(holders, ([uid, current]) => {
      current.sort(inOrder);
      this.#place(uid, current, changes, edges, rows);
    });
    yield* edges.resolve(edges.open);
    yield* this.#setRows(edges, rows);
  }

  /** Handles an update that keeps place and owner, as most do; otherwise returns false. */
  #staysInPlace(old: unknown, node: NewNode | undefined, edges: Edges, rows: Rows<OwnerNode>): boolean {
    if (node === undefined || uidOf(old) !== node.uid || this.#shared.has(node.uid)) return false;
    const row = rows.get(node.uid);
    if (row?.from !== node.from || row.key !== node.key || row.reference?.uid !== node.reference?.uid) return false;
    setEdge(node, row.edge);
    edges.changed.set(node.uid, node);
    return true;
  }

  /** Records in `holders` that an object no longer has the uid `before`, and now has `after`. */
  #move(
    input: number,
    key: string,
    before: string | undefined,
    after: string | undefined,
    holders: Map<string, Holder[]>,
    rows: Rows<OwnerNode>,
  ): void {
    for (const uid of [before, after]) {
      if (uid !== undefined && !holders.has(uid)) holders.set(uid, this.#holdersBefore(uid, rows.get(uid)));
    }
    const left = before === undefined ? undefined : holders.get(before);
    const position = left?.findIndex((holder) => holder.input === input && holder.key === key) ?? -1;
    if (position >= 0) left?.splice(position, 1);
    if (after !== undefined) holders.get(after)?.push({ input, key });
  }

  /** Sets the node of a uid to the first object that has this uid now, or removes it. */
  #place(
    uid: string,
    current: readonly Holder[],
    changes: InputChanges<readonly unknown[]>,
    edges: Edges,
    rows: Rows<OwnerNode>,
  ): void {
    if (current.length > 1) this.#shared.set(uid, current);
    else this.#shared.delete(uid);
    const [first] = current;
    const node = first && this.#node(first.input, first.key, changes[first.input]?.current.get(first.key), rows);
    const wasThere = rows.get(uid) !== undefined;
    edges.set(uid, node);
    if (node === undefined && wasThere) {
      rows.forEachIn('owner', uid, (child) => {
        edges.open.add(child);
      });
    } else if (node !== undefined && !wasThere) {
      for (const child of this.#waiting.keys(uid)) edges.open.add(child);
    }
  }

  *#setRows({ changed }: Edges, rows: Rows<OwnerNode>): Slices<void> {
    yield* forEachInSlices(changed, ([uid, node]) => {
      const row = rows.get(uid);
      const isSame = row !== undefined && node !== undefined && isSameNode(row, node);
      rows.set(uid, isSame ? row : node && Object.freeze(node));
      const waitedFor = awaited(row);
      const waitsFor = awaited(node);
      if (waitedFor !== undefined && waitedFor !== waitsFor) this.#waiting.delete(waitedFor, uid);
      if (waitsFor !== undefined) this.#waiting.add(waitsFor, uid);
    });
  }

  #holdersBefore(uid: string, row: OwnerNode | undefined): Holder[] {
    const shared = this.#shared.get(uid);
    if (shared !== undefined) return [...shared];
    return row === undefined ? [] : [{ input: this.#positions.get(row.from) as number, key: row.key }];
  }

  /** Returns `undefined` for an object that cannot have a place in the tree, which is reported. */
  #node(input: number, key: string, object: unknown, rows: Rows<OwnerNode>): NewNode | undefined {
    const { from, resource } = this.sources[input] as Source;
    const node = rows.call('metadata', [key], (): NewNode => {
      const uid = uidOf(object);
      if (typeof uid !== 'string' || uid === '') throw new TypeError('it has no metadata.uid');
      const reference = ownerReferenceOf(object as KubernetesObject);
      return { uid, from, key, object, resource, owner: undefined, reference, edge: 'none' };
    });
    const { parentOf } = this;
    if (node === undefined || parentOf === undefined) return node;
    return rows.call('parentOf', [key], () => {
      const parent = parentOf({ from, key, object });
      if (parent !== undefined) node.reference = referenceTo(parent);
      return node;
    });
  }
}

/** The nodes that a commit changes, while their edges are being computed. */
class Edges {
  readonly changed = new Map<string, NewNode | undefined>();
  /** The nodes whose edge may have changed. */
  readonly open = new Set<string>();
  /** The nodes already visited by `#walk`: true if the node is on a cycle. */
  readonly #isOnCycle = new Map<string, boolean>();

  constructor(private readonly rows: Pick<Rows<OwnerNode>, 'get'> | undefined) {}

  set(uid: string, node: NewNode | undefined): void {
    const old = this.#before(uid);
    const isSameOwner = node !== undefined && old !== undefined && node.reference?.uid === old.reference?.uid;
    if (old?.edge === 'cycle' && !isSameOwner) this.#openCycle(old);
    this.changed.set(uid, node);
    if (isSameOwner) setEdge(node, old.edge);
    else this.open.add(uid);
  }

  *resolve(uids: Iterable<string>): Slices<void> {
    yield* forEachInSlices(uids, (uid) => {
      const node = this.#get(uid);
      if (node !== undefined) this.#setEdge(node, this.#edgeOf(node));
    });
  }

  /** Opens the edges of the other nodes on a broken cycle, to be computed again. */
  #openCycle(node: OwnerNode): void {
    let member = this.#before(node.reference?.uid ?? '');
    while (member !== undefined && member.uid !== node.uid) {
      this.open.add(member.uid);
      member = this.#before(member.reference?.uid ?? '');
    }
  }

  #edgeOf({ uid, reference }: OwnerNode): OwnerNode['edge'] {
    if (reference === undefined) return 'none';
    if (this.#get(reference.uid) === undefined) return 'pending';
    // If the owner was already visited, a cycle through both nodes would have been found then.
    if (!this.#isOnCycle.has(uid) && this.#isOnCycle.has(reference.uid)) this.#isOnCycle.set(uid, false);
    if (!this.#isOnCycle.has(uid)) this.#walk(uid);
    return this.#isOnCycle.get(uid) === true ? 'cycle' : 'owner';
  }

  /** Follows the references from a node until they end, reach a visited node, or close a cycle. */
  #walk(start: string): void {
    const path = new Map<string, OwnerNode>();
    let node = this.#get(start);
    while (node !== undefined && !path.has(node.uid) && !this.#isOnCycle.has(node.uid)) {
      path.set(node.uid, node);
      node = node.reference && this.#get(node.reference.uid);
    }
    const entry = node !== undefined && path.has(node.uid) ? node.uid : undefined;
    let isOnCycle = false;
    for (const [uid, member] of path) {
      isOnCycle ||= uid === entry;
      this.#isOnCycle.set(uid, isOnCycle);
      if (isOnCycle) this.#setEdge(member, 'cycle');
    }
  }

  #before(uid: string): OwnerNode | undefined {
    return this.rows?.get(uid);
  }

  #get(uid: string): OwnerNode | undefined {
    return this.changed.has(uid) ? this.changed.get(uid) : this.#before(uid);
  }

  #setEdge(node: OwnerNode, edge: OwnerNode['edge']): void {
    if (node.edge === edge) return;
    let changed = this.changed.get(node.uid);
    if (changed === undefined) this.changed.set(node.uid, (changed = copyOf(node)));
    setEdge(changed, edge);
  }
}

/** A node that is not a row yet. */
type NewNode = { -readonly [K in keyof OwnerNode]: OwnerNode[K] };

/** Without a spread: for each frozen copy by spread, V8 creates a hidden class of 280 bytes. */
function copyOf({ uid, from, key, object, resource, owner, reference, edge }: OwnerNode): NewNode {
  return { uid, from, key, object, resource, owner, reference, edge };
}

function setEdge(node: NewNode, edge: OwnerNode['edge']): void {
  node.edge = edge;
  node.owner = edge === 'owner' ? node.reference?.uid : undefined;
}

/** Returns the uid of the owner that a pending node waits for. */
function awaited(node: OwnerNode | undefined): string | undefined {
  return node?.edge === 'pending' ? node.reference?.uid : undefined;
}

function isSameNode(one: OwnerNode, other: OwnerNode): boolean {
  return one.object === other.object && one.edge === other.edge && one.from === other.from && one.key === other.key;
}

function inOrder(one: Holder, other: Holder): number {
  return one.input - other.input || (one.key < other.key ? -1 : 1);
}

function ownerReferenceOf({ metadata }: AnyKubernetesObject): OwnerReference | undefined {
  const references: unknown = metadata?.ownerReferences ?? [];
  if (!Array.isArray(references)) throw new TypeError('metadata.ownerReferences is not an array');
  const all = references as readonly OwnerReference[];
  const reference = all.find(({ controller }) => controller === true) ?? all[0];
  if (reference !== undefined && typeof reference.uid !== 'string')
    throw new TypeError('an owner reference has no uid');
  return reference;
}

function referenceTo(parent: unknown): OwnerNode['reference'] {
  if (parent === null) return undefined;
  if (typeof parent === 'string') return { uid: parent };
  throw new TypeError('it must return the uid of the parent, null or undefined');
}

function below<N extends OwnerNode>(snapshot: Snapshot<N>, uid: string): readonly N[] {
  const found: N[] = [];
  const visit = (owner: string): void => {
    snapshot.bucket('owner', owner)?.forEach(({ object }) => found.push(object));
  };
  visit(uid);
  // The loop also visits the nodes that it appends.
  for (const node of found) visit(node.uid);
  return Object.freeze(found);
}

function above<N extends OwnerNode>(snapshot: Snapshot<N>, uid: string): readonly N[] {
  const found: N[] = [];
  let owner = snapshot.get(uid)?.owner;
  while (owner !== undefined) {
    const node = snapshot.get(owner) as N;
    found.push(node);
    owner = node.owner;
  }
  return Object.freeze(found);
}

function descendantsOf<N extends OwnerNode>(uid: string): Query<N, readonly N[]> {
  return relativesOf('descendants', uid, below, (snapshot, changed) =>
    above(snapshot, changed).some((node) => node.uid === uid),
  );
}

function ancestorsOf<N extends OwnerNode>(uid: string): Query<N, readonly N[]> {
  return relativesOf('ancestors', uid, above, (_snapshot, changed) => changed === uid);
}

function relativesOf<N extends OwnerNode>(
  name: string,
  uid: string,
  find: (snapshot: Snapshot<N>, uid: string) => readonly N[],
  concerns: (snapshot: Snapshot<N>, changed: string) => boolean,
): Query<N, readonly N[]> {
  const read = (snapshot: Snapshot<N>): readonly N[] => find(snapshot, uid);
  return {
    id: idOf(name, uid),
    footprint: { type: 'all' },
    read,
    isEqual: isSameValue,
    track: () => tracked(read, concerns),
  };
}

/**
 * Returns a read that caches its answer. It reads again only if a changed node is in the cached
 * answer, or if `concerns` returns true for a changed node.
 */
function tracked<N extends OwnerNode>(
  read: (snapshot: Snapshot<N>) => readonly N[],
  concerns: (snapshot: Snapshot<N>, changed: string) => boolean,
): TrackedRead<N, readonly N[]> {
  let answer: readonly N[] = [];
  let uids: ReadonlySet<string> = new Set();
  return (snapshot, changed) => {
    if (changed?.some((each) => uids.has(each) || concerns(snapshot, each)) === false) return answer;
    answer = read(snapshot);
    uids = new Set(answer.map(({ uid }) => uid));
    return answer;
  };
}
