import { randomFromSeed } from '../../src/testing/virtual-clock.js';

/**
 * Returns random uids of version 4, like those of API servers. Every call returns the same uids.
 */
export function uids(count: number): readonly string[] {
  const random = randomFromSeed(4);
  const hex = (length: number): string => Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join('');
  const variant = (): string => '89ab'[Math.floor(random() * 4)] ?? '8';
  return Array.from({ length: count }, () => `${hex(8)}-${hex(4)}-4${hex(3)}-${variant()}${hex(3)}-${hex(12)}`);
}
