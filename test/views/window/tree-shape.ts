import type { Row, RowTree } from '../../../src/views/window/row-tree.js';

/** The rows of a tree in order, and its height; throws where it is not as it must be. */
export function checkedTree<T>(tree: RowTree<T>): { readonly rows: readonly Row<T>[]; readonly height: number } {
  const rows: Row<T>[] = [];
  const walk = (row: Row<T> | undefined, parent: Row<T> | undefined): number => {
    if (!row) return 0;
    if (row.parent !== parent) throw new Error(`${row.key} does not know its parent`);
    const left = walk(row.left, row);
    rows.push(row);
    const right = walk(row.right, row);
    const [leftSize, rightSize] = [row.left?.size ?? 0, row.right?.size ?? 0];
    if (row.size !== 1 + leftSize + rightSize) throw new Error(`size of ${row.key}`);
    if (row.shown !== Number(row.isShown) + (row.left?.shown ?? 0) + (row.right?.shown ?? 0)) {
      throw new Error(`shown below ${row.key}`);
    }
    if (Math.max(leftSize, rightSize) + 1 > 3 * (Math.min(leftSize, rightSize) + 1)) {
      throw new Error(`${row.key} is not balanced: ${leftSize} and ${rightSize}`);
    }
    return 1 + Math.max(left, right);
  };
  const height = walk(tree.root, undefined);
  return { rows, height };
}
