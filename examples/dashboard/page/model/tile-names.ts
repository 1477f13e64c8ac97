/**
 * The nodes that there are, and those that pods say they are on, in order, and at the end `''`, for pods without a node: also while there
 * are none, so that the map does not jump whenever one waits for a moment.
 */
export function tileNames(nodes: readonly string[], occupied: readonly string[]): readonly string[] {
  const names = new Set([...nodes, ...occupied]);
  if (names.size === 0) return [];
  names.delete('');
  return [...[...names].sort(naturally.compare), ''];
}

/** `node-2` before `node-10`. */
const naturally = new Intl.Collator('en', { numeric: true });
