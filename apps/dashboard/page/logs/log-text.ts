/**
 * Escape sequences for colours, cursor positions and titles of terminals. They mean nothing on a
 * page.
 */
const escapes = new RegExp(
  [
    '\\[[0-?]*[ -/]*[@-~]',
    '\\][^\\u0007\\u001b]*(?:\\u0007|\\u001b\\\\)?',
    '[PX^_][^\\u001b]*(?:\\u001b\\\\)?',
    '[ -/]*[0-~]',
  ]
    .map((sequence) => `\\u001b${sequence}`)
    .join('|'),
  'g',
);

/** Removes the escape sequences of terminals from a text. */
export function withoutEscapes(text: string): string {
  return text.includes('\u001b') ? text.replace(escapes, '') : text;
}

/** The maximum length of a line. Some programs log a document on one line. */
const longest = 8000;

/** Returns the text of a line as the page shows it. */
export function shownText(line: string): string {
  const text = withoutEscapes(line).trimEnd();
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** Returns a text for a time of the kubelet. Times have the order of their texts. */
export function timeKey(time: string): string {
  const [, seconds = '', fraction = '', zone = ''] = /^(.{19})(?:\.(\d+))?(.*)$/.exec(time) ?? [];
  // A line without a time comes first.
  const at = Date.parse(`${seconds}${zone}`);
  return `${String(Number.isNaN(at) ? 0 : at).padStart(16, '0')}.${fraction.padEnd(9, '0')}`;
}
