/** Numbers come before strings, which are compared by UTF-16 code units. */
export type Sortable = number | bigint | string;

/** Consecutive entries: values in ascending order, and the keys at the same positions. */
interface Chunk {
  values: Sortable[];
  keys: string[];
}

/** Smaller chunks lengthen the list of chunks; larger ones slow down each insertion. */
const most = 256;

/**
 * Values in ascending order, equal ones by key, changed in place. Adding and removing cost O(log n)
 * comparisons; an entry takes two array slots. Strings are not copied.
 */
export class SortedValues {
  #chunks: Chunk[] = [];

  add(value: Sortable, key: string): void {
    const chunks = this.#chunks;
    const at = Math.max(this.#chunkFor(value, key), 0);
    const chunk = chunks[at];
    if (chunk === undefined) {
      // `push` would reserve memory for sixteen more chunks.
      this.#chunks = [{ values: [value], keys: [key] }];
      return;
    }
    const position = positionIn(chunk, value, key);
    chunk.values = inserted(chunk.values, position, value);
    chunk.keys = inserted(chunk.keys, position, key);
    if (chunk.keys.length <= most) return;
    // Values that are added in ascending order fill each chunk before the next one begins.
    const from = at === chunks.length - 1 && position === most ? most : most >> 1;
    chunks.splice(at + 1, 0, { values: chunk.values.splice(from), keys: chunk.keys.splice(from) });
  }

  /** Removes an entry. Returns false if there is no such entry. */
  remove(value: Sortable, key: string): boolean {
    const at = this.#chunkFor(value, key);
    const chunk = this.#chunks[at];
    if (chunk === undefined) return false;
    const position = positionIn(chunk, value, key);
    if (chunk.keys[position] !== key || chunk.values[position] !== value) return false;
    chunk.values.splice(position, 1);
    chunk.keys.splice(position, 1);
    if (chunk.keys.length === 0) this.#chunks.splice(at, 1);
    return true;
  }

  /** Visits up to `count` entries: upwards from the first, or downwards from the last. */
  forEachFrom(end: 'first' | 'last', count: number, visit: (value: Sortable, key: string) => void): void {
    const isFirst = end === 'first';
    let left = count;
    for (let at = 0; at < this.#chunks.length && left > 0; at++) {
      const { values, keys } = this.#chunks[isFirst ? at : this.#chunks.length - 1 - at] as Chunk;
      for (let offset = 0; offset < keys.length && left > 0; offset++, left--) {
        const position = isFirst ? offset : keys.length - 1 - offset;
        visit(values[position] as Sortable, keys[position] as string);
      }
    }
  }

  /** Returns the last chunk that begins at or before an entry; -1 if there is none. */
  #chunkFor(value: Sortable, key: string): number {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const { values, keys } = this.#chunks[middle] as Chunk;
      if (compareSorted(values[0] as Sortable, keys[0] as string, value, key) <= 0) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/** Returns the position of the first entry that is not before the given one. */
function positionIn({ values, keys }: Chunk, value: Sortable, key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareSorted(values[middle] as Sortable, keys[middle] as string, value, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns a copy with one more item. `splice` reserves memory for half as many items again. */
function inserted<V>(items: readonly V[], position: number, item: V): V[] {
  const copy = new Array<V>(items.length + 1);
  for (let at = 0; at < position; at++) copy[at] = items[at] as V;
  copy[position] = item;
  for (let at = position; at < items.length; at++) copy[at + 1] = items[at] as V;
  return copy;
}

/** Compares two entries: by their values, then by their keys. */
export function compareSorted(value: Sortable, key: string, otherValue: Sortable, otherKey: string): number {
  const isText = typeof value === 'string';
  if (isText !== (typeof otherValue === 'string')) return isText ? 1 : -1;
  if (value < otherValue) return -1;
  if (value > otherValue) return 1;
  return key < otherKey ? -1 : key > otherKey ? 1 : 0;
}

export function endOf(
  values: SortedValues,
  end: 'first' | 'last',
): { readonly value: Sortable; readonly key: string } | undefined {
  let found: { readonly value: Sortable; readonly key: string } | undefined;
  values.forEachFrom(end, 1, (value, key) => {
    found = { value, key };
  });
  return found;
}
