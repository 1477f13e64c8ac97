/**
 * False in production. If true, objects entering the store are deeply frozen, which about doubles
 * the cost of a list (H5 ▲), slow subscribers are reported, and misspelt options are refused.
 * `process.env.NODE_ENV` is written out for bundlers; a browser without one has no `process`:
 * development.
 */
export function isDevelopment(): boolean {
  try {
    return process.env.NODE_ENV !== 'production';
  } catch {
    return true;
  }
}

/**
 * Returns the name of which `name` is probably a misspelling: it differs in upper case and lower
 * case, in one character, or for a name of seven characters or more in two. Returns `undefined` if
 * `name` is one of the names, or resembles none.
 */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  if (names.includes(name)) return undefined;
  const edits = name.length < 7 ? 1 : 2;
  const distances = names.map((known) => ({ known, distance: editDistance(name.toLowerCase(), known.toLowerCase()) }));
  return distances.sort((a, b) => a.distance - b.distance).find(({ distance }) => distance <= edits)?.known;
}

/** Returns how many characters must be added, removed or replaced (Levenshtein). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let index = 0; index < from.length; index++) {
    const next = [index + 1];
    for (let column = 0; column < to.length; column++) {
      const replaced = (row[column] as number) + Number(from[index] !== to[column]);
      next.push(Math.min(replaced, (row[column + 1] as number) + 1, (next[column] as number) + 1));
    }
    row = next;
  }
  return row[to.length] as number;
}
