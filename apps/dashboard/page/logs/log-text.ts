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

/** A line of a log, and the time that the kubelet writes before it. */
export interface TimedText {
  readonly time: string | undefined;
  readonly text: string;
}

const timed = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)) ?/;

/** The maximum length of a line. Some programs log a document on one line. */
const longest = 8000;

/** Parses a line that was requested with `timestamps=true`. */
export function timedText(line: string): TimedText {
  const time = timed.exec(line);
  const text = withoutEscapes(time ? line.slice(time[0].length) : line).trimEnd();
  return { time: time?.[1], text: text.length > longest ? `${text.slice(0, longest)}…` : text };
}

export interface LineSplitter {
  /** Returns the lines that end within these bytes. */
  push(bytes: Uint8Array): readonly string[];
  /** Returns the rest: a last line without a line break. */
  end(): readonly string[];
}

/** Splits the bytes of a stream into lines, wherever the chunks are cut. */
export function lineSplitter(): LineSplitter {
  const decoder = new TextDecoder();
  let rest = '';
  return {
    push(bytes) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\r?\n/);
      rest = lines.pop() ?? '';
      // Limits the memory for a line that never ends.
      if (rest.length > 16 * longest) rest = rest.slice(0, 2 * longest);
      return lines;
    },
    end() {
      const last = rest + decoder.decode();
      rest = '';
      return last === '' ? [] : [last];
    },
  };
}

/**
 * Compares two times of the kubelet. They may be in the time zone of the node, and their fractions
 * may have any number of digits.
 */
export function compareTimes(a: string, b: string): number {
  const [left, right] = [timeKey(a), timeKey(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Returns a text for a time of the kubelet. Times have the order of their texts. */
export function timeKey(time: string): string {
  const [, seconds = '', fraction = '', zone = ''] = /^(.{19})(?:\.(\d+))?(.*)$/.exec(time) ?? [];
  // A line without a time comes first.
  const at = Date.parse(`${seconds}${zone}`);
  return `${String(Number.isNaN(at) ? 0 : at).padStart(16, '0')}.${fraction.padEnd(9, '0')}`;
}
