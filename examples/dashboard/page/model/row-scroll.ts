/** What of a table is in sight; lengths are CSS pixels. */
export interface Viewport {
  readonly scrollTop: number;
  readonly clientHeight: number;
}

/** The height of a row, and of the titles above the rows, which stay in sight. */
export const rowHeight = 28;
export const headHeight = 30;

/** How far a table is to be scrolled for a row to be in sight: as little as possible, not at all where it is. */
export function scrollTopFor(index: number, { scrollTop, clientHeight }: Viewport): number {
  const above = index * rowHeight;
  const below = headHeight + (index + 1) * rowHeight - clientHeight;
  return Math.max(below, Math.min(above, scrollTop));
}

/** Rows that one page of the keyboard goes on; one stays in sight. */
export function rowsInPage({ clientHeight }: Viewport): number {
  return Math.max(1, Math.floor((clientHeight - headHeight) / rowHeight) - 1);
}
