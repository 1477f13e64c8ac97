import * as sortedBTree from 'sorted-btree';

/*
 * sorted-btree is CommonJS: bundlers unwrap its default export, Node hands over the whole module. Both shapes are accepted
 * here, once, and nothing else imports the package.
 */
type Module = typeof sortedBTree.default;
const module: Module = sortedBTree.default;
const unwrapped = (module as { readonly default?: unknown }).default === undefined ? module : module.default;

/** A persistent sorted map: `clone` is O(1) and shares its nodes, `set` and `delete` copy only the path they touch. */
export type BTree<V> = InstanceType<typeof module.default<string, V>>;

const Constructor = unwrapped as typeof module.default;

/** Keys are compared by UTF-16 code unit: the same order on every machine, and the cheapest one. */
function compareKeys(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function createBTree<V>(): BTree<V> {
  return new Constructor<string, V>(undefined, compareKeys);
}
