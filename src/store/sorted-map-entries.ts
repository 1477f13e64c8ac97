import { childPosition, type Node, type Present } from './sorted-map-node.js';
import type { SortedMap } from './sorted-map.js';

/** The entries of a map from `start` on, in key order; those before it cost nothing. */
export function entriesFrom<V extends Present>(
  map: SortedMap<V>,
  start: string,
): Iterable<readonly [key: string, value: V]> {
  return entriesBelow(map.root, start);
}

function* entriesBelow<V>(node: Node<V>, start: string): Generator<readonly [key: string, value: V]> {
  if (node.isLeaf) {
    for (let position = 0; position < node.keys.length; position++) {
      const key = node.keys[position] as string;
      if (key >= start) yield [key, node.slots[position] as V];
    }
    return;
  }
  for (let position = childPosition(node.keys, start); position < node.slots.length; position++) {
    yield* entriesBelow(node.slots[position] as Node<V>, start);
  }
}
