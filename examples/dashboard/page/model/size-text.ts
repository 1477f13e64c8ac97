/** A number of characters as people say it: `640`, `12.3 k`, `10.0 M`. */
export function sizeText(characters: number): string {
  if (characters < 1000) return String(characters);
  if (characters < 1_000_000) return `${(characters / 1000).toFixed(1)} k`;
  return `${(characters / 1_000_000).toFixed(1)} M`;
}
