import {
  closeCurly,
  comma,
  curlyBit,
  endOfString,
  isKeyOfObject,
  openCurly,
  quote,
  quoted,
  spanOfMember,
  spells,
  type MemberPath,
  type Span,
} from './bytes.js';

/** Finds where one JSON value ends, in a stream of bytes. */
export interface ValueScanner {
  /** Begins with a value whose first byte is `first`; the same byte is the first that `scan` is given. */
  start(first: number): void;
  /** The index just behind the value, or -1 where `bytes` end before it does; then `scan` wants the next chunk, from 0. */
  scan(bytes: Uint8Array, from: number): number;
  /**
   * Where the member to omit stands, with one comma beside it, counted from where the last `scan` began; `undefined` where none was seen.
   */
  readonly omitted: Span | undefined;
}

const space = 0x20;

export interface ValueScannerOptions {
  /** A member that the caller can do without; see `omitted`. Default none. */
  readonly omit?: MemberPath | undefined;
}

/**
 * Creates a scanner that counts brackets and skips strings, and looks at nothing else. A value that is not valid JSON in itself has an
 * end all the same; parsing it fails.
 *
 * **Does not guarantee**: that `omitted` is found if the value is not scanned in one call, or if one of the two keys is written with
 * escapes.
 */
export function createValueScanner({ omit }: ValueScannerOptions = {}): ValueScanner {
  const outer = quoted(omit?.[0] ?? '');
  const inner = quoted(omit?.[1] ?? '');
  const levelsToWatch = omit === undefined ? 0 : 2;
  let depth = 0;
  let inString = false;
  let escaped = false;
  let isPrimitive = false;
  let isNew = false;
  let omitted: Span | undefined;

  function scanPrimitive(bytes: Uint8Array, from: number): number {
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (byte === comma || (byte | curlyBit) === closeCurly || byte <= space) return at;
    }
    return -1;
  }

  return {
    get omitted() {
      return omitted;
    },
    start(first) {
      depth = 0;
      inString = false;
      escaped = false;
      isNew = true;
      isPrimitive = first !== quote && (first | curlyBit) !== openCurly;
    },
    scan(bytes, from) {
      omitted = undefined;
      if (from >= bytes.length) return -1;
      if (isPrimitive) return scanPrimitive(bytes, from);
      // Every byte of every list goes through this loop: it works on locals, and remembers them only between two chunks.
      const end = bytes.length;
      const view = new DataView(bytes.buffer, bytes.byteOffset, end);
      let watched = isNew ? levelsToWatch : 0;
      isNew = false;
      let at = from;
      let level = depth;
      if (escaped) at++;
      let isInside = inString;
      let stringStart = at;
      let isInOuter = false;
      while (at < end) {
        if (isInside) {
          at = endOfString(bytes, view, at);
          if (at >= end) break;
          isInside = false;
          at++;
          if (level === 0) return at;
          if (level <= watched) {
            if (level === 1) {
              isInOuter = spells(bytes, stringStart, outer) && isKeyOfObject(bytes, at);
            } else if (isInOuter && spells(bytes, stringStart, inner)) {
              const span = spanOfMember(bytes, view, stringStart, at);
              if (span !== undefined) {
                omitted = { from: span.from - from, to: span.to - from };
                at = span.to;
                watched = 0;
              }
            }
          }
        }
        while (at < end) {
          const byte = bytes[at++] as number;
          if (byte === quote) {
            isInside = true;
            stringStart = at - 1;
            break;
          }
          const bracket = byte | curlyBit;
          if (bracket === openCurly) {
            level++;
          } else if (bracket === closeCurly && --level === 0) {
            return at;
          }
        }
      }
      depth = level;
      inString = isInside;
      escaped = at > end;
      return -1;
    },
  };
}
