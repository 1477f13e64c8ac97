/** A number of 64 bits in two halves, each a whole number of 32 bits; 2^64, the end of all hashes, has a `high` of 2^32. */
export interface Hash64 {
  readonly high: number;
  readonly low: number;
}

const offsetBasis: Hash64 = { high: 0xcbf2_9ce4, low: 0x8422_2325 };

/** The prime is 2^40 + this. */
const lowPrime = 0x1b3;

const utf8 = new TextEncoder();

/**
 * The FNV-1a hash of a text's UTF-8 bytes: the same on every machine, and the one by which API servers shard (KEP-5866).
 *
 * In halves, because a BigInt for each byte would cost more than parsing the object; no product reaches 2^53, so none is rounded.
 */
export function fnv1a64(text: string): Hash64 {
  let { high, low } = offsetBasis;
  const mix = (byte: number): void => {
    const mixed = (low ^ byte) >>> 0;
    const product = mixed * lowPrime;
    low = product >>> 0;
    high = (high * lowPrime + (product - low) / 0x1_0000_0000 + ((mixed << 8) >>> 0)) >>> 0;
  };
  // Uids and namespaces are ASCII, where a character is its byte.
  if (isAscii(text)) for (let index = 0; index < text.length; index += 1) mix(text.charCodeAt(index));
  else for (const byte of utf8.encode(text)) mix(byte);
  return { high, low };
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 0x7f) return false;
  return true;
}

export function isLess(a: Hash64, b: Hash64): boolean {
  return a.high < b.high || (a.high === b.high && a.low < b.low);
}
