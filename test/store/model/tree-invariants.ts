import type { SortedMap, TreeNode, Present } from '../../../src/store/sorted-map.js';

const MOST = 32;
const FEWEST = 8;

export interface TreeShape {
  readonly height: number;
  readonly nodes: number;
  readonly leaves: readonly number[];
}

/**
 * Returns the height of the tree of a map, its number of nodes and the filling of its leaves.
 * Throws if the tree violates an invariant.
 */
export function checkedShape(map: SortedMap<Present>): TreeShape {
  const leaves: number[] = [];
  const depths = new Set<number>();
  let nodes = 0;
  const walk = (node: TreeNode<unknown>, depth: number, isLastOfLevel: boolean): void => {
    nodes++;
    const { keys, slots } = node;
    if (keys.length !== slots.length) throw new Error('as many slots as keys');
    if (keys.length > MOST) throw new Error(`${keys.length} slots are too many`);
    if (depth > 1 && !isLastOfLevel && keys.length < FEWEST) throw new Error(`${keys.length} slots are too few`);
    if (keys.length < (node.isLeaf ? Math.min(1, map.size) : 2))
      throw new Error(`${keys.length} slots at depth ${depth}`);
    if (keys.some((key, position) => position > 0 && key <= (keys[position - 1] as string))) throw new Error('order');
    if (node.isLeaf) {
      depths.add(depth);
      leaves.push(keys.length);
      return;
    }
    node.slots.forEach((child, position) => {
      if (child.keys[0] !== keys[position]) throw new Error('the key of a child is its smallest');
      const next = keys[position + 1];
      if (next !== undefined && (child.keys.at(-1) as string) >= next) throw new Error('order of children');
      walk(child, depth + 1, isLastOfLevel && next === undefined);
    });
  };
  walk(map.root, 1, true);
  if (depths.size !== 1) throw new Error('all leaves are equally deep');
  const size = leaves.reduce((sum, length) => sum + length, 0);
  if (size !== map.size) throw new Error(`holds ${size}, says ${map.size}`);
  return { height: [...depths][0] as number, nodes, leaves };
}
