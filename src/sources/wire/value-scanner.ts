import { endOfString } from './end-of-string.js';

/** Finds where one JSON value ends, in a stream of bytes. */
export interface ValueScanner {
  /** Begins with a value whose first byte is `first`; the same byte is the first that `scan` is given. */
  start(first: number): void;
  /** The index just behind the value, or -1 where `bytes` end before it does; then `scan` wants the next chunk, from 0. */
  scan(bytes: Uint8Array, from: number): number;
}

const quote = 0x22;
/** `{` and `[`, `}` and `]` differ from each other in this bit alone. */
const curlyBit = 0x20;
const open = 0x7b;
const close = 0x7d;
const comma = 0x2c;
const space = 0x20;

/**
 * A scanner that counts brackets and skips strings, and looks at nothing else: a value that is not valid JSON in
 * itself has an end all the same, and is found out when it is parsed.
 */
export function createValueScanner(): ValueScanner {
  let depth = 0;
  let inString = false;
  let escaped = false;
  let isPrimitive = false;

  function scanPrimitive(bytes: Uint8Array, from: number): number {
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (byte === comma || (byte | curlyBit) === close || byte <= space) return at;
    }
    return -1;
  }

  return {
    start(first) {
      depth = 0;
      inString = false;
      escaped = false;
      isPrimitive = first !== quote && (first | curlyBit) !== open;
    },
    scan(bytes, from) {
      if (from >= bytes.length) return -1;
      if (isPrimitive) return scanPrimitive(bytes, from);
      // Every byte of every list goes through this loop: it works on locals, and remembers them only between two chunks.
      const end = bytes.length;
      const view = new DataView(bytes.buffer, bytes.byteOffset, end);
      let at = from;
      let level = depth;
      if (escaped) at++;
      let isInside = inString;
      while (at < end) {
        if (isInside) {
          at = endOfString(bytes, view, at);
          if (at >= end) break;
          isInside = false;
          at++;
          if (level === 0) return at;
        }
        while (at < end) {
          const byte = bytes[at++] as number;
          if (byte === quote) {
            isInside = true;
            break;
          }
          const bracket = byte | curlyBit;
          if (bracket === open) {
            level++;
          } else if (bracket === close && --level === 0) {
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
