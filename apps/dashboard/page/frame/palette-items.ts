import type { AddressChange } from '../address/use-page-address.js';
import { compareText } from '../text/text.js';

/** One entry of the palette. */
export interface PaletteItem {
  readonly id: string;
  /** The type of the entry: `Namespace`. */
  readonly kind: string;
  readonly title: string;
  /** The text beside the title: the namespace of a pod, or a key. */
  readonly hint?: string;
  readonly act: AddressChange | (() => void) | { readonly href: string };
}

/** The maximum number of items that are shown. */
export const maxItems = 40;

/**
 * Returns the items that match every typed word, the best first. Titles that begin with the typed
 * text come first, then titles with a word that begins with the text, then titles that contain the
 * text. Items of the same rank keep their order.
 */
export function matchingItems(items: Iterable<PaletteItem>, typed: string): readonly PaletteItem[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const ranked: { readonly item: PaletteItem; readonly rank: number }[] = [];
  for (const item of items) {
    const rank = rankOf(item, words);
    if (rank !== undefined) ranked.push({ item, rank });
  }
  if (words.length > 0) {
    ranked.sort(
      (a, b) => a.rank - b.rank || a.item.title.length - b.item.title.length || compareText(a.item.title, b.item.title),
    );
  }
  return ranked.slice(0, maxItems).map(({ item }) => item);
}

function rankOf({ kind, title, hint = '' }: PaletteItem, words: readonly string[]): number | undefined {
  const name = title.toLowerCase();
  const all = `${kind} ${name} ${hint}`.toLowerCase();
  let rank = 0;
  for (const word of words) {
    if (name.startsWith(word)) continue;
    const at = all.indexOf(word);
    if (at === -1) return undefined;
    rank += name.includes(word) ? 1 : 2;
  }
  return rank;
}
