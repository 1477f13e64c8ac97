import { backslash, closeCurly, colon, comma, curlyBit, openCurly, quote } from './bytes.js';

/*
 * The functions below read JSON byte by byte, with far less work than a parser. They do not check
 * that the bytes are JSON; each part that is cut out is parsed afterwards. Only code that loads
 * late imports this file, so it is not in the first bundle of an application.
 */

/** Returns true for one of the four bytes that are whitespace in JSON. */
export function isWhitespace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Returns the index of the first byte that is not whitespace, at `from` or after it. */
function skipWhitespace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isWhitespace(bytes[at])) at++;
  return at;
}

/** Returns the bytes of a JSON string, both quotes included. */
export function quoted(text: string): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(text));
}

/** Returns true if `string`, which is quoted, begins at `at`. */
export function equalsEscaped(bytes: Uint8Array, at: number, string: Uint8Array): boolean {
  for (let index = 0; index < string.length; index++) {
    if (bytes[at + index] !== string[index]) return false;
  }
  return true;
}

/**
 * Receives two indices of a member: the first byte of its key, and the first byte of its value.
 * Returns the index after the value, or -1 to end the walk.
 */
type MemberVisitor = (keyStart: number, valueStart: number) => number;

/**
 * Visits the members of the object that begins at `from`, in order, as long as the bytes look like
 * JSON. `visit` skips values, so a completely visited object may still be invalid.
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
    const valueEnd = visit(at, valueStart);
    if (valueEnd === -1) return;
    at = skipWhitespace(bytes, valueEnd);
    if (bytes[at] !== comma) return;
    at = skipWhitespace(bytes, at + 1);
  }
}

/**
 * Returns the index after a value, or -1 if the bytes end first. A quote or bracket ends numbers
 * and words, so no value extends beyond what `endOfBrackets` finds for the enclosing value.
 */
export function endOfValue(bytes: Uint8Array, view: DataView, from: number): number {
  const first = bytes[from] as number;
  if ((first | curlyBit) === openCurly) return endOfBrackets(bytes, view, from);
  if (first === quote) {
    const end = endOfString(bytes, view, from + 1);
    return end < bytes.length ? end + 1 : -1;
  }
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    const bracket = byte | curlyBit;
    if (byte === comma || bracket === closeCurly || isWhitespace(byte)) return at;
    if (byte === quote || bracket === openCurly) return at;
  }
  return -1;
}

/** Returns the index after the closing bracket, curly or square, or -1 if bytes end first. */
function endOfBrackets(bytes: Uint8Array, view: DataView, from: number): number {
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
 * Returns the index of the quote that ends a JSON string; `from` is inside the string. If the bytes
 * end first, returns `bytes.length`, or one more if they end after a backslash.
 *
 * Half of the bytes of a list are in strings, so each round reads four bytes twice. A byte xor'ed
 * with a quote is zero if it is a quote, and `x - 1 & ~x` sets the high bit of the first zero byte.
 * Reading single bytes takes 50 % longer, and `indexOf` even longer, because strings are short. The
 * second read repeats code to avoid a call.
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
