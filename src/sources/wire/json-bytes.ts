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
