import { objectKey } from './object-key.js';

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
