import type { Hash64 } from './hash64.js';
import type { Shard } from './shard.js';

/** Hashes from `start` up to, but not with, `end`. */
export interface ShardRange {
  readonly start: Hash64;
  readonly end: Hash64;
}

const hashes = 1n << 64n;

/** One of `count` ranges that meet without a gap, and differ in length by 1 at most. */
export function shardRange({ index, count }: Shard): ShardRange {
  const bound = (number: number): Hash64 => halvesOf((BigInt(number) * hashes) / BigInt(count));
  return { start: bound(index), end: bound(index + 1) };
}

function halvesOf(number: bigint): Hash64 {
  return { high: Number(number >> 32n), low: Number(number & 0xffff_ffffn) };
}
