/**
 * The keys of objects by a value that several of them may have, such as the node of a pod. It is what
 * an index of a snapshot is, without the objects and their order, and it is changed in place.
 *
 * A value with one key costs no set of its own, because a foreign key is often unique.
 */
export class KeysByValue {
  readonly #keys = new Map<string, string | Set<string>>();

  /** Returns the keys under a value, in no particular order. */
  keys(value: string): Iterable<string> {
    const keys = this.#keys.get(value);
    return typeof keys === 'string' ? [keys] : (keys ?? none);
  }

  /** Returns the number of keys under a value. */
  count(value: string): number {
    const keys = this.#keys.get(value);
    return typeof keys === 'object' ? keys.size : Number(keys !== undefined);
  }

  add(value: string, key: string): void {
    const keys = this.#keys.get(value);
    if (keys === undefined) this.#keys.set(value, key);
    else if (typeof keys !== 'string') keys.add(key);
    else if (keys !== key) this.#keys.set(value, new Set([keys, key]));
  }

  delete(value: string, key: string): void {
    const keys = this.#keys.get(value);
    if (keys === key) this.#keys.delete(value);
    else if (typeof keys === 'object' && keys.delete(key) && keys.size === 0) this.#keys.delete(value);
  }
}

const none: readonly string[] = [];
