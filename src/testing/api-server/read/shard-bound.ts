import type { Hash64 } from '../../../sources/shard/hash64.js';

const wholeRange = '10000000000000000';

/** The bound of a range of hashes: sixteen digits, or 2^64; throws what `fail` makes of the real server's message. */
export function hashBound(name: 'hexStart' | 'hexEnd', text: string, fail: (problem: string) => Error): Hash64 {
  if (!text.startsWith('0x')) throw fail(`${name} must have '0x' prefix, got ${JSON.stringify(text)}`);
  const digits = text.slice(2);
  if (digits === '') throw fail(`${name}: hex value is required after '0x'`);
  if (digits.length > 17) throw fail(`${name}: hex value too long (${digits.length} chars, max 17): "${digits}"`);
  const wrong = /[^0-9a-f]/.exec(digits)?.[0];
  if (wrong !== undefined) throw fail(`${name}: invalid hex character ${JSON.stringify(wrong)} in "${text}"`);
  if (digits.length < 16) {
    const meant = digits.padStart(16, '0');
    throw fail(`${name} must be a 0x-prefixed 16-digit hex value, got "${text}" (did you mean "0x${meant}"?)`);
  }
  if (digits.length === 17 && digits !== wholeRange) {
    throw fail(`${name}: 17-digit hex value must be '0x${wholeRange}' (2^64), got "${text}"`);
  }
  return { high: parseInt(digits.slice(0, -8), 16), low: parseInt(digits.slice(-8), 16) };
}
