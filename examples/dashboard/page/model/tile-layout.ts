/** How the pods of a node fill its tile; lengths are CSS pixels. */
export interface TileLayout {
  /** Length of the side of a cell. */
  readonly cell: number;
  /** From one cell to the next. */
  readonly pitch: number;
  readonly columns: number;
  readonly width: number;
  readonly height: number;
}

export const tileWidth = 154;

/** Cells get smaller as there are more of them, in steps, so that a tile is not laid out anew with every pod. */
export function tileLayout(cells: number): TileLayout {
  const { cell, pitch } =
    cells <= 72 ? { cell: 10, pitch: 12 } : cells <= 180 ? { cell: 7, pitch: 9 } : { cell: 4, pitch: 5 };
  const columns = Math.floor((tileWidth + pitch - cell) / pitch);
  const rows = Math.max(1, Math.ceil(cells / columns));
  return { cell, pitch, columns, width: tileWidth, height: rows * pitch - (pitch - cell) };
}

/** Where a cell begins. */
export function cellPosition({ columns, pitch }: TileLayout, slot: number): readonly [x: number, y: number] {
  return [(slot % columns) * pitch, Math.floor(slot / columns) * pitch];
}

/** The cell at a place, gaps counted to the cell before them; `undefined` beside all of them. */
export function slotAt({ columns, pitch }: TileLayout, x: number, y: number): number | undefined {
  const column = Math.floor(x / pitch);
  const row = Math.floor(y / pitch);
  return column < 0 || row < 0 || column >= columns ? undefined : row * columns + column;
}
