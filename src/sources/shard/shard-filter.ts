import type { KubernetesObject } from '../../kubernetes/object.js';
import { stringPeek } from '../wire/string-peek.js';
import { fnv1a64, isLess } from './hash64.js';
import { shardRange } from './shard-range.js';
import type { Shard } from './shard.js';

/** Tells what is of one shard, as the API server would. */
export interface ShardFilter {
  /** An object without what is hashed counts as one with an empty text, there as here: all of them are of one shard. */
  readonly owns: (object: KubernetesObject) => boolean;
  /** Whether the JSON of an object is certainly another shard's; that is found out without parsing it. */
  readonly isForeignItem: (json: Uint8Array) => boolean;
  /** The same for a line of a watch, and then what is to be known of it; `undefined` where only parsing can tell. */
  readonly foreignChange: (line: Uint8Array) => ForeignChange | undefined;
}

export interface ForeignChange {
  readonly change: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly resourceVersion: string;
}

const peekType = stringPeek([], ['type']);

export function shardFilter(shard: Shard): ShardFilter {
  const { start, end } = shardRange(shard);
  const field = shard.by ?? 'uid';
  const ownsText = (text: string): boolean => {
    const hash = fnv1a64(text);
    return !isLess(hash, start) && isLess(hash, end);
  };
  const peekItem = stringPeek(['metadata'], [field]);
  const peekLine = stringPeek(['object', 'metadata'], [field, 'resourceVersion']);
  const isForeign = (text: string | undefined): boolean => text !== undefined && !ownsText(text);
  return {
    owns: ({ metadata }) => {
      const value: unknown = metadata?.[field];
      return ownsText(typeof value === 'string' ? value : '');
    },
    isForeignItem: (json) => isForeign(peekItem(json)[field]),
    foreignChange: (line) => {
      const peeked = peekLine(line);
      if (!isForeign(peeked[field]) || !peeked.resourceVersion) return undefined;
      const { type } = peekType(line);
      return isChange(type) ? { change: type, resourceVersion: peeked.resourceVersion } : undefined;
    },
  };
}

function isChange(type: string | undefined): type is ForeignChange['change'] {
  return type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED';
}
