/** A line of a log. */
export interface LogLine {
  /** A number that counts up over all sources, so that a line keeps its place in a list. */
  readonly id: number;
  /** The source of the line: the key of its pod, as `sourceOf` returns it. */
  readonly source: string;
  /** The time that the kubelet writes; `undefined` for lines of the page itself. */
  readonly time: string | undefined;
  readonly text: string;
}

/** The last lines of several logs. */
export interface LogRing {
  readonly lines: readonly LogLine[];
  /** The number of characters of all lines. */
  readonly size: number;
  /** The number of lines that were removed. */
  readonly dropped: number;
  /** The id of the next line. */
  readonly next: number;
}

export interface LogRingLimits {
  readonly lines: number;
  /** The maximum number of characters of all lines. */
  readonly size: number;
}

export const emptyRing: LogRing = { lines: [], size: 0, dropped: 0, next: 0 };

/** Adds lines at the end, and removes lines at the beginning that exceed the limits. */
export function append(ring: LogRing, added: readonly Omit<LogLine, 'id'>[], limits: LogRingLimits): LogRing {
  if (added.length === 0) return ring;
  const lines = [...ring.lines];
  let { size, next } = ring;
  for (const line of added) {
    lines.push({ id: next++, ...line });
    size += line.text.length;
  }
  let gone = Math.max(0, lines.length - limits.lines);
  for (const { text } of lines.slice(0, gone)) size -= text.length;
  while (size > limits.size && gone < lines.length - 1) size -= lines[gone++]?.text.length ?? 0;
  return { lines: gone === 0 ? lines : lines.slice(gone), size, dropped: ring.dropped + gone, next };
}
