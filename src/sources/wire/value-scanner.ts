import {
  closeCurly,
  colon,
  comma,
  curlyBit,
  endOfBrackets,
  endOfString,
  isWhitespace,
  openCurly,
  openSquare,
  quote,
  quoted,
  skipWhitespace,
  spells,
} from './json-bytes.js';

/** A member of a member of an object, by their names: `['metadata', 'managedFields']`. */
export type MemberPath = readonly [outer: string, inner: string];

/** A part of a text, from the index of its first byte to the one behind its last. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

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

/** From the bracket that opens to the one that closes, for both kinds. */
const toClosing = 2;

/** Returns true if a string that ends just before `from` is the key of an object. */
function isKeyOfObject(bytes: Uint8Array, from: number): boolean {
  return bytes[startOfValue(bytes, from)] === openCurly;
}

/**
 * Returns what to leave out of a text so that it lacks the member whose key lies between `keyStart` and `keyEnd`: the member and
 * one comma.
 *
 * Returns `undefined` if the bytes end before the member does, if its value is neither object nor array, or if the text around it is
 * not valid: it must not become valid by what it lacks.
 */
export function spanOfMember(bytes: Uint8Array, view: DataView, keyStart: number, keyEnd: number): Span | undefined {
  const valueStart = startOfValue(bytes, keyEnd);
  const opening = bytes[valueStart];
  if (opening !== openCurly && opening !== openSquare) return undefined;
  const valueEnd = endOfBrackets(bytes, view, valueStart);
  if (valueEnd === -1 || bytes[valueEnd - 1] !== opening + toClosing) return undefined;

  const next = skipWhitespace(bytes, valueEnd);
  const isLast = bytes[next] === closeCurly;
  if (!isLast && bytes[next] !== comma) return undefined;

  const previous = skipWhitespaceBackwards(bytes, keyStart - 1);
  if (bytes[previous] === comma) {
    const isFirst = bytes[skipWhitespaceBackwards(bytes, previous - 1)] === openCurly;
    return isFirst ? undefined : { from: previous, to: valueEnd };
  }
  if (bytes[previous] !== openCurly) return undefined;
  if (isLast) return { from: keyStart, to: valueEnd };
  const following = skipWhitespace(bytes, next + 1);
  return bytes[following] === quote ? { from: keyStart, to: following } : undefined;
}

/** Returns where the value begins of a key that ends just before `from`; `bytes.length` if no colon follows. */
function startOfValue(bytes: Uint8Array, from: number): number {
  const at = skipWhitespace(bytes, from);
  return bytes[at] === colon ? skipWhitespace(bytes, at + 1) : bytes.length;
}

function skipWhitespaceBackwards(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isWhitespace(bytes[at])) at--;
  return at;
}

/** Copies texts without a part of each. */
export interface Shortener {
  /** Starts again, with texts of no more than `length` bytes together; what was copied before is overwritten. */
  reset(length: number): void;
  /** `bytes` without `omitted`, valid until `reset`. */
  copyWithout(bytes: Uint8Array, omitted: Span): Uint8Array;
}

/** Creates a shortener with one buffer for all copies that are needed at the same time: an allocation for each would cost more. */
export function createShortener(): Shortener {
  let buffer = new Uint8Array(0);
  let needed = 0;
  let used = 0;

  return {
    reset(length) {
      needed = length;
      used = 0;
    },
    copyWithout(bytes, { from, to }) {
      if (buffer.length < needed) buffer = new Uint8Array(needed);
      const start = used;
      buffer.set(bytes.subarray(0, from), start);
      buffer.set(bytes.subarray(to), start + from);
      used = start + from + bytes.length - to;
      return buffer.subarray(start, used);
    },
  };
}
