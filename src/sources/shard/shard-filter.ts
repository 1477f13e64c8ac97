import type { KubernetesObject } from '../../kubernetes/object.js';
import { fnv1a64, isLess } from './hash64.js';
import { shardRange } from './shard-range.js';
import type { Shard } from './shard.js';

/**
 * Whether an object is of this shard, as the API server would say.
 *
 * An object without what is hashed counts as one with an empty text, there as here: all of them are of one shard.
 */
export function shardFilter(shard: Shard): (object: KubernetesObject) => boolean {
  const { start, end } = shardRange(shard);
  const field = shard.by ?? 'uid';
  return ({ metadata }) => {
    const value: unknown = metadata?.[field];
    const hash = fnv1a64(typeof value === 'string' ? value : '');
    return !isLess(hash, start) && isLess(hash, end);
  };
}
