import type { KeyedObject } from './delta.js';

/**
 * The items of a list, each key once, in the place of its first and with the object of its last item (S2). Servers list in key order, and
 * then it is the array that was given.
 */
export function lastOfEachKey<T>(items: readonly KeyedObject<T>[]): readonly KeyedObject<T>[] {
  return areInKeyOrder(items) ? items : [...new Map(items.map((item) => [item.key, item])).values()];
}

function areInKeyOrder<T>(items: readonly KeyedObject<T>[]): boolean {
  for (let position = 1; position < items.length; position++) {
    if ((items[position - 1] as KeyedObject<T>).key >= (items[position] as KeyedObject<T>).key) return false;
  }
  return true;
}
