import { objectKey } from './object-key.js';

/**
 * One change on the way to a list. What exists is as small as can be, because a streaming list holds all of it until its end: the key is
 * made from the object then. An object without a key is told apart by itself.
 */
export type FoldableChange<T> =
  | { readonly type: 'upsert'; readonly object: T }
  | { readonly type: 'delete'; readonly key: string | undefined }
  | { readonly type: 'missing'; readonly key: string };

/** Changes of all types, becoming what exists after them: as large as that, however many they were. */
export interface ChangeFold<T> {
  apply(change: FoldableChange<T>): void;
  /** What exists, in the order of first appearance. */
  items(): readonly T[];
  /** Keys of what exists but could not be delivered. */
  missing(): readonly string[];
}

/** So many changes of a streaming list are collected before they are folded for the first time. */
export const firstFold = 1_000;

/** Returns the fewest changes that lead to the same list. */
export function foldChanges<T>(changes: readonly FoldableChange<T>[]): readonly FoldableChange<T>[] {
  const fold = createChangeFold<T>();
  for (const change of changes) fold.apply(change);
  return [
    ...fold.items().map((object) => ({ type: 'upsert' as const, object })),
    ...fold.missing().map((key) => ({ type: 'missing' as const, key })),
  ];
}

export function createChangeFold<T>(): ChangeFold<T> {
  const items = new Map<unknown, T>();
  const missing = new Set<string>();
  return {
    apply(change) {
      const key = change.type === 'upsert' ? objectKey(change.object) : change.key;
      if (key !== undefined) missing.delete(key);
      switch (change.type) {
        case 'upsert':
          items.set(key ?? change.object, change.object);
          break;
        case 'delete':
          items.delete(change.key);
          break;
        case 'missing':
          items.delete(change.key);
          missing.add(change.key);
          break;
        default:
          change satisfies never;
      }
    },
    items: () => [...items.values()],
    missing: () => [...missing],
  };
}
