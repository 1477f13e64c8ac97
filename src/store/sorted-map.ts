/**
 * An immutable map from strings to values, in the order of the keys' UTF-16 code units, the same on
 * every machine and the cheapest. It is a B+ tree whose versions share unchanged nodes. `edit`
 * returns a draft for changes.
 *
 * **Guarantees**: a version never changes. `edit` is O(1), `set` and `delete` are O(log n). They
 * copy only the path to their key, and each node at most once in a draft.
 */
export class SortedMap<V extends Present> {
  static readonly #empty = new SortedMap<never>(emptyLeaf({}), 0);

  constructor(
    /** The root of the tree, for code that walks the tree itself, such as `entriesFrom`. */
    readonly root: TreeNode<V>,
    readonly size: number,
  ) {}

  static empty<V extends Present>(): SortedMap<V> {
    return SortedMap.#empty;
  }

  get(key: string): V | undefined {
    return find(this.root, key);
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  forEach(visit: (value: V, key: string) => void): void {
    visitAll(this.root, visit);
  }

  keys(): string[] {
    const keys: string[] = [];
    this.forEach((_, key) => keys.push(key));
    return keys;
  }

  edit(): SortedMapDraft<V> {
    return new SortedMapDraft(this);
  }
}

/**
 * Changes a map. Nodes that this draft did not create are copied first.
 *
 * **Guarantees**: after `finish` the draft can be changed further, without changing returned maps.
 * **Does not guarantee**: what `forEach` visits if the draft is changed meanwhile.
 */
export class SortedMapDraft<V extends Present> {
  #finished: SortedMap<V>;
  #root: TreeNode<V>;
  #size: number;
  #hasGrown = false;
  #owner: Owner = {};

  constructor(original: SortedMap<V>) {
    this.#finished = original;
    this.#root = original.root;
    this.#size = original.size;
  }

  get size(): number {
    return this.#size;
  }

