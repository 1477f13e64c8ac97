import { objectKey } from '../../kubernetes/keys.js';

/**
 * The entries read so far, as a linked list with the newest chunk first. Adding a chunk copies
 * nothing and changes no earlier state.
 */
export interface Collected<Entry> {
  readonly entries: readonly Entry[];
  readonly before: Collected<Entry> | undefined;
}

/** Returns `collected` with `entries` appended. */
export function collect<Entry>(
  collected: Collected<Entry> | undefined,
  entries: readonly Entry[],
): Collected<Entry> | undefined {
  return entries.length === 0 ? collected : { entries, before: collected };
}

/** Returns all entries in the order of arrival. */
export function everythingIn<Entry>(collected: Collected<Entry> | undefined): readonly Entry[] {
  const chunks: (readonly Entry[])[] = [];
  for (let chunk = collected; chunk !== undefined; chunk = chunk.before) chunks.push(chunk.entries);
  return chunks.reverse().flat();
}

/**
 * A change of a streaming list, which holds all of them until its end. To save memory, an `upsert`
 * has no key until then; an object without a key is identified by itself.
 */
export type FoldableChange<T> =
  | { readonly type: 'upsert'; readonly object: T }
  | { readonly type: 'delete'; readonly key: string | undefined }
  | { readonly type: 'missing'; readonly key: string };

/** Folds changes. Its size depends on the number of objects, not on the number of changes. */
export interface ChangeFold<T> {
  apply(change: FoldableChange<T>): void;
  /** Returns the objects that exist, in the order of first appearance. */
  items(): readonly T[];
  /** Returns the keys of objects that exist but could not be delivered. */
  missing(): readonly string[];
}

/** The number of changes of a streaming list at which they are folded for the first time. */
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

/** Distinguishes a long list from a list that never ends, and does not grow with the list. */
export interface PageProgress {
  /** The key of the first object of the current page. */
  readonly first: string | undefined;
  /** The greatest key so far, over all pages. */
  readonly last: string | undefined;
  /** True if the current page contains a key after all keys of earlier pages. */
  readonly isNew: boolean;
  readonly pages: number;
  /** An earlier page to compare with, replaced after 1, 2, 4, 8 … pages (Brent's algorithm). */
  readonly mark: { readonly token: string; readonly first: string | undefined } | undefined;
}

export const noPages: PageProgress = { first: undefined, last: undefined, isNew: false, pages: 0, mark: undefined };

/**
 * Returns the progress after a part of a page. Servers list in key order, so a new last key means
 * new objects. `others` is the number of objects not in `items`: of other shards, or untransformed.
 */
export function readPart(progress: PageProgress, items: readonly unknown[], others: number): PageProgress {
  if (items.length === 0) return others > 0 ? { ...progress, isNew: true } : progress;
  const first = progress.first ?? objectKey(items[0]);
  const last = objectKey(items.at(-1));
  const isNew = progress.isNew || (last !== undefined && (progress.last === undefined || last > progress.last));
  return { ...progress, first, last: isNew ? last : progress.last, isNew };
}

/** Returns the progress at the page of `token`; `undefined` if it was read before. */
export function turnPage(progress: PageProgress, token: string): PageProgress | undefined {
  const { first, mark } = progress;
  if (mark?.token === token || (first !== undefined && mark?.first === first)) return undefined;
  const pages = progress.pages + 1;
  const isMarked = (pages & (pages - 1)) === 0;
  return { ...progress, first: undefined, isNew: false, pages, mark: isMarked ? { token, first } : mark };
}
