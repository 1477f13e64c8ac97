/** Control characters, and those that turn the direction of the text around them or cannot be seen. */
const treacherous = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** Text of others on one line: what could not be seen, or would rearrange what stands beside it, is written as `\u202e`. */
export function plainText(text: string, longest = 300): string {
  const shown = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return shown.replace(treacherous, escaped);
}

/** The same for text of many lines, which keeps its line ends and tabs. */
export function plainLines(text: string): string {
  return text.replace(treacherous, (character) => (/[\n\t]/.test(character) ? character : escaped(character)));
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
