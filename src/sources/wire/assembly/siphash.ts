import { key } from './memory';

/**
 * Writes the SipHash-1-3 of the bytes from `from` to `to`, in its variant of 128 bits, to `result`.
 * It is a keyed hash: without the key, it is not feasible to find two texts with the same hash.
 *
 * @see https://github.com/veorq/SipHash
 */
export function siphash(from: usize, to: usize, result: usize): void {
  const k0 = load<u64>(key);
  const k1 = load<u64>(key, 8);
  let v0 = k0 ^ 0x736f6d6570736575;
  let v1 = k1 ^ 0x646f72616e646f6d ^ 0xee;
  let v2 = k0 ^ 0x6c7967656e657261;
  let v3 = k1 ^ 0x7465646279746573;

  const length = to - from;
  const words = from + (length & ~7);
  // The last word has the bytes that are left, and the length in its highest byte.
  let last = u64(length) << 56;
  for (let at = words; at < to; at++) last |= u64(load<u8>(at)) << (u64(at - words) << 3);

  // Six rounds follow the last word, three for each half of the result.
  for (let at = from; at <= words + 48; at += 8) {
    const word = at < words ? load<u64>(at) : at == words ? last : 0;
    v3 ^= word;
    v0 += v1;
    v2 += v3;
    v1 = rotl<u64>(v1, 13) ^ v0;
    v3 = rotl<u64>(v3, 16) ^ v2;
    v0 = rotl<u64>(v0, 32);
    v2 += v1;
    v0 += v3;
    v1 = rotl<u64>(v1, 17) ^ v2;
    v3 = rotl<u64>(v3, 21) ^ v0;
    v2 = rotl<u64>(v2, 32);
    v0 ^= word;
    if (at == words) {
      v2 ^= 0xee;
    } else if (at == words + 24) {
      store<u64>(result, v0 ^ v1 ^ v2 ^ v3);
      v1 ^= 0xdd;
    }
  }
  store<u64>(result, v0 ^ v1 ^ v2 ^ v3, 8);
}
