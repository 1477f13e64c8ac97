/** Puts the first `by` contestants behind the others, so that over the rounds nobody always comes first. */
export function rotate<T>(items: readonly T[], by: number): readonly T[] {
  const first = items.length === 0 ? 0 : by % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}
