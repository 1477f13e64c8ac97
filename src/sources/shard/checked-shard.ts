import { InvalidOptionError } from '../list-watch-options.js';
import type { Shard } from './shard.js';

/** The shard, or `undefined` where one is all there is; throws `InvalidOptionError` where index, count or `by` cannot be meant. */
export function checkedShard(shard: Shard | undefined): Shard | undefined {
  if (shard === undefined) return undefined;
  const { index, count, by } = shard;
  if (!(Number.isSafeInteger(count) && count > 0)) {
    throw new InvalidOptionError('shard.count', count, 'a positive integer');
  }
  if (!(Number.isSafeInteger(index) && index >= 0 && index < count)) {
    throw new InvalidOptionError('shard.index', index, `an integer from 0 to ${count - 1}`);
  }
  if (!['uid', 'namespace', undefined].includes(by)) {
    throw new InvalidOptionError('shard.by', by, '"uid" or "namespace"');
  }
  return count === 1 ? undefined : shard;
}
