const quote = 0x22;
const backslash = 0x5c;
const everyQuote = 0x22222222;
const everyBackslash = 0x5c5c5c5c;
const everyLowBit = 0x01010101;
const everyHighBit = 0x80808080;

/**
 * The index of the quote that ends a JSON string, `from` lying inside of it; `bytes.length` where the bytes end first,
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
