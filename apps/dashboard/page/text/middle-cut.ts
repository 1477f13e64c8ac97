/**
 * Replaces the middle of a text by `…` if the text is longer than `longest`. The ends stay, because
 * names differ at their ends.
 */
export function middleCut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const kept = Math.max(2, longest - 1);
  const end = Math.ceil(kept / 2);
  return `${text.slice(0, kept - end)}…${text.slice(text.length - end)}`;
}
