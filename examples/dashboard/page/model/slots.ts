/**
 * Which pod has which place in a tile. A pod keeps its place until it goes, and the next one takes the first that is free, so that
 * nothing moves but what changes.
 */
export class Slots {
  readonly #slotOf = new Map<string, number>();
  readonly #keys: (string | undefined)[] = [];

  /** Up to the last place that is taken. */
  get size(): number {
    return this.#keys.length;
  }

  keyAt(slot: number): string | undefined {
    return this.#keys[slot];
  }

  slotOf(key: string): number | undefined {
    return this.#slotOf.get(key);
  }

  /** The place of a key, which it has or is given. */
  take(key: string): number {
    const known = this.#slotOf.get(key);
    if (known !== undefined) return known;
    const free = this.#keys.indexOf(undefined);
    const slot = free === -1 ? this.#keys.length : free;
    this.#keys[slot] = key;
    this.#slotOf.set(key, slot);
    return slot;
  }

  /** The place that is free now, if there was one. */
  leave(key: string): number | undefined {
    const slot = this.#slotOf.get(key);
    if (slot === undefined) return undefined;
    this.#slotOf.delete(key);
    this.#keys[slot] = undefined;
    while (this.#keys.length > 0 && this.#keys.at(-1) === undefined) this.#keys.pop();
    return slot;
  }

  clear(): void {
    this.#slotOf.clear();
    this.#keys.length = 0;
  }
}
