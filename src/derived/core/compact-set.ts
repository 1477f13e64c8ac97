/**
 * A set of keys in no order, changed only through `withKey` and `withoutKey`. Most sets have one
 * key or a few, and a `Set` takes 200 bytes for one key and 40 for each of many. So one key is kept
 * as it is, and a few are in an array.
 */
export type CompactSet = string | string[] | Set<string> | undefined;

/** The number of keys up to which a search through the array costs little. */
const few = 128;

/** Returns the set with one more key. `keys` is not used any more. */
export function withKey(keys: CompactSet, key: string): CompactSet {
  if (keys === undefined || keys === key) return key;
  if (typeof keys === 'string') return [keys, key];
  if (!Array.isArray(keys)) return keys.add(key);
  if (keys.includes(key)) return keys;
  // `push` would reserve memory for half as many keys again.
  return keys.length < few ? keys.concat([key]) : new Set(keys).add(key);
}

/** Returns the set without a key; `undefined` if no key is left. `keys` is not used any more. */
export function withoutKey(keys: CompactSet, key: string): CompactSet {
  if (typeof keys !== 'object') return keys === key ? undefined : keys;
  if (!Array.isArray(keys)) return keys.delete(key) && keys.size === 0 ? undefined : keys;
  const position = keys.indexOf(key);
  if (position >= 0) keys.splice(position, 1);
  return keys.length === 0 ? undefined : keys;
}

/** Returns the keys, which must not change meanwhile. */
export function keysIn(keys: CompactSet): Iterable<string> {
  return typeof keys === 'string' ? [keys] : (keys ?? none);
}

/** Returns the number of keys. */
export function countOf(keys: CompactSet): number {
  if (typeof keys !== 'object') return Number(keys !== undefined);
  return Array.isArray(keys) ? keys.length : keys.size;
}

const none: readonly string[] = [];
