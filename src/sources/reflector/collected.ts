import { objectKey } from '../../kubernetes/object.js';

/** What was read so far, newest chunk first: adding to it copies nothing, and no state changes. */
export interface Collected<Entry> {
  readonly entries: readonly Entry[];
  readonly before: Collected<Entry> | undefined;
}

/** `collected` with `entries` behind it. */
export function collect<Entry>(
  collected: Collected<Entry> | undefined,
  entries: readonly Entry[],
): Collected<Entry> | undefined {
  return entries.length === 0 ? collected : { entries, before: collected };
}

/** Everything collected, in the order in which it came. */
export function everythingIn<Entry>(collected: Collected<Entry> | undefined): readonly Entry[] {
  const chunks: (readonly Entry[])[] = [];
  for (let chunk = collected; chunk !== undefined; chunk = chunk.before) chunks.push(chunk.entries);
  return chunks.reverse().flat();
}

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

/**
 * What is remembered of the pages of one list, to tell one that goes on from one that never ends. It does not grow with the list.
 */
export interface PageProgress {
  /** The key of the first object of the page that is being read. */
  readonly first: string | undefined;
  /** The key of the last object so far, over all pages. */
  readonly last: string | undefined;
  /** Whether the page brought an object that lies behind those of earlier pages. */
  readonly isNew: boolean;
  readonly pages: number;
  /** An earlier page, to compare later ones with; a new one after 1, 2, 4, 8 … pages, so that every cycle is found (Brent). */
  readonly mark: { readonly token: string; readonly first: string | undefined } | undefined;
}

export const noPages: PageProgress = { first: undefined, last: undefined, isNew: false, pages: 0, mark: undefined };

/**
 * Notes what a part of a page brought. Servers list in the order of keys, so one comparison tells what is new.
 *
 * @param others how many objects came that are not in `items`: those of other shards, those that could not be transformed
 */
export function readPart(progress: PageProgress, items: readonly unknown[], others: number): PageProgress {
  if (items.length === 0) return others > 0 ? { ...progress, isNew: true } : progress;
  const first = progress.first ?? objectKey(items[0]);
  const last = objectKey(items.at(-1));
  const isNew = progress.isNew || (last !== undefined && (progress.last === undefined || last > progress.last));
  return { ...progress, first, last: isNew ? last : progress.last, isNew };
}

/** Turns to the page of `token`; `undefined` if that leads back to a page that was read before. */
export function turnPage(progress: PageProgress, token: string): PageProgress | undefined {
  const { first, mark } = progress;
  if (mark?.token === token || (first !== undefined && mark?.first === first)) return undefined;
  const pages = progress.pages + 1;
  const isMarked = (pages & (pages - 1)) === 0;
  return { ...progress, first: undefined, isNew: false, pages, mark: isMarked ? { token, first } : mark };
}
