/*
 * Functions that find the end of a part of a JSON text. Zeros follow the text, so no byte after it
 * is mistaken for a part of it.
 */

export const quote: u8 = 0x22;
export const comma: u8 = 0x2c;
export const colon: u8 = 0x3a;
export const openCurly: u8 = 0x7b;
export const closeCurly: u8 = 0x7d;
const backslash: u8 = 0x5c;
const letterU: u8 = 0x75;
/** `{` and `[` differ only in this bit, and so do `}` and `]`. */
export const curlyBit: u8 = 0x20;

/** The address after the scanned text. */
export let end: usize = 0;
export function setEnd(address: usize): void {
  end = address;
}

/** True if the last skipped string has an escape like `\u0061`, JSON's only one for letters. */
export let hasEscape: bool = false;

@inline
function isWhitespace(byte: u8): bool {
  return byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09;
}

/** Returns the address of the first byte that is not whitespace, at `from` or after it. */
export function skipWhitespace(from: usize): usize {
  let at = from;
  while (isWhitespace(load<u8>(at))) at++;
  return at;
}

/** Returns the address of the last byte that is not whitespace, at `from` or before it. */
export function skipWhitespaceBackwards(from: usize): usize {
  let at = from;
  while (isWhitespace(load<u8>(at))) at--;
  return at;
}

/**
 * Returns the address of the quote that ends a string; `from` is inside the string. If the text
 * ends first, returns `end` or `end + 1`.
 */
export function endOfString(from: usize): usize {
  hasEscape = false;
  let at = from;
  while (at < end) {
    const bytes = v128.load(at);
    const found = i8x16.bitmask(
      v128.or(i8x16.eq(bytes, i8x16.splat(i8(quote))), i8x16.eq(bytes, i8x16.splat(i8(backslash)))),
    );
    if (found == 0) {
      at += 16;
      continue;
    }
    at += usize(ctz(found));
    if (load<u8>(at) == quote) return at;
    if (load<u8>(at, 1) == letterU) hasEscape = true;
    at += 2;
  }
  return end;
}

/** Returns the address after the value that begins at `from`; 0 if the text ends first. */
export function endOfValue(from: usize): usize {
  const first = load<u8>(from);
  if ((first | curlyBit) == openCurly) return endOfBrackets(from);
  if (first == quote) {
    const last = endOfString(from + 1);
    return last < end ? last + 1 : 0;
  }
  for (let at = from; at < end; at++) {
    const byte = load<u8>(at);
    const bracket = byte | curlyBit;
    if (byte == comma || byte == quote || bracket == openCurly || bracket == closeCurly || isWhitespace(byte))
      return at;
  }
  return 0;
}

/**
 * Returns the address after the bracket that closes the bracket at `from`; 0 if the text ends
 * first. Curly and square brackets are not distinguished.
 *
 * Works as simdjson does: each round takes 64 bytes and computes three bits for each byte: whether
 * the byte is escaped, whether it is in a string, and whether it is a bracket. Brackets are counted
 * one by one only in a round in which the level may become 0.
 */
export function endOfBrackets(from: usize): usize {
  const quotes16 = i8x16.splat(i8(quote));
  const backslashes16 = i8x16.splat(i8(backslash));
  const curlyBits16 = i8x16.splat(i8(curlyBit));
  const opening16 = i8x16.splat(i8(openCurly));
  const closing16 = i8x16.splat(i8(closeCurly));
  let level: i32 = 0;
  // The state at the end of the previous round. If that round ended with an escaping backslash,
  // `escapesNext` is 1. If it ended within a string, all bits of `endsInString` are set.
  let escapesNext: u64 = 0;
  let endsInString: u64 = 0;

  for (let at = from; at < end; at += 64) {
    const a = v128.load(at);
    const b = v128.load(at, 16);
    const c = v128.load(at, 32);
    const d = v128.load(at, 48);

    let escaped = escapesNext;
    const allBackslashes = equal(a, b, c, d, backslashes16);
    const backslashes = allBackslashes & ~escapesNext;
    if (backslashes == 0) {
      escapesNext = 0;
    } else {
      // Finds the bytes after an odd number of backslashes. The addition carries through each run
      // of backslashes.
      const follows = (backslashes << 1) | escapesNext;
      const evenBits: u64 = 0x5555555555555555;
      const oddStarts = backslashes & ~evenBits & ~follows;
      const carried = oddStarts + backslashes;
      escapesNext = u64(carried < oddStarts);
      escaped = (evenBits ^ (carried << 1)) & follows;
    }

    // Each bit becomes the parity of the quotes up to it: 1 if the byte is in a string.
    let inString = equal(a, b, c, d, quotes16) & ~escaped;
    inString ^= inString << 1;
    inString ^= inString << 2;
    inString ^= inString << 4;
    inString ^= inString << 8;
    inString ^= inString << 16;
    inString ^= inString << 32;
    inString ^= endsInString;
    // A backslash outside a string is not valid JSON. Then the end is computed byte by byte.
    if ((allBackslashes & ~inString) != 0) return endOfInvalidBrackets(from);
    endsInString = u64(i64(inString) >> 63);

    const a2 = v128.or(a, curlyBits16);
    const b2 = v128.or(b, curlyBits16);
    const c2 = v128.or(c, curlyBits16);
    const d2 = v128.or(d, curlyBits16);
    const opening = equal(a2, b2, c2, d2, opening16) & ~inString;
    let closing = equal(a2, b2, c2, d2, closing16) & ~inString;
    const closed = i32(popcnt(closing));
    if (closed >= level) {
      for (let before = 1; closing != 0; before++) {
        const lowest = closing & (0 - closing);
        if (level + i32(popcnt(opening & (lowest - 1))) == before) return at + usize(ctz(closing)) + 1;
        closing ^= lowest;
      }
    }
    level += i32(popcnt(opening)) - closed;
  }
  return 0;
}

/** Returns the same as `endOfBrackets`, byte by byte. */
function endOfInvalidBrackets(from: usize): usize {
  let level: i32 = 0;
  let at = from;
  while (at < end) {
    const byte = load<u8>(at++);
    if (byte == quote) at = endOfString(at) + 1;
    else if ((byte | curlyBit) == openCurly) level++;
    else if ((byte | curlyBit) == closeCurly && --level == 0) return at;
  }
  return 0;
}

/** Returns one bit for each of 64 bytes: 1 if the byte equals the byte that fills `wanted`. */
@inline
function equal(a: v128, b: v128, c: v128, d: v128, wanted: v128): u64 {
  return (
    bits(i8x16.eq(a, wanted)) |
    (bits(i8x16.eq(b, wanted)) << 16) |
    (bits(i8x16.eq(c, wanted)) << 32) |
    (bits(i8x16.eq(d, wanted)) << 48)
  );
}

@inline
function bits(lanes: v128): u64 {
  return u64(u32(i8x16.bitmask(lanes)));
}
