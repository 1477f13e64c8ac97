/** The layout of the pods in a tile. Lengths are in CSS pixels. */
export interface TileLayout {
  readonly columns: number;
  readonly rows: number;
  /** The distance between the starts of two neighbouring cells. */
  readonly pitchX: number;
  readonly pitchY: number;
  /** The size of a cell. */
  readonly cellX: number;
  readonly cellY: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The maximum size of a cell, so that a node with three pods does not get three huge cells. */
const largest = 26;

/**
 * Returns the layout in which `cells` cells fill the size best. The capacity grows in steps of a
 * quarter, so that a tile is not laid out again with every new pod.
 */
export function tileLayout(cells: number, { width, height }: Size): TileLayout {
  const capacity = capacityFor(cells);
  let best: readonly [columns: number, rows: number, side: number] = [1, 1, 0];
  for (let rows = 1; rows <= capacity; rows++) {
    const columns = Math.ceil(capacity / rows);
    const side = Math.min(width / columns, height / rows);
    if (side > best[2]) best = [columns, rows, side];
    // More rows only make the cells smaller from here on.
    else if (width / columns > height / rows) break;
  }
  const [columns, rows] = best;
  const pitchX = Math.min(largest, width / columns);
  const pitchY = Math.min(largest, height / rows);
  const gap = Math.min(pitchX, pitchY) >= 7 ? 2 : Math.min(pitchX, pitchY) >= 3.5 ? 1 : 0;
  return { columns, rows, pitchX, pitchY, cellX: Math.max(1, pitchX - gap), cellY: Math.max(1, pitchY - gap) };
}

/**
 * Returns the smallest capacity of 4, 5, 7, 9, 12, 15, … that holds the cells. Each one is about a
 * quarter larger than the previous one.
 */
function capacityFor(cells: number): number {
  let capacity = 4;
  while (capacity < cells) capacity = Math.ceil(capacity * 1.25);
  return capacity;
}

/** Returns the box of a cell, aligned to device pixels so that its edges are sharp. */
export function cellBox(
  { columns, pitchX, pitchY, cellX, cellY }: TileLayout,
  slot: number,
  ratio: number,
): readonly [x: number, y: number, width: number, height: number] {
  const sharp = (length: number): number => Math.round(length * ratio) / ratio;
  const [x, y] = [(slot % columns) * pitchX, Math.floor(slot / columns) * pitchY];
  return [sharp(x), sharp(y), Math.max(1, sharp(x + cellX) - sharp(x)), Math.max(1, sharp(y + cellY) - sharp(y))];
}

/**
 * Returns the slot at a point, or `undefined` outside the columns. A gap belongs to the cell before
 * it.
 */
export function slotAt({ columns, pitchX, pitchY }: TileLayout, x: number, y: number): number | undefined {
  const column = Math.floor(x / pitchX);
  const row = Math.floor(y / pitchY);
  return column < 0 || row < 0 || column >= columns ? undefined : row * columns + column;
}

/**
 * Assigns the pods of a tile to slots. A pod keeps its slot until it is removed. A new pod takes
 * the first free slot. So only changed cells move.
 */
export class Slots {
  readonly #slotOf = new Map<string, number>();
  readonly #keys: (string | undefined)[] = [];

  /** Returns the number of slots up to the last one in use. */
  get size(): number {
    return this.#keys.length;
  }

  keyAt(slot: number): string | undefined {
    return this.#keys[slot];
  }

  slotOf(key: string): number | undefined {
    return this.#slotOf.get(key);
  }

  /**
   * Returns the first key after `slot` in steps of `step` slots, or `undefined` beyond the ends.
   */
  adjacentKey(slot: number, step: number): string | undefined {
    for (let at = slot + step; at >= 0 && at < this.#keys.length; at += step) {
      if (this.#keys[at] !== undefined) return this.#keys[at];
    }
    return undefined;
  }

  /** Returns the slot of a key. A new key takes the first free slot. */
  take(key: string): number {
    const known = this.#slotOf.get(key);
    if (known !== undefined) return known;
    const free = this.#keys.indexOf(undefined);
    const slot = free === -1 ? this.#keys.length : free;
    this.#keys[slot] = key;
    this.#slotOf.set(key, slot);
    return slot;
  }

  /** Removes a key. Returns its slot, which is free now, or `undefined` for an unknown key. */
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
