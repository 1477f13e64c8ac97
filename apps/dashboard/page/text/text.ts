import type { KubernetesObject } from 'rx-informers';

/**
 * Control characters, invisible characters, and characters that change the direction of the text
 * around them.
 */
const treacherous = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/**
 * Returns text from a cluster as one safe line. Replaces characters that are invisible or would
 * reorder the text beside them by escapes such as `\u202e`.
 */
export function plainText(text: string, longest = 300): string {
  const shown = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return shown.replace(treacherous, escaped);
}

/** Returns text of many lines with the same escapes. Keeps its line breaks and tabs. */
export function plainLines(text: string): string {
  return text.replace(treacherous, (character) => (/[\n\t]/.test(character) ? character : escaped(character)));
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Returns a number of characters for readers: `640`, `12.3 k`, `10.0 M`. */
export function sizeText(characters: number): string {
  if (characters < 1000) return String(characters);
  if (characters < 1_000_000) return `${(characters / 1000).toFixed(1)} k`;
  return `${(characters / 1_000_000).toFixed(1)} M`;
}

/**
 * Returns a file name for an object, for example `pod-shop-web-1.yaml`. The name contains nothing
 * that a file system could read as a path.
 */
export function fileNameOf({ kind = 'object', metadata }: KubernetesObject): string {
  const parts = [kind.toLowerCase(), metadata?.namespace, metadata?.name].filter((part) => part !== undefined);
  return `${parts.map((part) => part.replace(/[^\w-]+/g, '-').slice(0, 80)).join('-')}.yaml`;
}

/** Guesses the singular name of a resource: `pod` for `v1/pods`, `networkpolicy` for its plural. */
export function singularOf(resource: string): string {
  return resource
    .slice(resource.lastIndexOf('/') + 1)
    .replace(/(ss|x|ch|sh)es$/, '$1')
    .replace(/ies$/, 'y')
    .replace(/([^s])s$/, '$1');
}

/**
 * Guesses the resource of a kind, as the address of an object names it: `apps/v1/deployments`,
 * `v1/pods`, `networking.k8s.io/v1/ingresses`.
 */
export function resourceOfKind({
  apiVersion,
  kind = '',
}: {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
}): string {
  return `${apiVersion === undefined || apiVersion === '' ? 'v1' : apiVersion}/${pluralOf(kind.toLowerCase())}`;
}

function pluralOf(singular: string): string {
  if (singular === 'endpoints') return singular;
  if (/(?:s|x|ch|sh)$/.test(singular)) return `${singular}es`;
  return `${singular.replace(/([^aeiou])y$/, '$1ie')}s`;
}

/** Compares in natural order: `ns-2` comes before `ns-10`. */
export const naturalOrder = new Intl.Collator('en', { numeric: true });

export function compareText(a: string, b: string): number {
  return naturalOrder.compare(a, b);
}

/**
 * Returns a function that checks whether a text contains all typed words, ignoring case. Returns
 * `undefined` if nothing was typed.
 */
export function wordsTest(typed: string): ((text: string) => boolean) | undefined {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return undefined;
  return (text) => {
    const searched = text.toLowerCase();
    return words.every((word) => searched.includes(word));
  };
}

/** Returns a count with separated thousands: `20,000`. */
export function countText(count: number): string {
  return count.toLocaleString('en');
}
