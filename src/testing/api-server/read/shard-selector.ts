import { fnv1a64, isLess, type Hash64 } from '../../../sources/shard/hash64.js';
import { internalError } from '../api-error.js';
import type { StoredObject } from '../storage/stored-object.js';
import { hashBound } from './shard-bound.js';
import { shardTerms, type ShardTerm } from './shard-terms.js';

/** What a `shardSelector` selects. */
export interface ShardSelection {
  /** As the real server repeats it in a list's `shardInfo`: in its own spelling. */
  readonly selector: string;
  readonly matches: (object: StoredObject) => boolean;
}

interface Range {
  readonly field: string;
  readonly start: Hash64;
  readonly end: Hash64;
  readonly text: string;
}

const fields = ['object.metadata.uid', 'object.metadata.namespace'];

/** Parses what the real server does; its failures are answered with a 500 without a reason, as there. */
export function parseShardSelector(text: string): ShardSelection {
  if (text.trim() === '') {
    throw invalidShard('empty shard selector is not allowed; omit the parameter for unfiltered lists');
  }
  const ranges = shardTerms(text, invalidShard).map(rangeOf);
  const field = ranges[0]?.field;
  const other = ranges.find((range) => range.field !== field);
  if (other !== undefined) {
    throw invalidShard(`all shard ranges must use the same field, got "${field}" and "${other.field}"`);
  }
  const ofUid = field === 'object.metadata.uid';
  return {
    selector: ranges.map((range) => range.text).join(' || '),
    matches: ({ metadata }) => {
      const hash = fnv1a64((ofUid ? metadata.uid : metadata.namespace) ?? '');
      return ranges.some(({ start, end }) => !isLess(hash, start) && isLess(hash, end));
    },
  };
}

function rangeOf({ field, start: startText, end: endText }: ShardTerm): Range {
  if (!fields.includes(field)) {
    throw invalidShard(`unsupported field path "${field}"; supported: ${fields.join(', ')}`);
  }
  const start = hashBound('hexStart', startText, invalidShard);
  const end = hashBound('hexEnd', endText, invalidShard);
  if (!isLess(start, end)) throw invalidShard(`shard range start ${startText} must be less than end ${endText}`);
  return { field, start, end, text: `shardRange(${field}, '${startText}', '${endText}')` };
}

function invalidShard(problem: string): Error {
  return internalError(`invalid shard selector: ${problem}`);
}
