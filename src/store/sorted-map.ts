import {
  asRoot,
  emptyLeaf,
  find,
  insert,
  isAfterAll,
  owned,
  remove,
  trimmed,
  visitAll,
  type Node,
  type Owner,
  type Present,
} from './sorted-map-node.js';

/**
 * An immutable map from string to value, in the order of the keys' UTF-16 code units: the same on every machine, and the cheapest one.
 *
 * A B+ tree whose versions share what they have in common. It is changed by way of a draft:
 *
 * **Guarantees**: a version stays as it is, whatever is made from it; `edit` is O(1); a `set` or `delete` is O(log n), and copies only
 * the path to its key, once for each draft.
 */
export class SortedMap<V extends Present> {
  static readonly #empty = new SortedMap<never>(emptyLeaf({}), 0);

  constructor(
    /** For those who walk the tree themselves, as `entriesFrom` does. */
    readonly root: Node<V>,
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
 * A map while it is changed: nodes that this draft made are changed in place, all others are copied first.
 *
 * **Guarantees**: it may go on after `finish`, and what it finished stays as it was. **Does not guarantee**: what `forEach` visits if it is
 * changed meanwhile.
 */
export class SortedMapDraft<V extends Present> {
  #finished: SortedMap<V>;
  #root: Node<V>;
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

  /** Keys that come in order are new, one after the other: to see that takes one comparison. */
  get(key: string): V | undefined {
    return isAfterAll(this.#root, key) ? undefined : find(this.#root, key);
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  forEach(visit: (value: V, key: string) => void): void {
    visitAll(this.#root, visit);
  }

  /** Returns the value that the key had. */
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

  /** Returns whether the key was there. */
  delete(key: string): boolean {
    if (!this.has(key)) return false;
    const root = owned(this.#root, this.#owner);
    remove(root, key);
    this.#root = asRoot(root, false);
    this.#size--;
    return true;
  }

  /** The map as it is now; the one that was edited, where nothing was set or deleted. */
  finish(): SortedMap<V> {
    if (this.#root === this.#finished.root) return this.#finished;
    if (this.#hasGrown) this.#root = trimmed(this.#root, this.#owner);
    this.#hasGrown = false;
    this.#owner = {};
    return (this.#finished = new SortedMap(this.#root, this.#size));
  }
}
