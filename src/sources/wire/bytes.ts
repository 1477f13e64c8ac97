import { RxInformersError } from '../../kubernetes/errors.js';

/** Collects bytes that come in pieces. */
export interface ByteAccumulator {
  readonly length: number;
  append(bytes: Uint8Array): void;
  /** Returns what was appended so far, valid until the next `append`. */
  peek(): Uint8Array;
  /** Returns everything appended, which the caller may keep, and empties the accumulator. */
  take(): Uint8Array;
  clear(): void;
}

const empty = /*#__PURE__*/ new Uint8Array(0);
const smallestCapacity = 4096;

/**
 * Creates an accumulator that copies pieces into one buffer, which doubles: the cost is linear in the bytes however small the pieces
 * are, and a piece may be reused as soon as `append` returns.
 */
export function createByteAccumulator(): ByteAccumulator {
  let buffer = empty;
  let length = 0;

  function clear(): void {
    buffer = empty;
    length = 0;
  }

  return {
    get length() {
      return length;
    },
    append(bytes) {
      const needed = length + bytes.length;
      if (needed > buffer.length) {
        const grown = new Uint8Array(Math.max(smallestCapacity, needed * 2));
        grown.set(buffer.subarray(0, length));
        buffer = grown;
      }
      buffer.set(bytes, length);
      length = needed;
    },
    peek: () => buffer.subarray(0, length),
    take() {
      const taken = buffer.subarray(0, length);
      clear();
      return taken;
    },
    clear,
  };
}

const decoder = /*#__PURE__*/ new TextDecoder('utf-8', { fatal: true });

/**
 * Returns the JSON value that `bytes` spell.
 *
 * @throws WireError for what is not UTF-8 (instead of replacing characters in an object) or not JSON
 */
export function decodeJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch (cause) {
    throw wireError('not valid UTF-8', bytes, bytes.length, { cause });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw wireError('not valid JSON', bytes, bytes.length, { cause });
  }
}

/** The bytes of a response are not what the protocol says. The request is not known here: its maker turns this into a `DecodeError`. */
export class WireError extends RxInformersError {
  static override readonly code = 'RXI_WIRE';
  override readonly name = 'WireError';
  constructor(
    readonly problem: string,
    /** The beginning of the bytes, as text; what is not UTF-8 in it is replaced. */
    readonly line: string,
    /** How many bytes there were, or at least were seen. */
    readonly byteLength: number,
    options?: ErrorOptions,
  ) {
    super(`${problem} (${byteLength} bytes): ${JSON.stringify(line)}`, options);
  }
}

const shownLength = 200;
const lossy = /*#__PURE__*/ new TextDecoder();

/** Returns a `WireError` that shows the beginning of `bytes`. */
export function wireError(
  problem: string,
  bytes: Uint8Array,
  byteLength: number = bytes.length,
  options?: ErrorOptions,
): WireError {
  return new WireError(problem, lossy.decode(bytes.subarray(0, shownLength)), byteLength, options);
}

/*
 * JSON, byte by byte: what a parser would find out with far more work. Nothing here checks that the bytes are JSON; whatever is cut
 * out with it is parsed afterwards.
 */

export const quote = 0x22;
export const comma = 0x2c;
export const colon = 0x3a;
export const openSquare = 0x5b;
export const closeSquare = 0x5d;
export const openCurly = 0x7b;
export const closeCurly = 0x7d;
/** `{` and `[`, `}` and `]` differ from each other in this bit alone. */
export const curlyBit = 0x20;
const backslash = 0x5c;

/** Returns true for one of the four bytes that JSON allows between its parts. */
export function isWhitespace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Returns the index of the first byte at `from` or behind it that is no whitespace. */
export function skipWhitespace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isWhitespace(bytes[at])) at++;
  return at;
}

/** Returns the bytes of a JSON string, both quotes included. */
export function quoted(text: string): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(text));
}

/** Returns true if `string`, which is quoted, begins at `at`. */
export function spells(bytes: Uint8Array, at: number, string: Uint8Array): boolean {
  for (let index = 0; index < string.length; index++) {
    if (bytes[at + index] !== string[index]) return false;
  }
  return true;
}

/**
 * Receives where a member begins: the first byte of its key, the one behind its key, and the first of its value. Returns the index
 * behind the value, or -1 to end the walk.
 */
export type MemberVisitor = (keyStart: number, keyEnd: number, valueStart: number) => number;

