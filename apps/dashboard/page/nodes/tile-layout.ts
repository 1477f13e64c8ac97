/** The layout of the pods in a tile. Lengths are in CSS pixels. */
export interface TileLayout {
  readonly columns: number;
  /** The distance between the starts of two neighbouring cells. */
  readonly pitch: number;
  /** The side of a cell. */
  readonly cell: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The largest pitch, so that a node with three pods does not get three huge cells. */
const largest = 22;

/**
 * Returns the layout with the largest cells of which this many fit. Cells become smaller in steps of
 * a tenth, so that a tile is not laid out again with every new pod.
 */
export function tileLayout(cells: number, { width, height }: Size): TileLayout {
  let pitch = Math.min(largest, width, height);
  while (Math.floor(width / pitch) * Math.floor(height / pitch) < cells) pitch *= 0.9;
  const gap = pitch >= 7 ? 2 : pitch >= 3.5 ? 1 : 0;
  return { columns: Math.floor(width / pitch), pitch, cell: pitch - gap };
}

/** Returns the box of a cell, aligned to device pixels so that its edges are sharp. */
export function cellBox(
  { columns, pitch, cell }: TileLayout,
  slot: number,
  ratio: number,
): readonly [x: number, y: number, width: number, height: number] {
  const sharp = (length: number): number => Math.round(length * ratio) / ratio;
  const [x, y] = [(slot % columns) * pitch, Math.floor(slot / columns) * pitch];
  return [sharp(x), sharp(y), Math.max(1, sharp(x + cell) - sharp(x)), Math.max(1, sharp(y + cell) - sharp(y))];
}

/**
 * Returns the slot at a point, or `undefined` outside the columns. A gap belongs to the cell before
 * it.
 */
export function slotAt({ columns, pitch }: TileLayout, x: number, y: number): number | undefined {
  const [column, row] = [Math.floor(x / pitch), Math.floor(y / pitch)];
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
