import type { View } from 'rx-informers/views';

/** The row that the keyboard is at: an object, and where it was last seen. */
export interface ActiveRow {
  /** `undefined` until the row at `index` is loaded. */
  readonly key: string | undefined;
  readonly index: number;
}

/** Where the row is now: rows come, go and change places while the object stays the same. */
export function activeIndex(active: ActiveRow, { keys, offset, total }: View<unknown>): number {
  const position = active.key === undefined ? -1 : keys.indexOf(active.key);
  return position === -1 ? Math.max(0, Math.min(active.index, total - 1)) : offset + position;
}

/** The row that a key of the keyboard leads to, or `undefined` for one that does not lead anywhere. */
export function movedTo(key: string, index: number, total: number, page: number): number | undefined {
  const target = targetOf(key, index, total, page);
  return target === undefined ? undefined : Math.max(0, Math.min(target, total - 1));
}

function targetOf(key: string, index: number, total: number, page: number): number | undefined {
  switch (key) {
    case 'ArrowDown':
      return index + 1;
    case 'ArrowUp':
      return index - 1;
    case 'PageDown':
      return index + page;
    case 'PageUp':
      return index - page;
    case 'Home':
      return 0;
    case 'End':
      return total - 1;
    default:
      return undefined;
  }
}
