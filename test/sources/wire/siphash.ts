const mask = (1n << 64n) - 1n;
const rotated = (word: bigint, bits: bigint): bigint => ((word << bits) | (word >> (64n - bits))) & mask;

const wordAt = (bytes: Uint8Array, at: number): bigint =>
  bytes.subarray(at, at + 8).reduce((word, byte, index) => word | (BigInt(byte) << BigInt(8 * index)), 0n);

/**
 * Computes SipHash-c-d with 128 bits as its authors published it, with numbers that cannot
 * overflow. Returns 16 bytes.
 */
export function siphash(key: Uint8Array, bytes: Uint8Array, compressions: number, finalizations: number): Uint8Array {
  const [k0, k1] = [wordAt(key, 0), wordAt(key, 8)];
  let v0 = k0 ^ 0x736f6d6570736575n;
  let v1 = k1 ^ 0x646f72616e646f6dn ^ 0xeen;
  let v2 = k0 ^ 0x6c7967656e657261n;
  let v3 = k1 ^ 0x7465646279746573n;
  const rounds = (count: number): void => {
    for (let round = 0; round < count; round++) {
      v0 = (v0 + v1) & mask;
      v1 = rotated(v1, 13n) ^ v0;
      v0 = rotated(v0, 32n);
      v2 = (v2 + v3) & mask;
      v3 = rotated(v3, 16n) ^ v2;
      v0 = (v0 + v3) & mask;
      v3 = rotated(v3, 21n) ^ v0;
      v2 = (v2 + v1) & mask;
      v1 = rotated(v1, 17n) ^ v2;
      v2 = rotated(v2, 32n);
    }
  };
  const whole = bytes.length - (bytes.length % 8);
  const last = (BigInt(bytes.length % 256) << 56n) | wordAt(bytes.subarray(whole), 0);
  for (let at = 0; at <= whole; at += 8) {
    const word = at === whole ? last : wordAt(bytes, at);
    v3 ^= word;
    rounds(compressions);
    v0 ^= word;
  }
  const result = new Uint8Array(16);
  v2 ^= 0xeen;
  rounds(finalizations);
  new DataView(result.buffer).setBigUint64(0, v0 ^ v1 ^ v2 ^ v3, true);
  v1 ^= 0xddn;
  rounds(finalizations);
  new DataView(result.buffer).setBigUint64(8, v0 ^ v1 ^ v2 ^ v3, true);
  return result;
}
