import type { Hash64 } from './hash64.js';
import { shardRange } from './shard-range.js';
import type { Shard } from './shard.js';

/** The query parameter `shardSelector` by which an API server is asked for one shard only (KEP-5866, alpha in Kubernetes 1.36). */
export function shardSelector(shard: Shard): string {
  const { start, end } = shardRange(shard);
  return `shardRange(object.metadata.${shard.by ?? 'uid'}, '${hexadecimal(start)}', '${hexadecimal(end)}')`;
}

/** Sixteen digits, which the server insists on; for 2^64, the only one that needs more, seventeen. */
function hexadecimal({ high, low }: Hash64): string {
  return `0x${digits(high)}${digits(low)}`;
}

function digits(half: number): string {
  return half.toString(16).padStart(8, '0');
}
