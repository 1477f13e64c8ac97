/**
 * Moves the first `by` items to the end, so that over the rounds no contestant always comes first.
 */
export function rotate<T>(items: readonly T[], by: number): readonly T[] {
  const first = items.length === 0 ? 0 : by % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}
