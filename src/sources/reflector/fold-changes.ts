/** One change on the way to a list: what the object under `key` became. An object without a key is told apart by itself. */
export type FoldableChange<T> =
  | { readonly type: 'upsert'; readonly key: string | undefined; readonly object: T }
  | { readonly type: 'delete'; readonly key: string | undefined }
  | { readonly type: 'missing'; readonly key: string };

/** What exists after the changes, in the order of first appearance, and what exists but could not be delivered. */
export interface Folded<T> {
  readonly items: readonly T[];
  readonly missing: readonly string[];
}

/** Applies all changes, of all types, to nothing (R24). */
export function foldChanges<T>(changes: Iterable<FoldableChange<T>>): Folded<T> {
  const items = new Map<unknown, T>();
  const missing = new Set<string>();
  for (const change of changes) {
    if (change.key !== undefined) missing.delete(change.key);
    switch (change.type) {
      case 'upsert':
        items.set(change.key ?? change.object, change.object);
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
  }
  return { items: [...items.values()], missing: [...missing] };
}
