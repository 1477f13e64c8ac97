/** The nodes that there are, and those that pods say they are on, in order; at the end `''`, for pods without a node, where there are any. */
export function tileNames(nodes: readonly string[], occupied: readonly string[]): readonly string[] {
  const names = new Set([...nodes, ...occupied]);
  const isUnplaced = names.delete('');
  const sorted = [...names].sort(naturally.compare);
  return isUnplaced ? [...sorted, ''] : sorted;
}

/** `node-2` before `node-10`. */
const naturally = new Intl.Collator('en', { numeric: true });