  /** Returns the value of a key. A key after all others costs one comparison. */
  get(key: string): V | undefined {
    return isAfterAll(this.#root, key) ? undefined : find(this.#root, key);
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  forEach(visit: (value: V, key: string) => void): void {
    visitAll(this.#root, visit);
  }

  /** Sets the value of a key, and returns its previous value. */
  set(key: string, value: V): V | undefined {
    const isAppend = isAfterAll(this.#root, key);
    const root = owned(this.#root, this.#owner);
    const before = insert(root, key, value, isAppend);
    this.#root = asRoot(root, isAppend);
    if (before !== undefined) return before;
    this.#size++;
    this.#hasGrown = true;
    return undefined;
  }

  /** Deletes a key. Returns true if it existed. */
  delete(key: string): boolean {
    if (!this.has(key)) return false;
    const root = owned(this.#root, this.#owner);
    remove(root, key);
    this.#root = asRoot(root, false);
    this.#size--;
    return true;
  }

  /** Returns the map as it is now; the original map if nothing was set or deleted. */
  finish(): SortedMap<V> {
    if (this.#root === this.#finished.root) return this.#finished;
    if (this.#hasGrown) this.#root = trimmed(this.#root, this.#owner);
    this.#hasGrown = false;
    this.#owner = {};
    return (this.#finished = new SortedMap(this.#root, this.#size));
  }
}

/** Iterates over the entries from `start` on, in key order. Earlier entries cost nothing. */
export function entriesFrom<V extends Present>(
  map: SortedMap<V>,
  start: string,
): Iterable<readonly [key: string, value: V]> {
  return entriesBelow(map.root, start);
}

/** Returns a look-up. Called in key order, it descends once for all keys of one leaf. */
export function lookUpInOrder<V extends Present>({ root }: SortedMap<V>): (key: string) => V | undefined {
  let { keys, slots } = leafFor(root, '');
  return (key) => {
    const isAppended = keys.length === 0 || (keys[keys.length - 1] as string) < key || (keys[0] as string) > key;
    if (isAppended) ({ keys, slots } = leafFor(root, key));
    const position = floorPosition(keys, key);
    return position >= 0 && keys[position] === key ? slots[position] : undefined;
  };
}

function* entriesBelow<V>(node: TreeNode<V>, start: string): Generator<readonly [key: string, value: V]> {
  if (node.isLeaf) {
    for (let position = 0; position < node.keys.length; position++) {
      const key = node.keys[position] as string;
      if (key >= start) yield [key, node.slots[position] as V];
    }
    return;
  }
  for (let position = childPosition(node.keys, start); position < node.slots.length; position++) {
    yield* entriesBelow(node.slots[position] as TreeNode<V>, start);
  }
}

/**
 * A node of a B+ tree, with as many slots as keys, in key order. A slot of a leaf is a value, a
 * slot of a branch a node, whose key is the smallest below it. So leaves and branches are split and
 * joined in the same way, and the tree holds no deleted keys.
 *
 * **Invariants**: all leaves are equally deep. A branch has at least two slots. A node has at most
 * `MOST` slots and at least `FEWEST`, except the root and the last of each level (for appends).
 */
export type TreeNode<V> = Leaf<V> | Branch<V>;

/**
 * The arrays of a node. Only code with the same owner may change them in place. Keys have an owner
 * of their own: replacing a value, the most frequent change, shares them with the original.
 */
interface Page<S> {
  readonly owner: Owner;
  keysOwner: Owner;
  keys: string[];
  readonly slots: S[];
}

interface Leaf<V> extends Page<V> {
  readonly isLeaf: true;
}

interface Branch<V> extends Page<TreeNode<V>> {
  readonly isLeaf: false;
}

/** Excludes `undefined`, which means that a key does not exist, and `null`. */
export type Present = object | string | number | boolean;

/** Identifies a draft by identity. Without references, it keeps nothing in memory. */
type Owner = object;

/** The owner of nodes that no draft may change in place. */
const noOwner: Owner = {};

/** The maximum of slots. 16, 32, 64 were measured (docs/contributing/decisions/sorted-map.md). */
const MOST = 32;

/** A quarter, so that alternating deletes and inserts do not join and split a node repeatedly. */
const FEWEST = MOST / 4;

function emptyLeaf(owner: Owner): TreeNode<never> {
  return { owner, keysOwner: owner, isLeaf: true, keys: [], slots: [] };
}

function find<V>(root: TreeNode<V>, key: string): V | undefined {
  const { keys, slots } = leafFor(root, key);
  const position = floorPosition(keys, key);
  return position >= 0 && keys[position] === key ? slots[position] : undefined;
}

function isAfterAll(root: TreeNode<unknown>, key: string): boolean {
  let node = root;
  for (;;) {
    const { keys } = node;
    if (keys.length > 0 && (keys[keys.length - 1] as string) >= key) return false;
    if (node.isLeaf) return true;
    node = node.slots[node.slots.length - 1] as TreeNode<unknown>;
  }
}

function visitAll<V>(node: TreeNode<V>, visit: (value: V, key: string) => void): void {
  if (!node.isLeaf) {
    for (const child of node.slots) visitAll(child, visit);
    return;
  }
  for (let position = 0; position < node.keys.length; position++) {
    visit(node.slots[position] as V, node.keys[position] as string);
  }
}

/** Returns the node if `owner` may change it in place, otherwise a copy that it may change. */
function owned<V>(node: TreeNode<V>, owner: Owner): TreeNode<V> {
  if (node.owner === owner) return node;
  const { keysOwner, isLeaf, keys, slots } = node;
  return { owner, keysOwner, isLeaf, keys, slots: slots.slice() } as TreeNode<V>;
}

/** Returns the keys of an owned node for changing them. */
function ownKeys(node: Page<unknown>): string[] {
  if (node.keysOwner !== node.owner) {
    node.keysOwner = node.owner;
    node.keys = node.keys.slice();
  }
  return node.keys;
}

/** Updates the key of a child in an owned branch: its first key may have changed. */
function setFirstKey<V>(parent: Branch<V>, position: number, child: TreeNode<V>): void {
  const first = child.keys[0] as string;
  if (parent.keys[position] !== first) ownKeys(parent)[position] = first;
}

/**
 * Returns the node without spare capacity: an array that grew has 17 slots or more. The copy has no
 * owner that takes memory, because a bucket of few keys has one for itself.
 */
function trimmed<V>(node: TreeNode<V>, owner: Owner): TreeNode<V> {
  if (node.owner !== owner) return node;
  const { keysOwner, isLeaf, keys, slots } = node;
  const isOwn = keysOwner === owner;
  const own = isOwn ? keys.slice() : keys;
  // The values of a set are its keys, so one array is enough.
  const isSet = isLeaf && slots.every((value, position) => value === own[position]);
  const ownSlots = isSet ? own : slots.slice();
  const copy = {
    owner: noOwner,
    keysOwner: isOwn ? noOwner : keysOwner,
    isLeaf,
    keys: own,
    slots: ownSlots,
  } as TreeNode<V>;
  if (!copy.isLeaf) {
    for (let position = 0; position < copy.slots.length; position++) {
      copy.slots[position] = trimmed(copy.slots[position] as TreeNode<V>, owner);
    }
  }
  return copy;
}

/** Sets `key` below an owned node, which may get too large, and returns its previous value. */
function insert<V>(node: TreeNode<V>, key: string, value: V, isAppend: boolean): V | undefined {
  if (node.isLeaf) {
    const position = isAppend ? node.keys.length - 1 : floorPosition(node.keys, key);
    if (position >= 0 && node.keys[position] === key) {
      const before = node.slots[position];
      node.slots[position] = value;
      return before;
    }
    insertAt(ownKeys(node), position + 1, key);
    insertAt(node.slots, position + 1, value);
    return undefined;
  }
  const position = isAppend ? node.keys.length - 1 : childPosition(node.keys, key);
  const child = ownedChild(node, position);
  const before = insert(child, key, value, isAppend);
  setFirstKey(node, position, child);
  if (child.keys.length > MOST) splitChild(node, position, isAppend);
  return before;
}

/** Removes an existing `key` below an owned node, which may leave too few slots. */
function remove<V>(node: TreeNode<V>, key: string): void {
  if (node.isLeaf) {
    const position = floorPosition(node.keys, key);
    ownKeys(node).splice(position, 1);
    node.slots.splice(position, 1);
    return;
  }
  const position = childPosition(node.keys, key);
  const child = ownedChild(node, position);
  remove(child, key);
  if (child.keys.length < FEWEST) joinChild(node, position);
  else setFirstKey(node, position, child);
}

/** Returns the root: a new one above a large one, or the only child of the old one. */
function asRoot<V>(node: TreeNode<V>, isAppend: boolean): TreeNode<V> {
  if (node.keys.length > MOST) {
    const { owner } = node;
    const root: Branch<V> = { owner, keysOwner: owner, isLeaf: false, keys: [node.keys[0] as string], slots: [node] };
    splitChild(root, 0, isAppend);
    return root;
  }
  return !node.isLeaf && node.slots.length === 1 ? (node.slots[0] as TreeNode<V>) : node;
}

/**
 * Splits a child in the middle, or near its end if keys are appended: so keys that arrive in order
 * result in full nodes. When appending, two slots move to the new node, because a branch needs two.
 */
function splitChild<V>(parent: Branch<V>, position: number, isAppend: boolean): void {
  const { owner, isLeaf, keys, slots } = parent.slots[position] as TreeNode<V>;
  const at = isAppend ? keys.length - 2 : keys.length >> 1;
  const left = { owner, keysOwner: owner, isLeaf, keys: keys.slice(0, at), slots: slots.slice(0, at) } as TreeNode<V>;
  const right = { owner, keysOwner: owner, isLeaf, keys: keys.slice(at), slots: slots.slice(at) } as TreeNode<V>;
  parent.slots[position] = left;
  insertAt(ownKeys(parent), position + 1, right.keys[0] as string);
  insertAt(parent.slots, position + 1, right);
}

/** Joins a child with its neighbour, or, if that is too large, makes two nodes of equal size. */
function joinChild<V>(parent: Branch<V>, position: number): void {
  const left = Math.max(position - 1, 0);
  const child: Page<V | TreeNode<V>> = ownedChild(parent, left);
  const sibling = parent.slots[left + 1] as TreeNode<V>;
  ownKeys(child).push(...sibling.keys);
  child.slots.push(...sibling.slots);
  const keys = ownKeys(parent);
  keys[left] = child.keys[0] as string;
  keys.splice(left + 1, 1);
  parent.slots.splice(left + 1, 1);
  if (child.keys.length > MOST) splitChild(parent, left, false);
}

function ownedChild<V>(parent: Branch<V>, position: number): TreeNode<V> {
  return (parent.slots[position] = owned(parent.slots[position] as TreeNode<V>, parent.owner));
}

/** Returns the leaf that contains `key` if any leaf does. */
function leafFor<V>(root: TreeNode<V>, key: string): Leaf<V> {
  let node = root;
  while (!node.isLeaf) node = node.slots[childPosition(node.keys, key)] as TreeNode<V>;
  return node;
}

/** Returns the position of the child that covers `key`. The first child has no lower limit. */
function childPosition(keys: readonly string[], key: string): number {
  return Math.max(floorPosition(keys, key), 0);
}

/** Returns the position of the greatest key that is not after `key`, or -1. */
export function floorPosition(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] as string) <= key) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Inserts like `splice`, but returns no array, and is nearly free at the end. */
function insertAt<S>(array: S[], position: number, item: S): void {
  array.push(item);
  for (let from = array.length - 2; from >= position; from--) array[from + 1] = array[from] as S;
  array[position] = item;
}