/**
 * Visits the members of the object that begins at `from`, in their order, as long as the bytes look like JSON.
 *
 * It looks at nothing that `visit` does not skip, so what was visited may still turn out not to be JSON; only a parser can tell.
 */
export function walkMembers(bytes: Uint8Array, view: DataView, from: number, visit: MemberVisitor): void {
  if (bytes[from] !== openCurly) return;
  let at = skipWhitespace(bytes, from + 1);
  while (bytes[at] === quote) {
    const keyEnd = endOfString(bytes, view, at + 1) + 1;
    const separator = skipWhitespace(bytes, keyEnd);
    if (bytes[separator] !== colon) return;
    const valueStart = skipWhitespace(bytes, separator + 1);
    if (valueStart >= bytes.length) return;
    const valueEnd = visit(at, keyEnd, valueStart);
    if (valueEnd === -1) return;
    at = skipWhitespace(bytes, valueEnd);
    if (bytes[at] !== comma) return;
    at = skipWhitespace(bytes, at + 1);
  }
}

/** Returns the index behind the value that begins at `from`; -1 if the bytes end first. */
export function endOfValue(bytes: Uint8Array, view: DataView, from: number): number {
  const first = bytes[from] as number;
  if ((first | curlyBit) === openCurly) return endOfBrackets(bytes, view, from);
  if (first === quote) {
    const end = endOfString(bytes, view, from + 1);
    return end < bytes.length ? end + 1 : -1;
  }
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === comma || (byte | curlyBit) === closeCurly || isWhitespace(byte)) return at;
  }
  return -1;
}

/** Returns the index behind the bracket that closes the one at `from`, of either kind; -1 if the bytes end first. */
export function endOfBrackets(bytes: Uint8Array, view: DataView, from: number): number {
  const end = bytes.length;
  let level = 0;
  let at = from;
  while (at < end) {
    const byte = bytes[at++] as number;
    if (byte === quote) {
      at = endOfString(bytes, view, at) + 1;
      continue;
    }
    const bracket = byte | curlyBit;
    if (bracket === openCurly) {
      level++;
    } else if (bracket === closeCurly && --level === 0) {
      return at;
    }
  }
  return -1;
}

const everyQuote = 0x22222222;
const everyBackslash = 0x5c5c5c5c;
const everyLowBit = 0x01010101;
const everyHighBit = 0x80808080;

/**
 * Returns the index of the quote that ends a JSON string, `from` lying inside of it; `bytes.length` where the bytes end first,
 * and one more where they end between a backslash and what it escapes.
 *
 * Half of a list is inside of strings, so this looks at four bytes at once, twice a round: `x - 1 & ~x` has the high bit set
 * in the first byte of a word that is zero, and a byte xor'ed with a quote is zero where it is one. Looking at single bytes takes
 * half again as long, `indexOf` longer still, because strings are short and calls are not free; that is why the second look is
 * written out as well.
 */
export function endOfString(bytes: Uint8Array, view: DataView, from: number): number {
  const end = bytes.length;
  const lastPair = end - 8;
  let at = from;
  for (;;) {
    while (at <= lastPair) {
      const word = view.getInt32(at, true);
      const quotes = word ^ everyQuote;
      const backslashes = word ^ everyBackslash;
      const found = (((quotes - everyLowBit) & ~quotes) | ((backslashes - everyLowBit) & ~backslashes)) & everyHighBit;
      if (found !== 0) {
        at += (31 - Math.clz32(found & -found)) >> 3;
        break;
      }
      const word2 = view.getInt32(at + 4, true);
      const quotes2 = word2 ^ everyQuote;
      const backslashes2 = word2 ^ everyBackslash;
      const found2 =
        (((quotes2 - everyLowBit) & ~quotes2) | ((backslashes2 - everyLowBit) & ~backslashes2)) & everyHighBit;
      if (found2 !== 0) {
        at += 4 + ((31 - Math.clz32(found2 & -found2)) >> 3);
        break;
      }
      at += 8;
    }
    if (at >= end) return at;
    const byte = bytes[at] as number;
    if (byte === quote) return at;
    at += byte === backslash ? 2 : 1;
  }
}

/** A member of a member of an object, by their names: `['metadata', 'managedFields']`. */
export type MemberPath = readonly [outer: string, inner: string];

/** A part of a text, from the index of its first byte to the one behind its last. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** From the bracket that opens to the one that closes, for both kinds. */
const toClosing = 2;

/** Returns true if a string that ends just before `from` is the key of an object. */
export function isKeyOfObject(bytes: Uint8Array, from: number): boolean {
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
