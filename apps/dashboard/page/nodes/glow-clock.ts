/** Milliseconds between two steps of a glow. More steps would not be visible. */
const step = 70;

const glowing = new Set<() => boolean>();
let last = 0;
let frame: number | undefined;

/**
 * Calls `draw` about fourteen times a second until it returns false, so that a glow fades without a
 * change of data. All tiles share one clock, which stops while nothing glows.
 */
export function whileGlowing(draw: () => boolean): void {
  glowing.add(draw);
  frame ??= requestAnimationFrame(tick);
}

/** Removes a tile from the clock. */
export function stopGlowing(draw: () => boolean): void {
  glowing.delete(draw);
}

function tick(now: number): void {
  frame = undefined;
  if (now - last >= step) {
    last = now;
    for (const draw of glowing) if (!draw()) glowing.delete(draw);
  }
  if (glowing.size > 0) frame = requestAnimationFrame(tick);
}
