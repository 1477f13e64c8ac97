export interface Box {
  readonly left: number;
  readonly top: number;
}

/** Which of several places a key leads to from one of them: left and right in order, up and down by where they are. */
export function rovingTarget(key: string, from: number, boxes: readonly Box[]): number | undefined {
  switch (key) {
    case 'ArrowRight':
      return Math.min(from + 1, boxes.length - 1);
    case 'ArrowLeft':
      return Math.max(from - 1, 0);
    case 'ArrowDown':
      return nearest(from, boxes, 1);
    case 'ArrowUp':
      return nearest(from, boxes, -1);
    case 'Home':
      return 0;
    case 'End':
      return boxes.length - 1;
    default:
      return undefined;
  }
}

/** In the next row of this direction, the one that is most nearly above or below; where there is no row, where one is. */
function nearest(from: number, boxes: readonly Box[], direction: 1 | -1): number {
  const origin = boxes[from] ?? { left: 0, top: 0 };
  let best = from;
  let least = Infinity;
  for (const [index, { left, top }] of boxes.entries()) {
    const down = (top - origin.top) * direction;
    if (down <= 0) continue;
    // Rows come before columns: no page is this wide.
    const distance = down * 100_000 + Math.abs(left - origin.left);
    if (distance < least) [best, least] = [index, distance];
  }
  return best;
}
