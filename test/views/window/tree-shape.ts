import type { RowTree, Row } from '../../../src/views/window/row-tree.js';

type Node<T> = NonNullable<RowTree<T>['root']>;

/**
 * Returns the rows of a tree in order (the rows of a bag in any order), and the height of the tree.
 * Throws if the tree violates an invariant. A node with a bag below it need not be balanced.
 */
export function checkedTree<T>(tree: RowTree<T>): { readonly rows: readonly Row<T>[]; readonly height: number } {
  const rows: Row<T>[] = [];
  const walk = (
    node: Node<T> | undefined,
    parent: Node<T> | undefined,
  ): { readonly height: number; readonly hasBag: boolean } => {
    if (!node) return { height: 0, hasBag: false };
    if ('rows' in node) {
      if (node.parent !== parent) throw new Error('a bag does not know its parent');
      for (const [place, row] of node.rows.entries()) {
        if (row.parent !== node || row.size !== place) throw new Error(`${row.key} does not know its place in a bag`);
        if (row.shown !== Number(row.isShown)) throw new Error(`shown of ${row.key} in a bag`);
      }
      if (node.size === 0 || node.size !== node.rows.length) throw new Error('size of a bag');
      if (node.shown !== node.rows.filter(({ isShown }) => isShown).length) throw new Error('shown in a bag');
      rows.push(...node.rows);
      return { height: 1, hasBag: true };
    }
    if (node.parent !== parent) throw new Error(`${node.key} does not know its parent`);
    const left = walk(node.left, node);
    rows.push(node);
    const right = walk(node.right, node);
    const [leftSize, rightSize] = [node.left?.size ?? 0, node.right?.size ?? 0];
    if (node.size !== 1 + leftSize + rightSize) throw new Error(`size of ${node.key}`);
    if (node.shown !== Number(node.isShown) + (node.left?.shown ?? 0) + (node.right?.shown ?? 0)) {
      throw new Error(`shown below ${node.key}`);
    }
    const hasBag = left.hasBag || right.hasBag;
    if (!hasBag && Math.max(leftSize, rightSize) + 1 > 3 * (Math.min(leftSize, rightSize) + 1)) {
      throw new Error(`${node.key} is not balanced: ${leftSize} and ${rightSize}`);
    }
    return { height: 1 + Math.max(left.height, right.height), hasBag };
  };
  const { height } = walk(tree.root, undefined);
  return { rows, height };
}
