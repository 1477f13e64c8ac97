import fc from 'fast-check';
import { fnv1a64 } from '../../../src/sources/reflector/shard.js';

describe('fnv1a64', () => {
  // Of the hash's authors: http://www.isthe.com/chongo/src/fnv/test_fnv.c.
  it.each([
    ['', 'cbf29ce484222325'],
    ['a', 'af63dc4c8601ec8c'],
    ['b', 'af63df4c8601f1a5'],
    ['foobar', '85944171f73967e8'],
    ['chongo was here!\n', '46810940eff5f915'],
  ])('hashes %j as its authors do', (text, expected) => {
    expect(hexadecimal(text)).toBe(expected);
  });

  it('is what the definition says, computed in whole numbers of 64 bits, for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.uuid(), fc.string(), fc.string({ unit: 'grapheme' })), (text) => {
        expect(hexadecimal(text)).toBe(byDefinition(text).toString(16).padStart(16, '0'));
      }),
    );
  });
});

function hexadecimal(text: string): string {
  const { high, low } = fnv1a64(text);
  return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0');
}

function byDefinition(text: string): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash;
}
